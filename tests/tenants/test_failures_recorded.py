"""A failure is recorded whatever breaks between the act and its event: it is rolled back, and the log says so still."""

from __future__ import annotations

import logging
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from apps.audit.errors import UnregisteredActionError
from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.retrieval.events import FAILED, REJECTED
from apps.tenants import context
from apps.tenants.context import open_scope, record_failure
from apps.tenants.events import emit
from apps.tenants.models import Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


@pytest.fixture
def ann(acme: Firm) -> Principal:
    return make_member(acme, "ann", Role.ANALYST)


class ActError(Exception):
    """What the act itself ends with."""


def failure(code: str, **more: Any) -> dict[str, Any]:
    return {"action": REJECTED, "core": {"code": code, "length_chars": 1}, "outcome": Outcome.REFUSED, **more}


def recorded(firm: Firm) -> list[tuple[str, str]]:
    """The code of each failure, and who the event says that it was."""
    with open_scope(tenant=firm.id, reason="a test"):
        events = list(Event.objects.filter(action__in=(REJECTED, FAILED)).order_by("id"))
        payloads = payloads_of(events, groups=[Group.CORE])
        return [(payloads[each.id][Group.CORE]["code"], each.actor_label) for each in events]


def kill() -> None:
    """End the session of this thread's connection, as a failing server would."""
    pid = connection.connection.info.backend_pid
    with psycopg.connect(admin_dsn(), autocommit=True) as server:
        server.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_a_connection_that_breaks_after_the_failure_loses_nothing(acme: Firm, ann: Principal) -> None:
    with pytest.raises(DatabaseError), open_scope(tenant=acme.id, principal=ann):  # noqa: PT012 - in this order
        record_failure(**failure("one"))
        kill()
        Scope.objects.count()
    assert recorded(acme) == [("one", "ann")]


def test_a_connection_that_breaks_before_anybody_notices_loses_nothing(acme: Firm, ann: Principal) -> None:
    with pytest.raises(DatabaseError), open_scope(tenant=acme.id, principal=ann):  # noqa: PT012 - in this order
        record_failure(**failure("one"))
        record_failure(**failure("two"))
        kill()
    assert recorded(acme) == [("one", "ann"), ("two", "ann")]


def test_a_transaction_that_is_marked_to_be_rolled_back_loses_nothing(acme: Firm, ann: Principal) -> None:
    with open_scope(tenant=acme.id, principal=ann):
        record_failure(**failure("one"))
        transaction.set_rollback(True)
    assert recorded(acme) == [("one", "ann")]


def test_a_connection_that_breaks_between_two_events_loses_neither(
    acme: Firm, ann: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def emitting(**event: Any) -> None:
        if len(written) == 1:
            kill()
        written.append(event["core"]["code"])
        emit(**event)

    monkeypatch.setattr(context, "emit", emitting)
    with pytest.raises(DatabaseError), open_scope(tenant=acme.id, principal=ann):  # noqa: PT012 - in this order
        record_failure(**failure("one"))
        record_failure(**failure("two"))
    # The first was written in the transaction that broke, and again after it.
    assert written == ["one", "two", "one", "two"]
    assert recorded(acme) == [("one", "ann"), ("two", "ann")]


def test_one_that_can_not_be_written_takes_no_other_with_it(
    acme: Firm, ann: Principal, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_twice() -> None:
        with open_scope(tenant=acme.id, principal=ann):
            record_failure(**{**failure("one"), "action": "nobody.knows.this"})
            record_failure(**failure("two"))

    with (
        caplog.at_level(logging.CRITICAL, logger="glassbox.tenants"),
        pytest.raises(UnregisteredActionError),
    ):
        fail_twice()
    assert recorded(acme) == [("two", "ann")]
    assert f"nobody.knows.this of tenant {acme.id} is not recorded" in caplog.text


def test_what_was_written_in_a_scope_that_is_undone_is_written_again(acme: Firm, ann: Principal) -> None:
    with pytest.raises(ActError), open_scope(tenant=acme.id, principal=ann):  # noqa: PT012 - in this order
        record_failure(**failure("one"))
        emit(**failure("undone"))
        raise ActError
    assert recorded(acme) == [("one", "ann")]


def test_of_somebody_who_may_not_any_more_the_system_records_it_with_their_id(acme: Firm, ann: Principal) -> None:
    alpha = acme.scopes["fund:alpha"].id
    with pytest.raises(ActError), open_scope(tenant=acme.id, scopes=[], principal=ann):  # noqa: PT012 - in this order
        # Of a scope that the transaction does not hold: the database refuses the event in their name.
        record_failure(**failure("one", scopes=[alpha]))
        raise ActError
    assert recorded(acme) == [("one", f"system, for user {ann.id}")]


def test_what_was_asked_is_in_the_event_of_a_failure(acme: Firm, ann: Principal) -> None:
    digest = {"hmac_sha256": "0" * 64, "key_epoch": "2026-Q1"}
    with pytest.raises(ActError), open_scope(tenant=acme.id, principal=ann):  # noqa: PT012 - in this order
        record_failure(action=FAILED, core={"code": "x"}, question=digest, outcome=Outcome.FAILED)
        raise ActError
    with open_scope(tenant=acme.id, reason="a test"):
        (event,) = Event.objects.filter(action=FAILED)
        assert payloads_of([event], groups=[Group.QUESTION])[event.id][Group.QUESTION] == digest
