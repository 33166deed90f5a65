from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.intents.baseline import baseline_snapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.versions import policy_draft_create, policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.errors import NoScopeError
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_user
from tests.intents.steps import acting, draft, step

pytestmark = pytest.mark.django_db


def second_version() -> PolicyVersion:
    """Version 2, in force, written by Alice and approved by Bob."""
    alice, bob = make_user("alice"), make_user("bob")
    version = draft(author=alice)
    with acting(alice):
        step(version, total_cap_chars=2048)
        step(version, status=VersionStatus.IN_REVIEW)
    with acting(bob, Role.REVIEWER):
        step(version, status=VersionStatus.APPROVED, approver=bob, approver_label="bob", effective_from=timezone.now())
    return policy_version_activate(version)


def test_the_newest_activated_version_is_in_force(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        second_version()
        assert (policy_in_force().number, policy_in_force().total_cap_chars) == (2, 2048)


def test_the_version_of_an_earlier_instant_is_found(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        first = policy_in_force()
        second = second_version()
        before = second.valid_from - timedelta(microseconds=1)
        assert (policy_in_force(at=before).number, policy_in_force(at=first.valid_from).number) == (1, 1)


def test_the_instant_of_the_change_belongs_to_the_new_version(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        second = second_version()
        assert policy_in_force(at=second.valid_from).number == 2


def test_a_version_read_before_its_end_shows_its_end_afterwards(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        first = policy_in_force()
        second = second_version()
        assert policy_in_force(at=first.valid_from).valid_to == second.valid_from


def test_before_the_first_version_there_was_none(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        earlier = policy_in_force().valid_from - timedelta(seconds=1)
        with pytest.raises(NoPolicyInForceError):
            policy_in_force(at=earlier)


def test_each_tenant_has_its_own_policy(acme: Firm) -> None:
    other = make_firm("other")
    with open_scope(tenant=acme.id, reason="a test"):
        second_version()
    with open_scope(tenant=other.id, reason="a test"):
        assert policy_in_force().number == 1
        assert {version.tenant_id for version in PolicyVersion._base_manager.all()} == {other.id}


def test_no_policy_is_read_without_a_scope() -> None:
    with pytest.raises(NoScopeError):
        policy_in_force()


def test_an_unknown_recording_mode_counts_as_the_strictest(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        draft = policy_draft_create(
            snapshot=baseline_snapshot(), number=2, origin=VersionOrigin.DRAFT, reason="A mode of a later release."
        )
        draft.intents.filter(name="performance").update(recording_mode="summary_only")
        assert version_snapshot(draft).intents[0].recording_mode == "hash_only"
