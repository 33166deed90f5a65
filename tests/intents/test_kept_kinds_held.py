"""No role that serves leaves a kind out of a policy that documents name, nor files one that is left out, by any SQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, ProgrammingError, transaction
from django.utils import timezone

from apps.corpus.models import Document
from apps.intents.models import PolicyVersion
from apps.intents.services.successor import documented_kinds
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.mutations import acting_as
from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import drafted, submitted
from tests.intents.test_kept_kinds import STAY, approved, filed, insert, without
from tests.model_server import ModelServer

# On committed rows: each role has a session of its own.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker"]),
]


@pytest.fixture
def acme(transactional_db: None, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield baked(make_firm, "acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    """An officer of one scope; the documents lie in another one."""
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER, scopes=["fund:beta"])


def test_no_statement_submits_or_approves_a_version_that_leaves_it_out(
    acme: Firm, olivia: Principal, rupert: Principal, role: str
) -> None:
    draft, version = drafted(olivia, without), submitted(olivia, lambda each: replace(without(each), reason="Other."))
    filed(acme)
    with acting_as(role):
        with as_(olivia), pytest.raises(IntegrityError, match=STAY), transaction.atomic():
            PolicyVersion.objects.filter(id=draft.id).update(status="in_review", submitted_at=timezone.now())
        with as_(rupert), pytest.raises(IntegrityError, match=STAY), transaction.atomic():
            PolicyVersion.objects.filter(id=version.id).update(
                status="approved",
                approver_id=rupert.id,
                approver_label="Rupert",
                decided_at=timezone.now(),
                effective_from=timezone.now(),
                decided_revision=version.revision,
            )


def test_no_statement_files_what_an_approved_version_leaves_out(
    acme: Firm, olivia: Principal, rupert: Principal, role: str
) -> None:
    insert(acme, "run")
    approved(acme, submitted(olivia, without), rupert)
    refused = "policy version 2, which is approved, leaves out the kind schedule"
    alice = make_member(acme, "alice", Role.ANALYST)
    with acting_as(role):
        for principal in (None, alice):
            with pytest.raises(ProgrammingError, match=refused):
                insert(acme, principal=principal)
            with (
                open_scope(tenant=acme.id, principal=principal, reason="a test"),
                pytest.raises(ProgrammingError, match=refused),
                transaction.atomic(),
            ):
                Document.objects.filter(kind="run").update(kind="schedule")


def test_who_may_not_read_the_policy_is_told_nothing(acme: Firm, role: str) -> None:
    filed(acme)
    nobody = replace(make_member(acme, "alice", Role.ANALYST), roles=frozenset())
    with acting_as(role), pytest.raises(ProgrammingError, match="whoever may read the policy"), as_(nobody):
        documented_kinds()
