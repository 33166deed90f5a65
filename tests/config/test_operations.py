"""What those who run the platform ask of it, of the platform as it is started: gunicorn, workers, beat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from django.conf import settings
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoDbBlocker

from apps.audit.models import Event
from apps.audit.selectors import readings_of
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from config.release import version
from tests.config.served import suite_platform, until
from tests.factories import Firm, make_firm, make_key

pytestmark = pytest.mark.slow

TOKEN = "a-token-of-the-monitoring-system"
NAMED = "req-0123456789abcdef"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    base_url: str
    lines: list[str]
    firm: Firm
    key: str
    auditor: str

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(f"{self.base_url}{path}", headers=headers, timeout=30)

    def asks(self, path: str, **headers: str) -> httpx.Response:
        return self.get(path, Authorization=f"Bearer {self.key}", **headers)

    def records(self) -> list[dict[str, Any]]:
        """Lines of the log, without what other programs write before ours is set up."""
        return [json.loads(line) for line in [*self.lines] if line.startswith("{")]

    def measured(self, name: str, **labels: str) -> list[float]:
        text = self.get("/metrics", Authorization=f"Bearer {TOKEN}").text
        return [
            sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]


@pytest.fixture(scope="module")
def running(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Running]:
    variables = {"GLASSBOX_METRICS_TOKEN": TOKEN, "GLASSBOX_LOG_FORMAT": "json", "GLASSBOX_ACCESS_LOG": "1"}
    with suite_platform(django_db_blocker, **variables) as (platform, lines):
        with django_db_blocker.unblock():
            firm = make_firm("operations-secret-name")
            (_, key), (_, auditor) = make_key(firm, Role.ANALYST), make_key(firm, Role.AUDITOR)
        yield Running(base_url=platform.base_url, lines=lines, firm=firm, key=key, auditor=auditor)


def test_alive_and_ready_whatever_name_it_is_called_by(running: Running) -> None:
    """A supervisor asks by an address, without TLS, and follows no redirect."""
    for path in ("/livez", "/readyz", "/version"):
        response = running.get(path, Host="10.1.2.3:9")
        assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store"), path
        assert "Set-Cookie" not in response.headers
    assert httpx.post(f"{running.base_url}/livez").status_code == 405


def test_the_version_names_the_release_and_the_state_of_the_tables(running: Running) -> None:
    found = running.get("/version").json()
    assert (found["release"], found["schema"]) == (version(), "current")
    assert re.fullmatch(r"[0-9a-f]{40}", found["commit"] or "0" * 40)


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", f"Basic {TOKEN}", TOKEN])
def test_without_the_token_there_are_no_metrics(running: Running, authorization: str) -> None:
    assert running.get("/metrics", Authorization=authorization).status_code == 404


def test_requests_are_counted_by_route_and_over_all_processes(running: Running) -> None:
    named = {"method": "GET", "route": "/api/v1/documents/<uuid:id>/", "status": "404"}
    before = sum(running.measured("glassbox_request_duration_seconds_count", **named))
    for number in range(12):
        assert running.asks(f"/api/v1/documents/00000000-0000-7000-8000-{number:012d}/").status_code == 404
    # Whichever process is asked tells what both have counted.
    for _ in range(6):
        assert sum(running.measured("glassbox_request_duration_seconds_count", **named)) == before + 12


def test_metrics_tell_of_queues_the_clock_the_log_and_connections(running: Running) -> None:
    running.asks("/api/v1/me/")
    for name, labels in (
        ("glassbox_part_up", {"part": "database"}),
        ("glassbox_requests_in_flight", {}),
        ("glassbox_database_connections", {"state": "in_use"}),
        ("glassbox_queue_messages", {"queue": "celery"}),
        ("glassbox_queue_age_seconds", {"queue": "log"}),
        ("glassbox_sealing_lag_seconds", {}),
    ):
        assert running.measured(name, **labels), name
    until(lambda: bool(running.measured("glassbox_clock_late_seconds", task="beat")), within_s=60)


def test_questions_jobs_and_seals_are_counted(running: Running, django_db_blocker: DjangoDbBlocker) -> None:
    asked = httpx.post(
        f"{running.base_url}/api/v1/query/",
        headers={"Authorization": f"Bearer {running.key}"},
        json={"question": "What is the fee of the fund?"},
        timeout=600,
    )
    assert asked.status_code == 200, asked.text
    sent = upload(running)
    assert sent.status_code == 202, sent.text
    until(lambda: sum(running.measured("glassbox_questions_total")) >= 1, within_s=60)
    until(lambda: sum(running.measured("glassbox_ingest_jobs_total", outcome="success")) >= 1, within_s=120)
    until(lambda: sum(running.measured("glassbox_sealed_events_total")) >= 1, within_s=60)
    assert sum(running.measured("glassbox_events_total", action="corpus.document.received")) >= 1


def test_metrics_name_no_tenant_and_nothing_of_theirs(running: Running) -> None:
    running.asks("/api/v1/me/")
    text = running.get("/metrics", Authorization=f"Bearer {TOKEN}").text
    for theirs in ("operations-secret-name", str(running.firm.id), running.key, "fee of the fund"):
        assert theirs not in text


def test_a_request_is_named_by_whoever_sends_it_or_by_us(running: Running) -> None:
    assert running.get("/livez", **{"X-Request-ID": NAMED}).headers["X-Request-ID"] == NAMED
    for bad in ("", "short", "a" * 65, "with space in it", "zoe@example.com", "new\tline-in-it"):
        made = running.get("/livez", **{"X-Request-ID": bad}).headers["X-Request-ID"]
        assert re.fullmatch(r"[0-9a-f]{32}", made), bad


def test_a_problem_names_its_request(running: Running) -> None:
    response = running.get("/api/v1/me/", **{"X-Request-ID": NAMED})
    assert (response.status_code, response.json()["request_id"]) == (401, NAMED)


def test_the_access_log_names_the_request_and_the_route_and_no_address(running: Running) -> None:
    named = f"{NAMED}-log"
    running.get("/password/set/a-secret-of-a-link/?s=what-was-searched", **{"X-Request-ID": named})

    def written() -> list[dict[str, Any]]:
        return [line for line in running.records() if line.get("request_id") == named and "duration_ms" in line]

    until(lambda: bool(written()), within_s=30)
    [line] = written()
    assert (line["logger"], line["method"]) == ("glassbox.access", "GET")
    assert line["route"] == "/password/set/<str:secret>/"
    assert not [each for each in running.lines if "a-secret-of-a-link" in each or "what-was-searched" in each]


def test_an_event_and_the_task_that_a_request_started_bear_its_name(
    running: Running, django_db_blocker: DjangoDbBlocker
) -> None:
    named = f"{NAMED}-upload"
    document = upload(running, title="Another", **{"X-Request-ID": named}).json()["id"]

    def recorded() -> dict[str, str]:
        with django_db_blocker.unblock(), open_scope(tenant=running.firm.id, reason="a test"):
            events = list(Event.objects.filter(subject_id=document))
            readings = readings_of(events)
            return {event.action: readings[event.id].request_id for event in events}

    until(lambda: "corpus.document.ready" in recorded(), within_s=120)
    assert recorded() == {"corpus.document.received": named, "corpus.document.ready": named}
    with django_db_blocker.unblock(), open_scope(tenant=running.firm.id, reason="a test"):
        event = Event.objects.get(subject_id=document, action="corpus.document.received")
    told = running.get(f"/api/v1/audit/events/{event.id}/", Authorization=f"Bearer {running.auditor}").json()
    assert told["http_request_id"] == named
    assert "http_request_id" not in told["payload"].get("actor", {})


def upload(running: Running, *, title: str = "A note", **headers: str) -> httpx.Response:
    return httpx.post(
        f"{running.base_url}/api/v1/documents/",
        headers={"Authorization": f"Bearer {running.key}", **headers},
        data={"scope": "fund:alpha", "kind": "run"},
        files={"file": ("note.md", f"# {title}\n\nIt says something.\n".encode())},
        timeout=600,
    )


def test_the_suite_itself_answers_no_stranger() -> None:
    """Where no token is set, whoever is on this machine may ask, unless something stands in front of us."""
    assert settings.GLASSBOX_METRICS_TOKEN == ""
