"""A kind that documents name is never left out of a policy: whoever sees them, whenever they come, by whichever way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import ProgrammingError, transaction
from django.utils import timezone

from apps.corpus.models import Document
from apps.corpus.services.ingest.errors import LeavingKindError, UnknownKindError
from apps.corpus.services.ingest.kind import usable_kinds
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import version_snapshot
from apps.intents.services.successor import documented_kinds, usage_problems
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import ingest, short_profile
from tests.corpus.test_reindex import restricted
from tests.deciding import version_approve, version_submit, version_withdraw
from tests.factories import Firm, as_, make_firm, make_key, make_member
from tests.intents.reviewing import again, drafted, submitted, wider
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

STAY = "leaves out the kind schedule, and there are documents of it"
LEFT_OUT = "Kind 'schedule' is left out, and there are documents of it"


def without(snapshot: PolicySnapshot) -> PolicySnapshot:
    """No schedules any more: no kind, and nobody who reaches them."""
    gone = FundHouse.SCHEDULE
    rest = wider(snapshot)
    return replace(
        rest,
        intents=tuple(replace(each, kinds=tuple(k for k in each.kinds if k != gone)) for each in rest.intents),
        fallback=replace(rest.fallback, kinds=tuple(k for k in rest.fallback.kinds if k != gone)),
        budgets=tuple(each for each in rest.budgets if each.kind != gone),
    )


def filed(firm: Firm, kind: str = "schedule") -> Document:
    return ingest(firm, kind=kind, principal=make_member(firm, f"tessa-{uuid4().hex[:6]}", Role.TENANT_ADMIN)).document


def insert(firm: Firm, kind: str = "schedule", principal: Principal | None = None) -> None:
    """Past every service: a row as a process could write it that was taken over."""
    with open_scope(tenant=firm.id, principal=principal, reason="a test"), transaction.atomic():
        Document.objects.create(
            tenant_id=firm.id,
            scope_id=firm.scopes["fund:alpha"].id,
            kind=kind,
            title="Smuggled",
            slug=uuid4().hex,
            series_id=uuid4(),
            filename="x.md",
            byte_size=1,
            content_sha256=uuid4().hex * 2,
        )


@pytest.fixture(scope="module")
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def acme(acme: Firm, model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(model_server)}
    return acme


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    """An officer of one scope; the documents of these tests lie in another one."""
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER, scopes=["fund:beta"])


def approved(acme: Firm, version: PolicyVersion, reviewer: Principal) -> PolicyVersion:
    """For tomorrow."""
    with as_(reviewer):
        version_approve(version.id, effective_from=timezone.now() + timedelta(days=1))
    return again(acme, version)


# --- Whoever sees the documents ---------------------------------------------------------------------------------------


def test_documents_of_other_scopes_count_and_nothing_more_is_told_of_them(acme: Firm, olivia: Principal) -> None:
    filed(acme)
    with as_(olivia):
        assert Document.objects.count() == 0
        assert documented_kinds() == {"schedule"}
    draft = drafted(olivia, without)
    with as_(olivia):
        assert [each for each in usage_problems(version_snapshot(draft)) if LEFT_OUT in each]
        with pytest.raises(InvalidPolicyError, match=LEFT_OUT):
            version_submit(draft.id)


def test_restricted_documents_count(acme: Firm, olivia: Principal) -> None:
    restricted(acme, filed(acme).id)
    with as_(olivia), pytest.raises(InvalidPolicyError, match=LEFT_OUT):
        version_submit(drafted(olivia, without).id)


def test_documents_of_another_tenant_do_not(acme: Firm, olivia: Principal) -> None:
    filed(make_firm("globex"))
    with as_(olivia):
        assert documented_kinds() == frozenset()
    assert submitted(olivia, without).status == VersionStatus.IN_REVIEW


def test_a_draft_of_packs_keeps_a_kind_of_which_the_officer_sees_nothing(acme: Firm, olivia: Principal) -> None:
    filed(acme, "run")
    page = Page(Visitor("olivia").get("/admin/policy/drafts/packs/?pack=bank_lending"))
    assert "Past runs: documents that you may not see" in page.text
    assert "and there are documents of it" not in page.text


# --- Whenever they come -----------------------------------------------------------------------------------------------


def test_an_upload_between_submission_and_approval_stands_against_the_approval(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    version = submitted(olivia, without)
    filed(acme)
    with as_(rupert), pytest.raises(InvalidPolicyError, match=LEFT_OUT):
        version_approve(version.id)
    assert again(acme, version).status == VersionStatus.IN_REVIEW


def test_nothing_is_filed_as_a_kind_that_an_approved_version_leaves_out(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    approved(acme, submitted(olivia, without), rupert)
    with pytest.raises(LeavingKindError, match=r"Version 2 .* leaves out the kind 'schedule'.*withdrawn") as refusal:
        filed(acme)
    assert "schedule" not in refusal.value.data["known"]
    with as_(make_member(acme, "alice", Role.ANALYST)):
        assert "schedule" not in {each.kind for each in usable_kinds()}
    assert filed(acme, "run").kind == "run"


def test_once_it_is_withdrawn_documents_are_filed_again(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    version = approved(acme, submitted(olivia, without), rupert)
    with as_(olivia):
        version_withdraw(version.id, reason="We need them after all.")
    assert filed(acme).kind == "schedule"


def test_the_api_names_the_field(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    approved(acme, submitted(olivia, without), rupert)
    answer = Api(make_key(acme)[1]).upload(scope="fund:alpha", kind="schedule")
    assert (answer.status_code, answer.json()["code"]) == (400, "corpus.retired_kind")
    assert "kind" in answer.json()["errors"]


# --- By whichever way -------------------------------------------------------------------------------------------------


def test_nor_once_it_is_in_force(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    version = submitted(olivia, without)
    with as_(rupert):
        version_approve(version.id)
    with pytest.raises(UnknownKindError):
        filed(acme)
    with pytest.raises(ProgrammingError, match="leaves out the kind schedule"):
        insert(acme)
    insert(acme, "never_known")
