"""The first of two approvals lapses with the role of its giver: nothing comes into force on it, and people are told."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.conf import LazySettings, settings
from django.core import mail

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.intents import tasks
from apps.intents.errors import AlreadyApprovedError
from apps.intents.events import APPROVAL_LAPSED
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.reviewers import TwoFor
from apps.intents.selectors import policy_in_force
from apps.intents.services.approvals import approvals_missing, approvals_of, lapsed_of
from apps.intents.services.notices import own_notices
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Membership
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.audit.forging import superuser
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_reject
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import again, submitted
from tests.intents.test_two_reviewers import approval, approve_by_rows, in_force, refused
from tests.isolation.harness import changed
from tests.model_server import ModelServer
from tests.visitor import Visitor

# On committed rows: a superuser removes some, and takes a trigger away.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def acme(transactional_db: None, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield baked(make_firm, "acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def rita(acme: Firm) -> Principal:
    return make_member(acme, "rita", Role.REVIEWER)


@pytest.fixture
def approved(acme: Firm, olivia: Principal, rupert: Principal, rita: Principal) -> PolicyVersion:
    """In review, approved by rupert as the first of two."""
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = again(acme, submitted(olivia))
    with as_(rupert):
        version_approve(version.id)
    return version


def end_role(acme: Firm, person: Principal) -> None:
    with as_(make_member(acme, "ada", Role.TENANT_ADMIN)):
        membership_revoke(Membership.objects.get(user_id=person.id, revoked_at__isnull=True))


def erase(person: Principal) -> None:
    """As an approved erasure leaves it: no membership, and no name on the approval."""
    with superuser() as administrator:
        for statement in (
            "DELETE FROM tenants_grant WHERE membership_id IN (SELECT id FROM tenants_membership WHERE user_id = %s)",
            "DELETE FROM tenants_membership WHERE user_id = %s",
            "UPDATE intents_policyapproval SET approver_label = '' WHERE approver_id = %s",
        ):
            administrator.execute(statement, [person.id])


# --- By the services --------------------------------------------------------------------------------------------------


def test_once_the_first_has_lost_the_role_two_others_are_needed(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    with as_(rita):
        assert (approvals_missing(approved), len(approvals_of(approved))) == (1, 1)
    end_role(acme, rupert)
    with as_(rita):
        assert (approvals_missing(approved), approvals_of(approved)) == (2, [])
        assert [each.approver_id for each in lapsed_of(approved)] == [rupert.id]
        assert version_approve(approved.id).status == VersionStatus.IN_REVIEW
        assert approvals_missing(approved) == 1
    with as_(make_member(acme, "ron", Role.REVIEWER)):
        assert version_approve(approved.id).status == VersionStatus.ACTIVE


def test_a_role_that_is_given_again_brings_no_approval_back(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    end_role(acme, rupert)
    again_reviewer = make_member(acme, "rupert", Role.REVIEWER)
    with as_(again_reviewer), pytest.raises(AlreadyApprovedError):
        version_approve(approved.id)
    with as_(rita):
        assert version_approve(approved.id).status == VersionStatus.IN_REVIEW


def test_another_role_of_the_first_ends_and_their_approval_stands(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal, approved: PolicyVersion
) -> None:
    make_member(acme, "rupert", Role.ANALYST)
    with as_(make_member(acme, "ada", Role.TENANT_ADMIN)):
        membership_revoke(Membership.objects.get(user_id=rupert.id, role=Role.ANALYST))
    assert tasks.record_lapses() == 0
    with as_(rita):
        assert version_approve(approved.id).status == VersionStatus.ACTIVE


def of_account(person: Principal, change: str) -> None:
    """As the platform's operator changes an account: the database's triggers see it."""
    with psycopg.connect(admin_dsn(), dbname=settings.TEST_DATABASE) as administrator:
        administrator.execute(f"UPDATE tenants_user SET {change} WHERE id = %s", [person.id])


def activate(person: Principal, *, is_active: bool) -> None:
    of_account(person, f"is_active = {is_active}")


def test_the_approval_of_a_deactivated_account_lapses(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    activate(rupert, is_active=False)
    with as_(rita):
        assert [each.approver_id for each in lapsed_of(approved)] == [rupert.id]
        assert approvals_missing(approved) == 2
    assert tasks.record_lapses() == 1
    with as_(rita):
        assert version_approve(approved.id).status == VersionStatus.IN_REVIEW


def test_an_account_that_is_opened_again_brings_no_approval_back(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    activate(rupert, is_active=False)
    activate(rupert, is_active=True)
    with as_(rita):
        assert [each.approver_id for each in lapsed_of(approved)] == [rupert.id]
        assert approvals_missing(approved) == 2
        assert version_approve(approved.id).status == VersionStatus.IN_REVIEW
    with as_(rupert), pytest.raises(AlreadyApprovedError):
        version_approve(approved.id)
    # What is given since then stands.
    with as_(make_member(acme, "ron", Role.REVIEWER)):
        assert version_approve(approved.id).status == VersionStatus.ACTIVE


def test_an_account_that_was_only_changed_keeps_its_approval(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    activate(rupert, is_active=True)
    of_account(rupert, "first_name = 'Ru', opened_again_at = now()")
    with as_(rita):
        assert version_approve(approved.id).status == VersionStatus.ACTIVE


@pytest.mark.parametrize("way", ["role", "account"])
def test_who_may_approve_no_more_gives_no_last_approval(
    acme: Firm, approved: PolicyVersion, rita: Principal, way: str
) -> None:
    """Rita signed in before: her request still has her role."""
    if way == "role":
        end_role(acme, rita)
    else:
        activate(rita, is_active=False)
    with as_(rita), pytest.raises(PermissionDeniedError):
        version_approve(approved.id)
    assert again(acme, approved).status == VersionStatus.IN_REVIEW


# --- People are told --------------------------------------------------------------------------------------------------


def test_the_lapse_is_recorded_once_and_author_and_reviewers_are_told(
    acme: Firm, approved: PolicyVersion, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    assert tasks.record_lapses() == 0
    end_role(acme, rupert)
    assert tasks.record_lapses() == 1
    assert tasks.record_lapses() == 0
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action=APPROVAL_LAPSED)
        core = readings_of([event], groups=[Group.CORE])[event.id].payload[Group.CORE]
    assert (event.subject_id, core["user_id"]) == (approved.id, str(rupert.id))
    for person in (olivia, rita):
        with as_(person):
            assert own_notices()[0].happening == "approval_lapsed"


def test_the_lapse_at_an_erasure_is_recorded_and_told_too(
    acme: Firm, approved: PolicyVersion, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    erase(rupert)
    mail.outbox.clear()
    assert tasks.record_lapses() == 1
    assert tasks.record_lapses() == 0
    assert sorted(letter.to[0] for letter in mail.outbox) == ["olivia@example.com", "rita@example.com"]
    assert "waits for 2 more" in mail.outbox[0].body
    with as_(olivia):
        assert own_notices()[0].happening == "approval_lapsed"
    assert "a reviewer whose name was erased has lapsed" in Visitor("rita").open("policy_review", approved.id).text
    with as_(rita):
        assert version_approve(approved.id).status == VersionStatus.IN_REVIEW


def test_of_a_version_that_was_decided_no_approval_lapses(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    with as_(rita):
        version_reject(approved.id, reason="Too wide.")
    end_role(acme, rupert)
    assert tasks.record_lapses() == 0


def test_the_page_says_that_it_is_waiting_for_more(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    assert "It is waiting for 1 more." in Visitor("rita").open("policy_review", approved.id).text
    end_role(acme, rupert)
    page = Visitor("rita").open("policy_review", approved.id).text
    assert "The approval by rupert has lapsed" in page
    assert "It is waiting for 2 more." in page
    assert "Approve it as the first of two" in page
    assert "It has 0 of 2 approvals." in Visitor("olivia").open("policy_reviews").text


# --- What the database holds by itself --------------------------------------------------------------------------------


def test_no_statement_puts_a_version_in_force_on_an_approval_that_has_lapsed(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    end_role(acme, rupert)
    with as_(rita):
        approval(approved, rita)
        with refused("the first approval has lapsed"):
            approve_by_rows(approved, rita)
    make_member(acme, "rupert", Role.REVIEWER)
    with as_(rita), refused("the first approval has lapsed"):
        approve_by_rows(approved, rita)
    # The control: without the trigger it is in force.
    with changed("DROP TRIGGER intents_version_takes_two_standing ON intents_policyversion"), as_(rita):
        approve_by_rows(approved, rita)
        assert policy_in_force().number == approved.number


def test_no_statement_puts_a_version_in_force_on_the_approval_of_a_deactivated_account(
    acme: Firm, approved: PolicyVersion, rupert: Principal, rita: Principal
) -> None:
    activate(rupert, is_active=False)
    with as_(rita):
        approval(approved, rita)
        with refused("the first approval has lapsed"):
            approve_by_rows(approved, rita)
        activate(rupert, is_active=True)
        with refused("the first approval has lapsed"):
            approve_by_rows(approved, rita)


@pytest.mark.parametrize("way", ["role", "account"])
def test_no_statement_approves_in_the_name_of_who_may_approve_no_more(
    acme: Firm, approved: PolicyVersion, rita: Principal, way: str
) -> None:
    with as_(rita):
        approval(approved, rita)
    if way == "role":
        end_role(acme, rita)
    else:
        activate(rita, is_active=False)
    with as_(rita), refused("may not approve any more"):
        approve_by_rows(approved, rita)
    # The control: without the trigger it is in force.
    with changed("DROP TRIGGER intents_version_who_approves ON intents_policyversion"), as_(rita):
        approve_by_rows(approved, rita)
        assert policy_in_force().number == approved.number


def test_one_approval_is_held_in_the_same_way(acme: Firm, olivia: Principal, rita: Principal) -> None:
    version = again(acme, submitted(olivia))
    end_role(acme, rita)
    with as_(rita), refused("may not approve any more"):
        approve_by_rows(version, rita)


@pytest.mark.parametrize("way", ["role", "account"])
def test_what_ends_meanwhile_waits_for_the_approval(
    acme: Firm, approved: PolicyVersion, rita: Principal, way: str
) -> None:
    """Whoever is asked stands until the approval that rests on it is committed."""
    statement = {
        "role": "UPDATE tenants_membership SET revoked_at = now() WHERE user_id = %s AND revoked_at IS NULL",
        "account": "UPDATE tenants_user SET is_active = false WHERE id = %s",
    }[way]
    with as_(rita):
        approval(approved, rita)
        approve_by_rows(approved, rita)
        with psycopg.connect(admin_dsn(), dbname=settings.TEST_DATABASE) as administrator:
            administrator.execute("SET lock_timeout = '200ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                administrator.execute(statement, [rita.id])
