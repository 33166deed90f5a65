from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from celery import current_app
from celery.contrib.testing.worker import start_worker
from django.conf import LazySettings
from django.conf import settings as configured
from django.core.cache import cache
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.corpus.models import IngestJob
from apps.privacy.models import Inventory
from apps.tenants import clock
from apps.tenants.api import probes
from apps.tenants.registry import Watched
from apps.tenants.waiting import LONG_S, Count
from tests.api.client import PROBLEM, Api

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/health/"


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    probes._health.cache_clear()
    yield
    probes._health.cache_clear()


def the_clock_goes() -> None:
    """As if every task of the schedule had just ended well."""
    for entry in configured.CELERY_BEAT_SCHEDULE.values():
        clock.note(entry["task"])
    clock.note(clock.BEAT)
    clock.note(clock.WATCHDOG)


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without waiting a second for nobody."""
    monkeypatch.setattr(probes, "WORKER_TIMEOUT_S", 0.05)


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch, no_worker: None) -> None:
    monkeypatch.setitem(connections["default"].settings_dict, "HOST", "/nowhere")


@pytest.mark.django_db(transaction=True)  # a worker that starts closes its connections, and asks over new ones
def test_a_worker_that_answers_makes_it_whole(own_cache: None) -> None:
    with start_worker(current_app, perform_ping_check=False, pool="solo", shutdown_timeout=5.0):
        the_clock_goes()
        parts = (
            "database",
            "migrations",
            "vectors",
            "redis",
            "worker",
            "log",
            "verification",
            "removals",
            "schedule",
            "queues",
            "sessions",
            "webhooks",
        )
        assert Api().get(ADDRESS).json() == {
            "status": "ok",
            "checks": dict.fromkeys(parts, "ok"),
            "log": {"sealing_lag_s": 0, "verification_age_s": None},
            "queues": {"documents": None, "searches": None, "previews": None, "research": None},
            "late": [],
        }


def test_what_waits_for_a_worker_is_told_by_kind_and_what_waits_long_is_an_alarm(
    own_cache: None, no_worker: None
) -> None:
    now = timezone.now()
    for kind, ages_s in ((IngestJob, (5, LONG_S + 60)), (Inventory, ())):
        seen = Count(kind)
        seen.add(now - timedelta(seconds=age_s) for age_s in ages_s)
        seen.note()
    found = Api().get(ADDRESS).json()
    assert found["queues"]["searches"] == {"waiting": 0, "oldest_s": 0}
    assert found["queues"]["documents"]["waiting"] == 2
    assert found["queues"]["documents"]["oldest_s"] >= LONG_S + 60
    assert (found["queues"]["previews"], found["checks"]["queues"]) == (None, "failed")
    (alarm,) = [alarm for alarm in probes.health().alarms if alarm.watched is Watched.QUEUES]
    assert alarm.what == "Of the documents to be read that wait, the oldest has waited for 31 minutes."
    assert "2 wait. Check that `manage.py serve ingest` is running" in alarm.operators


def test_what_is_late_by_the_clock_is_named_with_how_late(own_cache: None, no_worker: None) -> None:
    the_clock_goes()
    name = "apps.audit.tasks.checkpoint"
    cache.set(f"clock:{name}", time.time() - 900)
    found = Api().get(ADDRESS).json()
    assert (found["late"], found["checks"]["schedule"]) == (["checkpoint"], "failed")
    (alarm,) = [alarm for alarm in probes.health().alarms if alarm.watched is Watched.SCHEDULE]
    assert "Late: checkpoint last ended well 15 minutes ago, and is due every 1 minute." in alarm.operators


def test_without_a_worker_questions_are_answered_still(no_worker: None) -> None:
    response = Api().get(ADDRESS)
    assert (response.status_code, response.json()["status"]) == (200, "degraded")
    assert response.json()["checks"]["worker"] == "failed"


def test_without_redis_questions_are_answered_still(settings: LazySettings) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere"}}
    response = Api().get(ADDRESS)
    assert (response.status_code, response.json()["checks"]["redis"]) == (200, "failed")


def test_without_the_database_it_is_a_problem_that_names_the_part_and_no_more(no_database: None) -> None:
    response = Api().get(ADDRESS)
    assert (response.status_code, response["Content-Type"], response["Retry-After"]) == (503, PROBLEM, "5")
    assert response.json()["checks"]["database"] == "failed"
    assert b"nowhere" not in response.content


def test_a_migration_that_was_not_applied_is_a_problem(monkeypatch: pytest.MonkeyPatch, no_worker: None) -> None:
    known = probes._known_migrations()
    monkeypatch.setattr(probes, "_known_migrations", lambda: known | {("corpus", "9999_next")})
    response = Api().get(ADDRESS)
    assert (response.status_code, response.json()["checks"]["migrations"]) == (503, "failed")
    assert response.json()["checks"]["database"] == "ok"


def test_asking_often_costs_one_look(no_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    look = probes._database

    def counted() -> set[probes.Part]:
        looks.append(1)
        return look()

    monkeypatch.setattr(probes, "_database", counted)
    monkeypatch.setattr(probes, "REMEMBERED_S", 1e9)
    for _ in range(5):
        Client().get(ADDRESS)
    assert len(looks) == 1


def test_it_opens_no_transaction(no_worker: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        Client().get(ADDRESS)
