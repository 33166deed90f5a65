"""Attacks that bring something home: events that audit_record lets through, and that lie or stop the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from apps.audit.ids import new_id
from apps.audit.models import DataKey, Event
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import make_member
from tests.isolation.harness import outcome, rolled_back, sql
from tests.isolation.test_forged_events import ANSWERED, APPROVED, THROUGH, Call, as_person, call
from tests.isolation.world import World


@pytest.fixture(scope="module", autouse=True)
def _people(world: World) -> None:
    world.people["rita"] = make_member(world.acme, "rita", Role.REVIEWER)


def _of(moment: datetime) -> UUID:
    """An id of version 7 that tells this moment."""
    bits = UUID(str(new_id())).int & ((1 << 80) - 1)
    return UUID(int=int(moment.timestamp() * 1000) << 80 | bits)


@pytest.mark.slow
@pytest.mark.parametrize("away", [timedelta(days=-365), timedelta(days=365)], ids=["a year ago", "in a year"])
def test_an_events_id_tells_when_it_was_recorded(world: World, away: timedelta) -> None:
    """Ids are what lists, pages and the sealer go by: "an id tells when its event was recorded" (apps/audit/ids.py)."""
    forged = _of(datetime.now(UTC) + away)
    with rolled_back():
        assert THROUGH not in outcome(as_person(world.people["ann"], lambda: call(world, ANSWERED, id=forged).made()))


def test_who_manages_privacy_authorises_no_removal_alone(world: World) -> None:
    """What is gone from the log is explained by such an event: the eraser's, of a run that two people decided on."""
    dan = world.people["dan"]
    with rolled_back():
        with open_scope(tenant=world.acme.id, reason="a test"):
            victim = Event.objects.values_list("id", flat=True).first()
        made = call(world, "audit.payload.erased")
        assert THROUGH not in outcome(as_person(dan, lambda: _with_terms(made, f"removal:{victim}:actor")))


def _with_terms(made: Call, term: str) -> str:
    sql(
        "SELECT audit_record(%s, '{}', %s, 'success', '', NULL, %s, %s::text[], %s::bytea[], %s::bytea[], %s::text[])",
        made.id,
        made.action,
        made.key,
        made.groups,
        [bytes(32)] * len(made.groups),
        [b"x"] * len(made.groups),
        [term if group == "core" else "" for group in made.groups],
    )
    sql("SET CONSTRAINTS ALL IMMEDIATE")
    return THROUGH


def test_a_term_that_names_a_removal_stands_in_no_other_event(world: World) -> None:
    ann = world.people["ann"]
    with rolled_back():
        with open_scope(tenant=world.acme.id, reason="a test"):
            victim = Event.objects.values_list("id", flat=True).first()
        made = call(world, ANSWERED)
        assert THROUGH not in outcome(as_person(ann, lambda: _with_terms(made, f"removal:{victim}:actor")))


@pytest.mark.parametrize(
    "action",
    [
        "tenants.factor.set_up",
        "tenants.factor.removed",
        "tenants.factor.recovery_codes_made",
        "tenants.user.password_set",
        "tenants.user.mailbox_confirmed",
        "tenants.session.login",
        "tenants.session.login_failed",
    ],
)
def test_what_a_person_did_to_their_account_is_recorded_of_themselves_alone(world: World, action: str) -> None:
    """An analyst writes into the trace of a reviewer's account that its factor was taken away."""
    rita = world.people["rita"]
    with rolled_back():
        forged = as_person(world.people["ann"], lambda: call(world, action, subject=rita.id).made())
        assert THROUGH not in outcome(forged)


@pytest.mark.parametrize("action", [APPROVED, "tenants.membership.confirmed"])
def test_an_event_of_a_decision_takes_the_second_factor_that_the_decision_takes(
    world: World, action: str, settings: Any
) -> None:
    """Somebody in a reviewer's session, without the device, has the log vouch for an approval that never was."""
    settings.GLASSBOX_REQUIRE_SECOND_FACTOR = True
    rita: Principal = replace(world.people["rita"], stepped_up=False)
    assert not rita.may_decide
    with rolled_back():
        assert THROUGH not in outcome(as_person(rita, lambda: call(world, action).made()))


def test_no_event_is_sealed_with_a_key_that_a_request_takes_with_it(world: World) -> None:
    """The key of one request is destroyed when it ends; an event that was sealed with it can't be read from then on."""
    with rolled_back():
        with open_scope(tenant=world.acme.id, principal=world.people["dan"]):
            keys = list(DataKey.objects.exclude(subject_id=None).values_list("id", flat=True))
        assert keys, "a broken test: there is no request"
        ann = world.people["ann"]
        attack: Callable[[], Any] = as_person(ann, lambda: call(world, ANSWERED, key=keys[0]).made())
        assert THROUGH not in outcome(attack)
