"""The database lets nobody file a document of a kind that the policy in force keeps for other roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import ProgrammingError, transaction
from django.utils import timezone

from apps.corpus.models import Document
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import KindNotYoursError
from apps.intents.baseline import baseline_snapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.services.versions import policy_draft_create, policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest
from tests.factories import Firm, as_, make_key, make_member, make_personal_key, make_user
from tests.intents.steps import acting, step

pytestmark = pytest.mark.django_db

GIVEN: dict[str, dict[str, Any]] = {"run": {"uploaders": (Role.TENANT_ADMIN,)}, "schedule": {"retired": True}}


def approve(firm: Firm, given: dict[str, dict[str, Any]] = GIVEN, *, begins: timedelta = timedelta(0)) -> PolicyVersion:
    """A version with these changes of its kinds: past runs are for tenant administrators, and schedules are retired."""
    policy = baseline_snapshot()
    budgets = tuple(replace(each, **given.get(each.kind.value, {})) for each in policy.budgets)
    author, approver = make_user("author"), make_user("approver")
    with open_scope(tenant=firm.id, reason="a test"):
        with acting(author):
            version = policy_draft_create(
                snapshot=replace(policy, budgets=budgets), number=2, origin=VersionOrigin.DRAFT, reason="A test."
            )
            step(version, status=VersionStatus.IN_REVIEW)
        with acting(approver, Role.REVIEWER):
            at = timezone.now() + begins
            step(version, status=VersionStatus.APPROVED, approver=approver, approver_label="B", effective_from=at)
    return version


@pytest.fixture
def kept_for_admins(acme: Firm) -> Iterator[None]:
    version = approve(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        policy_version_activate(version)
    return


def insert(firm: Firm, principal: Principal, kind: str) -> Document:
    """Past every service: a row as a process could write it that was taken over."""
    with as_(principal), transaction.atomic():
        made: Document = Document.objects.create(
            tenant_id=firm.id,
            scope_id=firm.root.id,
            kind=kind,
            title="Smuggled",
            slug=uuid4().hex,
            series_id=uuid4(),
            filename="x.md",
            byte_size=1,
            content_sha256=uuid4().hex * 2,
        )
    return made


@pytest.mark.usefixtures("kept_for_admins")
def test_only_a_role_that_the_policy_names_inserts_a_document_of_the_kind(acme: Firm) -> None:
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "tessa", Role.TENANT_ADMIN)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin file documents of the kind run"):
        insert(acme, analyst, "run")
    assert insert(acme, admin, "run").kind == "run"
    assert insert(acme, analyst, "methodology").kind == "methodology"


@pytest.mark.usefixtures("kept_for_admins")
def test_a_key_is_held_by_its_role(acme: Firm) -> None:
    with pytest.raises(ProgrammingError, match="lets only tenant_admin"):
        insert(acme, make_key(acme, Role.ANALYST)[0], "run")
    assert insert(acme, make_key(acme, Role.TENANT_ADMIN)[0], "run").kind == "run"


@pytest.mark.usefixtures("kept_for_admins")
def test_nobody_inserts_a_document_of_a_retired_kind_but_the_platform(acme: Firm) -> None:
    with pytest.raises(ProgrammingError, match="the kind schedule is retired"):
        insert(acme, make_member(acme, "tessa", Role.TENANT_ADMIN), "schedule")


@pytest.mark.usefixtures("kept_for_admins")
def test_who_may_not_upload_a_kind_corrects_no_document_of_it(acme: Firm) -> None:
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "tessa", Role.TENANT_ADMIN)
    document = ingest(acme, kind="run", scope="firm:acme", principal=admin).document
    with as_(analyst):
        with pytest.raises(KindNotYoursError, match="Tenant administrator"):
            document_correct(document_id=document.id, changes={"title": "Mine"})
        with pytest.raises(ProgrammingError, match="lets only tenant_admin correct"), transaction.atomic():
            Document.objects.filter(id=document.id).update(title="Mine")
    with as_(admin):
        assert document_correct(document_id=document.id, changes={"title": "Ours"}).title == "Ours"


def test_an_approved_version_holds_from_its_time_on_though_nothing_recorded_it(acme: Firm) -> None:
    analyst = make_member(acme, "alice", Role.ANALYST)
    approve(acme)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin"):
        insert(acme, analyst, "run")


def test_an_approved_version_does_not_hold_before_its_time(acme: Firm) -> None:
    analyst = make_member(acme, "alice", Role.ANALYST)
    approve(acme, begins=timedelta(hours=1))
    assert insert(acme, analyst, "run").kind == "run"


# --- A document of a kind that others file, under a new kind ----------------------------------------------------------


@pytest.fixture
def board_minutes(acme: Firm, kept_for_admins: None) -> Document:
    admin = make_member(acme, "tessa", Role.TENANT_ADMIN)
    return ingest(acme, kind="run", scope="firm:acme", principal=admin, external_id="minutes").document


def next_version(firm: Firm, principal: Principal, document: Document, kind: str) -> None:
    with as_(principal), transaction.atomic():
        Document.objects.create(
            tenant_id=firm.id,
            scope_id=document.scope_id,
            kind=kind,
            title="Smuggled",
            slug=uuid4().hex,
            series_id=document.series_id,
            version=document.version + 1,
            filename="x.md",
            byte_size=1,
            content_sha256=uuid4().hex * 2,
        )


@pytest.mark.parametrize("way", [{"external_id": "minutes"}, {"replaces": True}])
def test_nobody_replaces_a_document_of_a_kind_that_others_file(
    acme: Firm, board_minutes: Document, way: dict[str, Any]
) -> None:
    """Its next version would take it out of answers, and under another kind questions would reach its words."""
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "toni", Role.TENANT_ADMIN)
    named = {"replaces": board_minutes.id} if "replaces" in way else way
    said: dict[str, Any] = {"content": b"# Mine\n\nNothing was decided.\n", "scope": "firm:acme", "kind": "methodology"}
    with pytest.raises(KindNotYoursError, match="Tenant administrator"):
        ingest(acme, principal=analyst, **named, **said)
    made = ingest(acme, principal=admin, **named, **said).document
    assert (made.series_id, made.version) == (board_minutes.series_id, 2)


def test_the_same_external_id_elsewhere_or_for_ones_own_kind_is_no_obstacle(
    acme: Firm, board_minutes: Document
) -> None:
    analyst = make_member(acme, "alice", Role.ANALYST)
    for content in (b"# One\n\nA text.\n", b"# Two\n\nAnother text.\n"):
        made = ingest(acme, content, principal=analyst, kind="methodology", external_id="mine", scope="firm:acme")
    assert made.document.version == 2
    ingest(acme, b"# Three\n\nA text.\n", principal=analyst, kind="methodology", external_id="minutes")


def test_the_database_holds_both_kinds_of_a_document(acme: Firm, board_minutes: Document) -> None:
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "toni", Role.TENANT_ADMIN)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin file documents of the kind run"):
        next_version(acme, analyst, board_minutes, "methodology")
    with (
        as_(analyst),
        pytest.raises(ProgrammingError, match="lets only tenant_admin correct documents of the kind run"),
        transaction.atomic(),
    ):
        Document.objects.filter(id=board_minutes.id).update(kind="methodology")
    next_version(acme, admin, board_minutes, "methodology")


def test_no_statement_moves_a_document_into_a_retired_kind(acme: Firm, board_minutes: Document) -> None:
    with (
        as_(make_member(acme, "toni", Role.TENANT_ADMIN)),
        pytest.raises(ProgrammingError, match="schedule is retired"),
        transaction.atomic(),
    ):
        Document.objects.filter(id=board_minutes.id).update(kind="schedule")


# --- The claims of roles in a scope token -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("kind", [PrincipalKind.USER, PrincipalKind.API_KEY])
def test_a_token_claims_the_roles_of_its_principal_and_no_others(acme: Firm, role: Role, kind: PrincipalKind) -> None:
    made = make_member(acme, "alice", role) if kind is PrincipalKind.USER else make_key(acme, role)[0]
    assert {each for each in made.permissions if each.startswith("role:")} == {f"role:{role.value}"}


@pytest.mark.usefixtures("kept_for_admins")
@pytest.mark.parametrize(
    "label", ["role:tenant_admin", "alice,role:tenant_admin", "alice\x1frole:tenant_admin", "alice role:tenant_admin *"]
)
def test_no_name_of_an_account_smuggles_a_claim_into_the_token(acme: Firm, label: str) -> None:
    """The control: the claim itself opens the kind."""
    alice = replace(make_member(acme, "alice", Role.ANALYST), label=label)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin"):
        insert(acme, alice, "run")
    assert insert(acme, replace(alice, roles=frozenset({Role.ANALYST, Role.TENANT_ADMIN})), "run").kind == "run"


@pytest.mark.usefixtures("kept_for_admins")
def test_a_persons_key_claims_its_own_role_and_not_the_others_of_its_person(acme: Firm) -> None:
    make_member(acme, "both", Role.TENANT_ADMIN)
    person = make_member(acme, "both", Role.ANALYST)
    key, _ = make_personal_key(acme, "both", role=Role.ANALYST)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin"):
        insert(acme, key, "run")
    assert insert(acme, person, "run").kind == "run"
