"""Removing from the log: authorised and sealed first, executed after, and told from a theft ever since."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import DatabaseError, transaction

from apps.audit.ids import new_id
from apps.audit.models import Event, Payload
from apps.audit.registry import Group
from apps.audit.selectors import GroupState, readings_of
from apps.audit.services import record
from apps.audit.verify.findings import FindingClass
from apps.erasure.log_removal import Execution, Removal, RemovalReason, payload_erase, removals_execute
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.audit import acting
from tests.audit.acting import sealed, verified_log
from tests.audit.forging import ANSWERED
from tests.audit.mutations import acting_as
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)

REASON = RemovalReason.ERASURE_REQUEST


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def asked(firm: Firm, *, seal: bool = True) -> Event:
    with open_scope(tenant=firm.id, reason="a test"):
        alpha = firm.scope_ids("fund:alpha")
        event = record(action=ANSWERED, core={"intent": "x"}, question={"text": "Who is ill?"}, scopes=alpha)
    if seal:
        sealed(firm)
    return event


def authorised(firm: Firm, event: Event, *groups: Group, seal: bool = True) -> UUID:
    found = acting.authorised(firm.id, [Removal(event_id=event.id, group=group) for group in groups], REASON)
    if seal:
        sealed(firm)
    return UUID(str(found.id))


def executed(firm: Firm, authorising: UUID) -> Execution:
    with acting_as("glassbox_eraser"), open_scope(tenant=firm.id, reason="a test"):
        return removals_execute(authorising_event_id=authorising)


def kinds(firm: Firm) -> set[FindingClass]:
    return set(verified_log(firm).totals)


def test_from_the_first_step_to_the_last_the_log_says_where_it_stands(acme: Firm) -> None:
    event = asked(acme)
    authorising = authorised(acme, event, Group.QUESTION, Group.ACTOR)
    assert kinds(acme) == {FindingClass.INCOMPLETE_ERASURE}
    assert executed(acme, authorising) == Execution(removed=2, gone=0)
    assert kinds(acme) == set()
    with open_scope(tenant=acme.id, reason="a test"):
        found = Event.objects.get(id=event.id)
        assert found.actor_label == ""
        reading = readings_of([found])[event.id]
        assert reading.states == {
            "core": GroupState.INTACT,
            "question": GroupState.REMOVED,
            "actor": GroupState.REMOVED,
        }
        told = Event.objects.get(id=authorising)
        assert told.scope_ids == event.scope_ids
        assert told.payload["core"] == {
            "reason_code": "erasure_request",
            "removals": [
                {"event_id": str(event.id), "group": "actor"},
                {"event_id": str(event.id), "group": "question"},
            ],
        }


def test_executing_goes_on_where_it_was_interrupted(acme: Firm) -> None:
    event = asked(acme)
    authorising = authorised(acme, event, Group.QUESTION, Group.ACTOR)
    with acting_as("glassbox_eraser"):
        with transaction.atomic(), open_scope(tenant=acme.id, reason="a test"):
            assert removals_execute(authorising_event_id=authorising).removed == 2
            transaction.set_rollback(True)
        with open_scope(tenant=acme.id, reason="a test"):
            assert removals_execute(authorising_event_id=authorising) == Execution(removed=2, gone=0)
    assert executed(acme, authorising) == Execution(removed=0, gone=2)


def test_before_it_is_sealed_nothing_is_removed(acme: Firm) -> None:
    event = asked(acme)
    authorising = authorised(acme, event, Group.QUESTION, seal=False)
    with raises_code("audit.removal_not_sealed"):
        executed(acme, authorising)
    sealed(acme)
    assert executed(acme, authorising).removed == 1


def test_an_event_that_authorises_nothing_executes_nothing(acme: Firm) -> None:
    event = asked(acme)
    for id in (event.id, new_id()):
        with raises_code("audit.removal_not_sealed"):
            executed(acme, id)


def test_whoever_serves_requests_executes_nothing(acme: Firm) -> None:
    authorising = authorised(acme, asked(acme), Group.QUESTION)
    with open_scope(tenant=acme.id, reason="a test"):
        with pytest.raises(DatabaseError, match="permission denied for function"), transaction.atomic():
            removals_execute(authorising_event_id=authorising)
        assert Payload.objects.filter(group="question").exists()


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.DPO])
def test_only_who_manages_privacy_authorises(acme: Firm, role: Role) -> None:
    event, other = asked(acme), make_member(acme, "otto", role)
    with open_scope(tenant=acme.id, principal=other), pytest.raises(PermissionDeniedError):
        payload_erase(removals=[Removal(event_id=event.id, group=Group.QUESTION)], reason_code=REASON)


def test_what_is_not_there_or_not_sealed_or_is_a_proof_can_not_be_named(acme: Firm) -> None:
    event, late = asked(acme), asked(acme, seal=False)
    with raises_code("audit.removal_refused", match="is not sealed yet"):
        authorised(acme, late, Group.QUESTION)
    with raises_code("audit.removal_refused", match="removed before, or never written"):
        authorised(acme, event, Group.PASSAGES)
    with raises_code("audit.removal_refused", match="no such event"):
        authorised(acme, Event(id=new_id()), Group.CORE)
    authorising = authorised(acme, event, Group.QUESTION)
    with raises_code("audit.removal_refused", match="authorises removals, and so must stay"):
        authorised(acme, Event(id=authorising), Group.CORE)
    executed(acme, authorising)
    with raises_code("audit.removal_refused", match="removed before"):
        authorised(acme, event, Group.QUESTION)


def test_an_event_of_another_tenant_is_not_there(acme: Firm) -> None:
    bolt = make_firm("bolt")
    with raises_code("audit.removal_refused", match="no such event"):
        authorised(acme, asked(bolt), Group.QUESTION)


def test_so_many_at_once_and_no_more(acme: Firm) -> None:
    for count in (0, 1_001):
        removals = [Removal(event_id=new_id(), group=Group.CORE) for _ in range(count)]
        with open_scope(tenant=acme.id, reason="a test"), raises_code("audit.too_many_removals", match=str(count)):
            payload_erase(removals=removals, reason_code=REASON)
