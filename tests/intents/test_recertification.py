"""Recertifications: each grant is confirmed or ended by its owner, nobody's own, once, with a reason, until its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.intents.errors import RecertificationError
from apps.intents.models import CertifiedGrant, GrantDecision, Recertification
from apps.intents.services.recertification import (
    grant_decide,
    owner_change,
    recertification_begin,
    recertification_close,
)
from apps.intents.services.recertification_reminders import owners_remind, remind_due
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Grant, Membership
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_create
from apps.tenants.services.members import membership_revoke
from tests.factories import Firm, as_, make_firm, make_key, make_member, make_personal_key, make_user
from tests.raising import raises_code

pytestmark = pytest.mark.django_db

CONFIRMED, ENDED = GrantDecision.CONFIRMED, GrantDecision.ENDED
SOON = timedelta(days=14)


@pytest.fixture
def olga(acme: Firm) -> Principal:
    return make_member(acme, "olga", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def wanda(acme: Firm) -> Principal:
    """Owns grants: an auditor, who manages no members."""
    return make_member(acme, "wanda", Role.AUDITOR)


@pytest.fixture
def ann(acme: Firm) -> Principal:
    return make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])


def begin(by: Principal, *owners: Principal, **more: Any) -> Recertification:
    with as_(by):
        return recertification_begin(
            owner_ids=[owner.id for owner in owners if owner.id], due_at=timezone.now() + SOON, **more
        )


def of(firm: Firm, holder: Principal | None) -> CertifiedGrant:
    with open_scope(tenant=firm.id, reason="a test"):
        found: CertifiedGrant = CertifiedGrant.objects.get(holder_id=holder.id if holder else None)
        return found


def decide(
    by: Principal, certified: CertifiedGrant, decision: GrantDecision = CONFIRMED, reason: str = "Needed."
) -> None:
    with as_(by):
        grant_decide(certified_id=certified.id, decision=decision, reason=reason)


def refused(code: str, by: Principal, certified: CertifiedGrant, **said: Any) -> None:
    with pytest.raises(RecertificationError) as raised:
        decide(by, certified, **said)
    assert raised.value.code == f"intents.recertification_{code}"


def cores(firm: Firm, action: str) -> list[dict[str, Any]]:
    with open_scope(tenant=firm.id, reason="a test"):
        events = list(Event.objects.filter(action=f"intents.recertification.{action}").order_by("occurred_at"))
        payloads = payloads_of(events)
        return [dict(payloads[event.id]["core"]) for event in events]


# --- Begin ------------------------------------------------------------------------------------------------------------


def test_each_valid_grant_has_the_first_owner_who_is_not_its_holder(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    gone = make_member(acme, "gone", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=gone.id))
    made = begin(olga, wanda, olga)
    assert made.grant_count == 3
    owners = {(of(acme, each).owner_id) for each in (olga, ann)}
    assert owners == {wanda.id}
    assert of(acme, wanda).owner_id == olga.id
    (core,) = cores(acme, "begun")
    assert (core["grants"], core["owner_ids"]) == (3, [str(wanda.id), str(olga.id)])


def test_it_is_narrowed_by_roles_and_scopes(acme: Firm, olga: Principal, wanda: Principal, ann: Principal) -> None:
    make_key(acme, Role.ANALYST, scopes=["fund:beta"])
    begin(olga, wanda, roles=[Role.ANALYST], scope_ids=acme.scope_ids("fund:beta"))
    assert (of(acme, None).role, of(acme, None).api_key_id is not None) == (Role.ANALYST, True)


def test_a_personal_keys_grant_is_that_of_its_person(acme: Firm, olga: Principal, wanda: Principal) -> None:
    make_member(acme, "ann", Role.ANALYST)
    make_personal_key(acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
    begin(olga, wanda, roles=[Role.ANALYST], scope_ids=acme.scope_ids("fund:alpha"))
    with open_scope(tenant=acme.id, reason="a test"):
        (row,) = CertifiedGrant.objects.all()
        assert row.holder_id == Membership.objects.get(user__username="ann").user_id


@pytest.mark.parametrize(
    ("owners", "more", "code"),
    [
        (("wanda",), {}, "no_owner"),
        ((), {}, "owners"),
        (("stranger",), {}, "owners"),
        (("narrow",), {"roles": [Role.COMPLIANCE_OFFICER]}, "no_owner"),
        (("wanda",), {"roles": [Role.DPO]}, "no_grants"),
        (("wanda", "olga"), {"due_at": timedelta(seconds=-1)}, "due"),
    ],
)
def test_what_can_not_begin_says_why(
    acme: Firm, olga: Principal, wanda: Principal, owners: Sequence[str], more: dict[str, Any], code: str
) -> None:
    people = {
        "olga": olga,
        "wanda": wanda,
        "narrow": make_member(acme, "narrow", Role.AUDITOR, scopes=["fund:alpha"]),
        "stranger": make_member(make_firm("bolt"), "stranger", Role.AUDITOR),
    }
    said = {"due_at": SOON, **more}
    said["due_at"] = timezone.now() + said["due_at"]
    with as_(olga), pytest.raises(RecertificationError) as raised:
        recertification_begin(owner_ids=[people[each].id for each in owners if people[each].id], **said)  # type: ignore[misc]
    assert raised.value.code == f"intents.recertification_{code}"


def test_only_an_officer_begins_and_closes(acme: Firm, olga: Principal, wanda: Principal) -> None:
    with as_(wanda), pytest.raises(PermissionDeniedError):
        recertification_begin(owner_ids=[], due_at=timezone.now() + SOON)
    made = begin(olga, wanda, olga)
    with as_(wanda), pytest.raises(PermissionDeniedError):
        recertification_close(made.id)


# --- Decide -----------------------------------------------------------------------------------------------------------


def test_a_confirmed_grant_goes_on_and_the_decision_is_recorded(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    begin(olga, wanda, roles=[Role.ANALYST])
    decide(wanda, of(acme, ann), reason="  Manages Alpha.  ")
    row = of(acme, ann)
    assert (row.decision, row.reason, row.decided_by_id) == ("confirmed", "Manages Alpha.", wanda.id)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Grant.objects.get(id=row.grant_id).valid_to is None
    (core,) = cores(acme, "decided")
    assert (core["decision"], core["grant_id"], core["is_late"]) == ("confirmed", str(row.grant_id), False)
    assert "Alpha" not in str(core)


def test_an_ended_grant_ends_by_the_service_and_the_other_grants_stay(
    acme: Firm, olga: Principal, wanda: Principal
) -> None:
    ann = make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    begin(olga, wanda, roles=[Role.ANALYST], scope_ids=acme.scope_ids("fund:alpha"))
    decide(wanda, of(acme, ann), decision=ENDED, reason="Left the team.")
    with open_scope(tenant=acme.id, reason="a test"):
        assert [each.scope.key for each in Grant.objects.filter(membership__user_id=ann.id, valid_to__isnull=True)] == [
            "fund:beta"
        ]
        event = Event.objects.get(action="tenants.grant.ended")
    # Wanda manages no members: the platform carries out what she decided, in the same transaction.
    assert event.actor_kind == "system"


def test_an_administrator_ends_in_their_own_name(acme: Firm, olga: Principal, ann: Principal) -> None:
    amy = make_member(acme, "amy", Role.TENANT_ADMIN)
    begin(olga, amy, roles=[Role.ANALYST])
    decide(amy, of(acme, ann), decision=ENDED)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.get(action="tenants.grant.ended").actor_id == amy.id


def test_a_tenants_key_is_ended_too(acme: Firm, olga: Principal, wanda: Principal) -> None:
    make_key(acme, Role.ANALYST, scopes=["fund:beta"])
    begin(olga, wanda, roles=[Role.ANALYST])
    decide(wanda, of(acme, None), decision=ENDED)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Grant.objects.get(api_key__isnull=False).valid_to is not None


def test_nobody_but_the_owner_decides_and_only_once(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    begin(olga, wanda, roles=[Role.ANALYST])
    for other in (olga, ann):
        refused("not_owner", other, of(acme, ann))
    refused("reason", wanda, of(acme, ann), reason=" ")
    decide(wanda, of(acme, ann))
    refused("decided", wanda, of(acme, ann), decision=ENDED)


def test_a_grant_that_ended_meanwhile_is_not_confirmed(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    begin(olga, wanda, roles=[Role.ANALYST])
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=ann.id))
    refused("gone", wanda, of(acme, ann))
    decide(wanda, of(acme, ann), decision=ENDED, reason="Left before.")


def test_another_owner_is_named_by_an_officer_and_is_never_the_holder(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    begin(olga, wanda, roles=[Role.ANALYST])
    with as_(wanda), pytest.raises(PermissionDeniedError):
        owner_change(certified_id=of(acme, ann).id, owner_id=olga.id)  # type: ignore[arg-type]
    with as_(olga), pytest.raises(RecertificationError, match="nobody answers for their own grant"):
        owner_change(certified_id=of(acme, ann).id, owner_id=ann.id)  # type: ignore[arg-type]
    with as_(olga):
        owner_change(certified_id=of(acme, ann).id, owner_id=olga.id)  # type: ignore[arg-type]
    refused("not_owner", wanda, of(acme, ann))
    decide(olga, of(acme, ann))


# --- The end ----------------------------------------------------------------------------------------------------------


def test_a_closed_recertification_does_not_change_and_its_end_counts_all(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    made = begin(olga, wanda, olga)
    decide(wanda, of(acme, ann), decision=ENDED)
    with as_(olga):
        recertification_close(made.id)
    refused("closed", olga, of(acme, wanda))
    with as_(olga), pytest.raises(RecertificationError):
        recertification_close(made.id)
    (core,) = cores(acme, "closed")
    assert core == {"confirmed": 0, "ended": 1, "undecided": 2, "late": 0}


def test_a_late_decision_is_told_as_late(acme: Firm, olga: Principal, wanda: Principal, ann: Principal) -> None:
    made = begin(olga, wanda, roles=[Role.ANALYST])
    with pytest.MonkeyPatch.context() as patch:
        later = made.due_at + timedelta(hours=1)
        patch.setattr("django.utils.timezone.now", lambda: later)
        decide(wanda, of(acme, ann))
    assert [core["is_late"] for core in cores(acme, "decided")] == [True]


# --- Reminders --------------------------------------------------------------------------------------------------------


def test_owners_are_told_at_the_beginning_and_by_the_clock_at_most_once_in_three_days(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        made = begin(olga, wanda, roles=[Role.ANALYST])
    assert [letter.to for letter in mail.outbox] == [["wanda@example.com"]]
    assert "ann" not in str(mail.outbox[0].body)
    assert remind_due(acme.id) == 0
    near, sent = made.due_at - timedelta(days=6), []
    for day in range(5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("django.utils.timezone.now", lambda at=near + timedelta(days=day): at)
            sent.append(remind_due(acme.id))
    assert sent == [1, 0, 0, 1, 0]
    assert [(core["waiting"], core["is_overdue"]) for core in cores(acme, "reminded")] == [(1, False), (1, False)]


def test_nobody_is_reminded_of_what_is_decided(acme: Firm, olga: Principal, wanda: Principal, ann: Principal) -> None:
    made = begin(olga, wanda, roles=[Role.ANALYST])
    decide(wanda, of(acme, ann))
    with as_(olga):
        assert owners_remind(made.id) == 0


# --- What the database holds by itself --------------------------------------------------------------------------------


def write(by: Principal, statement: str, *parameters: Any) -> None:
    """Run a statement as the application's role, as whoever holds any SQL at all would."""
    with as_(by), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)


