"""How long events wait for their leaf: shown, and an alarm above five seconds."""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.core.cache import cache

from apps.audit import tasks
from apps.audit.ids import new_id
from apps.audit.log.export.state import note_problem
from apps.audit.log.lag import SealingLag, sealing_lag
from apps.operations.selectors.signs_of_life import _checkpoints, _sealer
from apps.tenants.context import open_scope
from tests.audit.acting import as_worker, checkpointed, recorded, sealed
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme() -> Firm:
    cache.clear()
    firm = baked(make_firm, "acme")
    sealed(firm)
    return firm


def lag(firm: Firm) -> SealingLag:
    with open_scope(tenant=firm.id, reason="a test"):
        return sealing_lag()


def waits_since(firm: Firm, age: timedelta) -> None:
    """An event whose id says that it was recorded so long ago; there is nothing of it that could be sealed."""
    id = new_id().int - (int(age.total_seconds() * 1000) << 80)
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as admin:
        admin.execute("INSERT INTO audit_unsealed (tenant_id, event_id) VALUES (%s, %s)", [firm.id, UUID(int=id)])


def test_where_nothing_waits_there_is_no_lag(acme: Firm) -> None:
    assert lag(acme) == SealingLag(waiting=0, oldest=timedelta())
    with open_scope(tenant=acme.id, reason="a test"):
        assert (_sealer().alive, _sealer().detail) == (True, "all events sealed")


def test_what_waits_is_counted_with_the_age_of_the_oldest(acme: Firm) -> None:
    recorded(acme, 3)
    waits_since(acme, timedelta(seconds=2))
    found = lag(acme)
    assert (found.waiting, found.is_late) == (4, False)
    assert timedelta(seconds=1.9) < found.oldest < timedelta(seconds=5)


def test_another_tenants_events_are_not_counted(acme: Firm) -> None:
    recorded(make_firm("bolt"), 3)
    assert lag(acme).waiting == 0


def test_above_five_seconds_an_error_is_logged_once_and_the_start_page_says_so(
    acme: Firm, caplog: pytest.LogCaptureFixture
) -> None:
    waits_since(acme, timedelta(seconds=90))
    for _ in range(3):
        assert lag(acme).is_late
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert str(acme.id) in caplog.text
    with open_scope(tenant=acme.id, reason="a test"):
        sign = _sealer()
    assert not sign.alive
    assert sign.detail.startswith("1 event waits, the oldest for 9")


def test_the_sealer_alarms_for_what_waited_while_it_was_away(
    acme: Firm, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_last_run", None)
    waits_since(acme, timedelta(minutes=2))
    with as_worker():
        tasks.seal_all()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_events_that_are_sealed_in_time_alarm_nobody(acme: Firm, caplog: pytest.LogCaptureFixture) -> None:
    recorded(acme, 3)
    with as_worker():
        assert tasks.seal_all() == 3
    assert (caplog.records, lag(acme).waiting) == ([], 0)


def test_an_export_that_fails_is_said_on_the_start_page(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        assert (_checkpoints().alive, _checkpoints().detail) == (True, "none exported yet")
    checkpointed(acme)
    note_problem(acme.id, code="audit.checkpoint_export")
    with open_scope(tenant=acme.id, reason="a test"):
        sign = _checkpoints()
    assert not sign.alive
    assert sign.detail.startswith("exported at ")
    assert sign.detail.endswith("the last attempt failed (audit.checkpoint_export)")
