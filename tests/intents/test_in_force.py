"""What is in force is decided by the times of approved versions: recording it only records it, however late."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.intents.access.ask import access_ask
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NotWithdrawableError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, policy_versions, version_snapshot
from apps.intents.services.activation import activate_due
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_withdraw
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import submitted
from tests.model_server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.fixture
def acme(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield make_firm("acme")


@pytest.fixture
def officer(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def reviewer(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


def approved(officer: Principal, reviewer: Principal) -> tuple[PolicyVersion, datetime]:
    version = submitted(officer)
    return version, approve(version, reviewer)


def approve(version: PolicyVersion, reviewer: Principal, *, in_s: float = 2.0) -> datetime:
    """Approve a version that begins in so many seconds, and return when. A submission takes longer than that at times,
    so what has to be submitted before another version begins is submitted before that one is approved."""
    begins = timezone.now() + timedelta(seconds=in_s)
    with as_(reviewer):
        version_approve(version.id, effective_from=begins)
    return begins


def narrower(snapshot: PolicySnapshot) -> PolicySnapshot:
    return replace(snapshot, total_cap_chars=14_000)


def wait_for(moment: datetime) -> None:
    time.sleep(max(0.0, (moment - timezone.now()).total_seconds()) + 0.01)


def statuses() -> list[tuple[int, str]]:
    return [(each.number, each.status) for each in policy_versions().order_by("number")]


def test_an_approved_version_decides_from_its_time_on_while_nobody_records_it(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version, begins = approved(officer, reviewer)
    with as_(reviewer):
        before = policy_in_force()
    assert (before.number, before.valid_to) == (1, None)
    wait_for(begins)
    with as_(reviewer):
        assert PolicyVersion.objects.get(id=version.id).status == VersionStatus.APPROVED
        now, past = policy_in_force(), policy_in_force(begins - timedelta(milliseconds=1))
        first = version_snapshot(PolicyVersion.objects.get(number=1))
        assert statuses() == [(1, VersionStatus.SUPERSEDED), (2, VersionStatus.ACTIVE)]
    assert (now.number, now.status, now.valid_from, now.valid_to) == (2, VersionStatus.ACTIVE, begins, None)
    # What this process kept of the version before ended at that moment too.
    assert (past.number, past.status, past.valid_to) == (1, VersionStatus.SUPERSEDED, begins)
    assert first == past


def test_recording_it_late_changes_nothing_of_when_it_was_in_force_and_tells_both_times(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version, begins = approved(officer, reviewer)
    wait_for(begins + timedelta(seconds=0.5))
    with as_(reviewer):
        by_time = [policy_in_force(), policy_in_force(begins - timedelta(seconds=0.1))]
    assert (activate_due(acme.id), activate_due(acme.id)) == (1, 0)
    with as_(reviewer):
        assert [policy_in_force(), policy_in_force(begins - timedelta(seconds=0.1))] == by_time
    with open_scope(tenant=acme.id, reason="a test"):
        row = PolicyVersion.objects.get(id=version.id)
        assert (row.status, row.valid_from) == (VersionStatus.ACTIVE, begins)
        assert PolicyVersion.objects.get(number=1).valid_to == begins
        event = Event.objects.get(action="intents.policy.activated", subject_id=version.id)
        assert event.payload["core"]["valid_from"] == begins.isoformat()
        assert event.occurred_at > begins + timedelta(seconds=0.4)


def test_who_could_reach_what_is_answered_by_the_times_too(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    _, begins = approved(officer, reviewer)
    wait_for(begins)
    moments = (begins - timedelta(milliseconds=1), begins)
    with open_scope(tenant=acme.id, reason="a test"):
        answers = [access_ask(user="olivia", at=at, intent="performance") for at in moments]
    assert [each.policy and each.policy.number for each in answers] == [1, 2]
    assert [each.policy and each.policy.valid_to for each in answers] == [begins, None]


def test_versions_of_one_tenant_follow_one_another_by_their_times(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    late, soon = submitted(officer), submitted(officer)
    late_begins = approve(late, reviewer, in_s=4.0)
    begins = approve(soon, reviewer)
    wait_for(late_begins)
    with as_(reviewer):
        assert [policy_in_force(at).number for at in (begins, late_begins)] == [soon.number, late.number]
        assert policy_in_force().number == late.number


def test_an_approval_at_once_comes_after_what_was_due_and_not_recorded(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    _, begins = approved(officer, reviewer)
    wait_for(begins)
    third = submitted(officer, narrower)
    with as_(reviewer):
        assert version_approve(third.id).status == VersionStatus.ACTIVE
        told = [(each.number, each.status, each.valid_from, each.valid_to) for each in PolicyVersion.objects.all()]
        last = PolicyVersion.objects.get(id=third.id).valid_from
    assert [each[:2] for each in told] == [(3, "active"), (2, "superseded"), (1, "superseded")]
    assert [each[2:] for each in told][:2] == [(last, None), (begins, last)]


@pytest.mark.parametrize("raw", [False, True])
def test_what_is_in_force_by_time_is_not_withdrawn(
    acme: Firm, officer: Principal, reviewer: Principal, raw: bool
) -> None:
    version, begins = approved(officer, reviewer)
    wait_for(begins)
    with as_(officer):
        if raw:
            with pytest.raises(IntegrityError, match="is in force since"), transaction.atomic():
                PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.WITHDRAWN)
        else:
            with pytest.raises(NotWithdrawableError, match="In force"):
                version_withdraw(version.id, reason="Too late.")
        assert policy_in_force().number == version.number


def test_the_database_records_versions_in_the_order_of_their_times_alone(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    first, second = submitted(officer), submitted(officer)
    approve(first, reviewer)
    wait_for(approve(second, reviewer))
    with (
        open_scope(tenant=acme.id, reason="a test"),
        pytest.raises(IntegrityError, match="in the order of their times"),
        transaction.atomic(),
    ):
        PolicyVersion.objects.filter(id=second.id).update(status=VersionStatus.ACTIVE)