_DECIDE = (
    "UPDATE intents_certifiedgrant SET decision = %s, reason = 'So.', decided_by_id = %s, decided_at = now() "
    "WHERE id = %s"
)


def test_the_database_refuses_the_own_grant_even_of_a_named_owner(acme: Firm, olga: Principal, ann: Principal) -> None:
    made = begin(olga, olga, roles=[Role.ANALYST])
    row = of(acme, ann)
    for statement in ("UPDATE intents_certifiedgrant SET owner_id = %s WHERE id = %s",):
        with pytest.raises(IntegrityError, match="nobody answers for their own grant"):
            write(olga, statement, ann.id, row.id)
    with pytest.raises(IntegrityError, match="whoever begins a recertification"):
        write(
            ann,
            "INSERT INTO intents_certifiedgrant (tenant_id, scope_id, recertification_id, grant_id, role, owner_id, "
            "decision, reason) VALUES (%s, %s, %s, %s, 'analyst', %s, '', '')",
            *(acme.id, row.scope_id, made.id, row.grant_id, olga.id),
        )


def test_the_database_takes_a_decision_from_the_owner_alone_and_keeps_it(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    begin(olga, wanda, roles=[Role.ANALYST])
    row = of(acme, ann)
    for other in (olga, ann):
        with pytest.raises(IntegrityError, match="confirmed or ended by its owner"):
            write(other, _DECIDE, "confirmed", other.id, row.id)
    with pytest.raises(IntegrityError, match="one that is ended is not"):
        write(wanda, _DECIDE, "ended", wanda.id, row.id)
    # In the name and at the time of who acts, whatever is written.
    write(wanda, _DECIDE, "confirmed", olga.id, row.id)
    assert of(acme, ann).decided_by_id == wanda.id
    with pytest.raises(IntegrityError, match="does not change"):
        write(wanda, "UPDATE intents_certifiedgrant SET reason = 'Else.' WHERE id = %s", row.id)


def test_the_database_keeps_what_is_closed_and_who_closed_it(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    made = begin(olga, wanda, roles=[Role.ANALYST])
    with pytest.raises(IntegrityError, match="closed by a person who may edit policies"):
        write(wanda, "UPDATE intents_recertification SET closed_at = now(), closed_by_id = %s", wanda.id)
    with pytest.raises(IntegrityError, match="stays as it was begun"):
        write(olga, "UPDATE intents_recertification SET due_at = due_at + interval '1 year'")
    write(olga, "UPDATE intents_recertification SET closed_at = now(), closed_by_id = %s", ann.id)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Recertification.objects.get(id=made.id).closed_by_id == olga.id
    row = of(acme, ann)
    with pytest.raises(IntegrityError, match="closed does not change"):
        write(wanda, _DECIDE, "confirmed", wanda.id, row.id)
    with pytest.raises(IntegrityError, match="closed does not change"):
        write(olga, "UPDATE intents_recertification SET closed_at = NULL")
    with pytest.raises(ProgrammingError, match="permission denied"):
        write(olga, "DELETE FROM intents_certifiedgrant")


def test_a_grant_outside_the_readers_scopes_is_not_seen(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal
) -> None:
    begin(olga, wanda, roles=[Role.ANALYST])
    other = make_member(acme, "otto", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])
    bolt = make_member(make_firm("bolt"), "ben", Role.COMPLIANCE_OFFICER)
    for reader, campaigns in ((other, 1), (bolt, 0)):
        with as_(reader):
            assert CertifiedGrant.objects.count() == 0
            assert Recertification.objects.count() == campaigns


def _key_made_by(firm: Firm, maker: Principal) -> None:
    with as_(maker):
        api_key_create(name="portal", role=Role.ANALYST, scopes=[firm.scopes["fund:beta"]])


def test_whoever_made_a_key_does_not_certify_it_and_may_end_it(acme: Firm, olga: Principal) -> None:
    """Its maker has read its secret: the key is a second way in for them, as a second account would be."""
    tessa = make_member(acme, "tessa", Role.TENANT_ADMIN)
    _key_made_by(acme, tessa)
    begin(olga, tessa, roles=[Role.ANALYST], scope_ids=acme.scope_ids("fund:beta"))
    row = of(acme, None)
    refused("own_key", tessa, row)
    with pytest.raises(IntegrityError, match="a key that they made"):
        write(tessa, _DECIDE, "confirmed", tessa.id, row.id)
    decide(tessa, row, ENDED)
    assert of(acme, None).decision == ENDED


def test_a_keys_grant_goes_to_an_owner_who_did_not_make_it(acme: Firm, olga: Principal, wanda: Principal) -> None:
    tessa = make_member(acme, "tessa", Role.TENANT_ADMIN)
    _key_made_by(acme, tessa)
    begin(olga, tessa, wanda, roles=[Role.ANALYST], scope_ids=acme.scope_ids("fund:beta"))
    assert of(acme, None).owner_id == wanda.id
    decide(wanda, of(acme, None))
    assert of(acme, None).decision == CONFIRMED


def test_an_owner_ends_no_grant_but_the_one_in_the_campaign(acme: Firm, olga: Principal, wanda: Principal) -> None:
    """The platform ends it in the owner's stead: of the same holder nothing else, nor in another tenant's directory."""
    with open_scope(tenant=acme.id, reason="a test"):
        before = set(Grant.objects.filter(valid_to__isnull=True).values_list("id", flat=True))
    ann = make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    bolt = make_firm("bolt")
    theirs = make_member(bolt, "ben", Role.ANALYST)
    begin(olga, wanda, roles=[Role.ANALYST], scope_ids=acme.scope_ids("fund:alpha"))
    row = of(acme, ann)
    with as_(make_member(bolt, "bea", Role.AUDITOR)), pytest.raises(RecertificationError):
        grant_decide(certified_id=row.id, decision=ENDED, reason="Mine now.")
    for column, value in (("grant_id", next(iter(before))), ("scope_id", acme.scopes["fund:beta"].id)):
        with pytest.raises((IntegrityError, ProgrammingError)):
            write(wanda, f"UPDATE intents_certifiedgrant SET {column} = %s WHERE id = %s", value, row.id)
    decide(wanda, row, ENDED)
    with open_scope(tenant=acme.id, reason="a test"):
        left = Grant.objects.filter(membership__user_id=ann.id, valid_to__isnull=True)
        assert list(left.values_list("scope_id", flat=True)) == [acme.scopes["fund:beta"].id]
        assert before <= set(Grant.objects.filter(valid_to__isnull=True).values_list("id", flat=True))
    with open_scope(tenant=bolt.id, reason="a test"):
        assert Grant.objects.filter(membership__user_id=theirs.id, valid_to__isnull=True).exists()


def test_a_second_account_of_the_holder_decides_nothing(acme: Firm, olga: Principal, wanda: Principal) -> None:
    amy = make_member(acme, "amy", Role.TENANT_ADMIN)
    with as_(amy):
        make_user("anna")
    anna = make_member(acme, "anna", Role.AUDITOR)
    begin(olga, anna, wanda, roles=[Role.TENANT_ADMIN])
    row = of(acme, amy)
    assert row.owner_id == anna.id
    for decision in (CONFIRMED, ENDED):
        refused("own", anna, row, decision=decision)
    with pytest.raises(IntegrityError, match="nobody certifies their own grant"):
        write(anna, _DECIDE, "confirmed", anna.id, row.id)
    with as_(olga):
        assert wanda.id is not None
        owner_change(certified_id=row.id, owner_id=wanda.id)
    decide(wanda, row)
    assert of(acme, amy).decision == CONFIRMED


def test_nobody_decides_without_a_second_factor_that_was_just_used(
    acme: Firm, olga: Principal, wanda: Principal, ann: Principal, settings: LazySettings
) -> None:
    """The control is every other test here: the same decision, where the installation asks for none."""
    begin(olga, wanda, roles=[Role.ANALYST])
    row = of(acme, ann)
    settings.GLASSBOX_REQUIRE_SECOND_FACTOR = True
    with raises_code("tenants.step_up_needed"):
        decide(wanda, row)
    for said in (wanda, replace(wanda, stepped_up=True)):
        # The second one claims a factor that the account does not have.
        with pytest.raises(IntegrityError, match="right after the second factor was used"):
            write(said, _DECIDE, "confirmed", wanda.id, row.id)
    assert of(acme, ann).decision == GrantDecision.WAITING
