"""Whose document is next: tenants by turns, small files before large ones, and a place that is kept from both piles."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import DataError, connection
from django.utils import timezone

from apps.corpus.jobs import RunOutcome, next_run
from apps.corpus.models import JobState
from apps.corpus.services.ingest import turns as ingest_turns
from apps.corpus.services.ingest.lease import Lease, RunPolicy, give_back
from apps.corpus.services.ingest.turns import take_next
from apps.tenants.ids import TenantId
from tests.corpus.ingesting import PATIENT, change_job, ingest, job, remote_profile
from tests.factories import Firm, make_firm
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

LARGE = 40_000
_count = iter(range(10_000))


@pytest.fixture(autouse=True)
def _slots(settings: LazySettings, own_cache: None) -> None:
    settings.GLASSBOX_INGEST_SLOTS = 1
    settings.GLASSBOX_INGEST_LARGE_BYTES = LARGE


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture
def bolt() -> Firm:
    return make_firm("bolt")


def small(firm: Firm) -> UUID:
    found: UUID = ingest(firm, f"Note {next(_count)}: fees are 1 %.".encode()).job.id
    return found


def large(firm: Firm) -> UUID:
    found: UUID = ingest(firm, f"Report {next(_count)}. ".encode() + b"Fees are charged. " * (LARGE // 10)).job.id
    return found


def taken() -> Lease | None:
    return take_next(PATIENT)


def next_id() -> UUID | None:
    lease = taken()
    return lease.job_id if lease else None


def done(firm: Firm, job_id: UUID) -> None:
    change_job(firm, job_id, state=JobState.SUCCEEDED, lease_until=None, lease_owner="")


@pytest.mark.slow
def test_a_tenant_does_not_wait_behind_another_one_s_pile(acme: Firm, bolt: Firm) -> None:
    pile = [small(acme) for _ in range(30)]
    own = small(bolt)
    order = []
    for _ in range(3):
        found = next_id()
        assert found is not None
        order.append(found)
        done(acme if found in pile else bolt, found)
    assert own in order[:2]
    assert order.count(own) == 1


def test_tenants_take_turns(acme: Firm, bolt: Firm) -> None:
    of_acme, of_bolt = {small(acme) for _ in range(3)}, {small(bolt) for _ in range(3)}
    firms = []
    for _ in range(6):
        found = next_id()
        assert found is not None
        firms.append("acme" if found in of_acme else "bolt")
        done(acme if found in of_acme else bolt, found)
    assert of_acme.isdisjoint(of_bolt)
    assert firms[0] != firms[1]
    assert firms in (["acme", "bolt"] * 3, ["bolt", "acme"] * 3)


def test_a_small_file_passes_a_large_one_that_came_before_it(acme: Firm) -> None:
    large(acme)
    quick = small(acme)
    assert next_id() == quick


def test_a_large_file_is_not_passed_for_ever(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_turns, "_LATER_AT_MOST_S", 0.5)
    slow = large(acme)
    time.sleep(0.6)
    small(acme)
    assert next_id() == slow


def test_the_last_place_is_kept_for_a_small_file_of_a_tenant_that_has_none(
    acme: Firm, bolt: Firm, settings: LazySettings
) -> None:
    settings.GLASSBOX_INGEST_SLOTS = 2
    reading = large(acme)
    assert next_id() == reading
    large(acme)
    of_acme = small(acme)
    large(bolt)
    assert next_id() is None
    quick = small(bolt)
    assert next_id() == quick
    done(acme, reading)
    assert next_id() == of_acme


def test_one_tenant_alone_may_have_every_place_for_small_files(acme: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_INGEST_SLOTS = 2
    reading = large(acme)
    assert next_id() == reading
    large(acme)
    assert next_id() is None
    quick = small(acme)
    assert next_id() == quick


def test_of_a_worker_that_died_the_place_is_free_again(acme: Firm, bolt: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_INGEST_SLOTS = 2
    first, second = large(acme), large(bolt)
    died = next_id()
    assert died is not None
    change_job(acme if died == first else bolt, died, lease_until=timezone.now() - timedelta(seconds=1))
    assert {next_id()} <= {first, second}


@pytest.mark.django_db(transaction=True)
def test_two_that_look_at_once_take_two_jobs(acme: Firm, bolt: Firm) -> None:
    small(acme)
    small(bolt)
    found: list[UUID | None] = []

    def look() -> None:
        try:
            found.append(next_id())
        finally:
            connection.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each for each in found if each}) == 2
    assert found.count(None) == 2


def test_a_tenant_that_can_t_be_asked_keeps_no_other_waiting(
    acme: Firm, bolt: Firm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    small(acme)
    own = small(bolt)
    scope = ingest_turns.open_scope

    def damaged(*, tenant: TenantId, **more: Any) -> Any:
        if tenant == acme.id:
            raise DataError("a secret of acme's")
        return scope(tenant=tenant, **more)

    monkeypatch.setattr(ingest_turns, "open_scope", damaged)
    assert next_id() == own
    assert f"take the next ingest job failed for {acme.id}: DataError" in caplog.text
    assert "secret" not in caplog.text


def test_a_job_that_is_given_back_is_there_for_the_next(acme: Firm) -> None:
    mine = small(acme)
    lease = taken()
    assert lease is not None
    give_back(lease)
    assert next_id() == mine


def test_what_is_next_is_run_to_its_end(acme: Firm, settings: LazySettings) -> None:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        mine = small(acme)
        assert next_run(policy=RunPolicy()) == (mine, RunOutcome.SUCCEEDED)
    assert next_run() is None
    assert job(acme, mine).state == JobState.SUCCEEDED
