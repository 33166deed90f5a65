"""The life of a policy version, as the database holds it against the real runtime role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from apps.intents.baseline import baseline_snapshot
from apps.intents.models import (
    GoldenExample,
    IntentTerm,
    KindBudget,
    PolicyIntent,
    PolicyIntentKind,
    PolicyVersion,
    ReviewComment,
    VersionOrigin,
    VersionStatus,
)
from apps.intents.services.versions import policy_draft_create, policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from tests.conftest import admin_dsn
from tests.factories import Firm
from tests.intents.steps import acting, approved, draft, in_review, step

pytestmark = pytest.mark.django_db

PARTS = (KindBudget, PolicyIntent, PolicyIntentKind, IntentTerm, GoldenExample)


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob")


@contextmanager
def refused(match: str) -> Iterator[None]:
    """The database refuses what is done in here, and the transaction around it goes on."""
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        yield


def test_the_tests_run_as_the_runtime_role() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("glassbox_api",)


@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_a_version_in_force_can_be_deleted(acme: Firm, part: type[Model]) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="only a draft can be changed"):
        part._base_manager.filter(id=part._base_manager.values_list("id").first()[0])._raw_delete("default")


@pytest.mark.parametrize(
    ("part", "change"),
    [
        (KindBudget, {"cap_chars": 9999}),
        (KindBudget, {"kind": "loan_file"}),
        (KindBudget, {"name": "Other"}),
        (KindBudget, {"uploaders": ["tenant_admin"]}),
        (KindBudget, {"correctors": ["tenant_admin"]}),
        (KindBudget, {"removers": ["tenant_admin"]}),
        (KindBudget, {"retired": True}),
        (PolicyIntent, {"recording_mode": "encrypted_text"}),
        (PolicyIntentKind, {"kind": "schedule"}),
        (IntentTerm, {"decisive": True}),
        (GoldenExample, {"text": "Something else?"}),
    ],
)
def test_no_part_of_a_version_in_force_can_be_changed(acme: Firm, part: type[Model], change: dict[str, object]) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="only a draft can be changed"):
        part._base_manager.filter(id=part._base_manager.values_list("id").first()[0]).update(**change)


def test_no_kind_can_be_added_to_a_version_in_force(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        intent = PolicyIntent.objects.get(name="performance")
        with refused(match="only a draft can be changed"):
            PolicyIntentKind.objects.create(tenant_id=acme.id, intent=intent, kind="schedule")


def test_a_part_of_a_draft_cannot_be_moved_into_a_version_in_force(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        term = IntentTerm.objects.filter(intent__version=draft()).first()
        # No key of the version in force stands in its way: what refuses it is the version's state.
        IntentTerm.objects.filter(id=term.id).update(text="a term of its own", position=900)
        in_force = PolicyIntent.objects.get(version__number=1, name="compliance")
        with refused(match="only a draft can be changed"):
            IntentTerm.objects.filter(id=term.id).update(intent=in_force)


@pytest.mark.parametrize(
    "change",
    [{"total_cap_chars": 1}, {"minimum_score": 0.0}, {"reason": "Other."}, {"retrieval_settings": {"rrf_k": 1}}],
)
def test_no_column_of_a_version_in_force_can_be_changed(acme: Firm, change: dict[str, object]) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="only a draft can be changed"):
        PolicyVersion.objects.filter(number=1).update(**change)


def test_a_version_in_force_cannot_be_deleted(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="only a draft can be deleted"):
        PolicyVersion.objects.filter(number=1)._raw_delete("default")


def test_raw_sql_is_held_too(acme: Firm) -> None:
    with (
        open_scope(tenant=acme.id, reason="a test"),
        connection.cursor() as cursor,
        refused(match="only a draft can be changed"),
    ):
        cursor.execute("UPDATE intents_kindbudget SET cap_chars = 100000")


def test_the_triggers_cannot_be_switched_off_by_the_runtime_role(acme: Firm) -> None:
    for statement in (
        "ALTER TABLE intents_kindbudget DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "DROP FUNCTION intents_require_draft(uuid, uuid) CASCADE",
        "TRUNCATE intents_kindbudget",
    ):
        with (
            pytest.raises(Exception, match=r"must be owner|permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_a_draft_can_be_changed_and_deleted(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = draft()
        version.budgets.filter(kind="run").update(cap_chars=900)
        version.delete()
        assert PolicyVersion.objects.count() == 1


def test_a_submitted_version_can_no_longer_be_changed(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = draft()
        step(version, status=VersionStatus.IN_REVIEW)
        with refused(match="only a draft can be changed"):
            version.budgets.filter(kind="run").update(cap_chars=900)


@pytest.mark.parametrize("status", [VersionStatus.ACTIVE, VersionStatus.APPROVED, VersionStatus.SUPERSEDED])
def test_a_draft_cannot_skip_the_review(acme: Firm, status: VersionStatus) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="can't go from draft"):
        step(draft(), status=status)


def test_a_version_cannot_be_written_in_force(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="starts as a draft"):
        known = PolicyVersion.objects.values().get(number=1)
        PolicyVersion.objects.create(**{**known, "id": acme.root.id, "number": 2})


def test_the_author_cannot_approve(acme: Firm, alice: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="made by somebody else"):
        approved(alice, alice)


def test_nobody_cannot_approve(acme: Firm, alice: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = in_review(alice)
        with refused(match="in the reviewer's own name"):
            step(version, status=VersionStatus.APPROVED)


def test_what_the_platform_wrote_is_nobody_s_and_can_t_be_approved(acme: Firm, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = in_review(None)
        with acting(bob, Role.REVIEWER), refused(match="approved by the proof"):
            step(version, status=VersionStatus.APPROVED, approver=bob, effective_from=timezone.now())


def test_nobody_approves_in_another_s_name(acme: Firm, alice: User, bob: User) -> None:
    """With any SQL at all: the name is that of the signed token."""
    with open_scope(tenant=acme.id, reason="a test"):
        version = in_review(alice)
        for person, role in ((alice, Role.REVIEWER), (User.objects.create_user("dora"), Role.REVIEWER), (None, None)):
            with acting(person, role), refused(match="somebody else|own name"):
                step(version, status=VersionStatus.APPROVED, approver=bob, effective_from=timezone.now())


def test_who_may_not_approve_decides_nothing(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = in_review(alice)
        for status in (VersionStatus.APPROVED, VersionStatus.REJECTED, VersionStatus.DRAFT):
            with acting(bob, Role.COMPLIANCE_OFFICER), refused(match="who may approve"):
                step(version, status=status, approver=bob)


def test_a_draft_is_its_author_s_alone(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = draft(author=alice)
        with acting(bob):
            with refused(match="only its author may change"):
                version.budgets.filter(kind="run").update(cap_chars=900)
            with refused(match="only its author may change"):
                step(version, total_cap_chars=1)
            with refused(match="only its author may change"):
                step(version, status=VersionStatus.IN_REVIEW)
            with refused(match="only its author may change"):
                version.delete()


def test_nobody_writes_a_draft_in_another_s_name(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = draft(author=alice)
        with acting(alice), refused(match="number, origin and author"):
            step(version, author=bob)


def test_an_approved_version_does_not_take_effect_before_its_time(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = in_review(alice)
        later = timezone.now() + timedelta(hours=1)
        with acting(bob, Role.REVIEWER):
            step(version, status=VersionStatus.APPROVED, approver=bob, effective_from=later)
        with refused(match="takes effect at"):
            step(version, status=VersionStatus.ACTIVE)


def test_a_comment_is_made_in_one_s_own_name(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = draft(author=alice)
        for person in (alice, None):
            with (
                acting(person),
                pytest.raises(ProgrammingError, match="row-level security"),
                transaction.atomic(),
            ):
                ReviewComment.objects.create(
                    tenant_id=acme.id, version=version, author_id=bob.id, author_label="Bob", text="Fine."
                )


def test_the_approver_cannot_be_written_before_the_review(acme: Firm, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="set by the review"):
        step(draft(), approver=bob)


def test_the_approver_cannot_be_exchanged_later(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = approved(alice, bob)
        with refused(match="set by the review"):
            step(version, approver=User.objects.create_user("charlie"))


def test_only_version_one_can_be_a_baseline(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="baseline_is_first"):
        policy_draft_create(snapshot=baseline_snapshot(), number=2, origin=VersionOrigin.BASELINE, reason="Again.")


def test_activation_ends_the_version_before_at_the_same_instant(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = policy_version_activate(approved(alice, bob))
        earlier = PolicyVersion.objects.get(number=1)
    assert (earlier.status, earlier.valid_to) == (VersionStatus.SUPERSEDED, version.valid_from)


def test_exactly_one_version_is_in_force_after_each_of_three_activations(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        for number in (2, 3, 4):
            policy_version_activate(approved(alice, bob, number))
            assert PolicyVersion.objects.filter(status=VersionStatus.ACTIVE, valid_to__isnull=True).count() == 1


def test_a_version_in_force_cannot_be_ended_without_a_successor(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), refused(match="from active to superseded"):
        step(PolicyVersion.objects.get(number=1), status=VersionStatus.SUPERSEDED, valid_to="2030-01-01T00:00:00Z")


@pytest.mark.slow
@pytest.mark.parametrize("column", ["valid_from", "valid_to"])
def test_the_past_of_a_version_cannot_be_rewritten(acme: Firm, alice: User, bob: User, column: str) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        policy_version_activate(approved(alice, bob))
        with refused(match=f"{column} is set by its"):
            PolicyVersion.objects.filter(number=1).update(**{column: "2001-01-01T00:00:00Z"})


def test_the_database_decides_when_a_version_takes_effect(acme: Firm, alice: User, bob: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = approved(alice, bob)
        step(version, status=VersionStatus.ACTIVE, valid_from="2001-01-01T00:00:00Z")
        assert version.valid_from > version.created_at


def test_two_versions_cannot_be_in_force_at_once_even_without_the_triggers() -> None:
    """The control: the exclusion constraint holds by itself, against the superuser too."""
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as superuser:
        superuser.execute("SET session_replication_role = replica")
        for number, (start, end) in enumerate((("2024-01-01", "2024-02-01"), ("2024-02-01", "2024-03-01")), start=1):
            superuser.execute(
                "INSERT INTO intents_policyversion (tenant_id, number, status, origin, valid_from, valid_to, reason, "
                "author_id, author_label, approver_id, approver_label, created_at, total_cap_chars, neighbours, "
                "term_weight, decisive_points, points_for_full_weight, minimum_score, minimum_margin, "
                "minimum_term_points, minimum_term_margin, minimum_golden_accuracy, retrieval_settings, "
                "revision, decision_reason, effective_from) "
                "VALUES (%(tenant)s, %(number)s, 'superseded', 'draft', %(start)s, %(end)s, '', "
                "%(author)s, '', %(approver)s, '', now(), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, '{}', 1, '', now())",
                {
                    "tenant": UUID(int=1),
                    "number": number,
                    "start": start,
                    "end": end,
                    "author": UUID(int=2),
                    "approver": UUID(int=3),
                },
            )
        with pytest.raises(psycopg.errors.ExclusionViolation):
            superuser.execute("UPDATE intents_policyversion SET valid_to = '2024-02-02' WHERE number = 1")
        superuser.rollback()
