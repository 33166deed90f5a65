"""A question that is answered as server-sent events: over HTTP, with a model that takes its time."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.conf import LazySettings
from pytest_django.live_server_helper import LiveServer

from apps.corpus.providers import warming
from apps.corpus.providers.errors import WarmingUpError
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.retrieval.api import progress
from apps.retrieval.events import ANSWERED
from apps.retrieval.services import ask as asking
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest, Tenant
from apps.tenants.roles import Role
from config.processes import choose_port
from config.processes.platform import start_web
from tests.baked import baked
from tests.factories import Firm, make_key
from tests.model_script import Fault
from tests.model_server import ModelServer
from tests.retrieval.asking import QUESTION, make_acme
from tests.retrieval.test_model_calls import open_transactions, right, told, until

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/api/v1/query/"
STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def firm(server: ModelServer, settings: LazySettings) -> Firm:
    found = baked(make_acme)
    settings.GLASSBOX_GENERATION_PROFILES = {
        "openai": {
            "backend": "openai",
            "region": "eu",
            "model": "chat",
            "base_url": server.base_url,
            "timeout_seconds": 20.0,
        },
        "extractive": {"backend": "extractive", "region": "eu"},
    }
    with open_scope(tenant=found.id, reason="a test"):
        Tenant.objects.filter(id=found.id).update(generation_profile="openai", residency_region="eu")
    return found


@pytest.fixture
def client(firm: Firm, live_server: LiveServer) -> Iterator[httpx.Client]:
    with client_of(firm, live_server.url) as made:
        yield made


def client_of(firm: Firm, base_url: str) -> httpx.Client:
    _, key = make_key(firm, Role.ANALYST)
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=base_url, headers=headers, timeout=60, trust_env=False)


def events_of(text: str) -> list[tuple[str, Any]]:
    """The events in a body; comments are left out."""
    found = []
    for block in text.split("\n\n"):
        lines = [line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":")]
        if lines:
            fields = dict(lines)
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def asked(client: httpx.Client, **headers: str) -> httpx.Response:
    return client.post(ADDRESS, json={"question": QUESTION}, headers={**STREAM, **headers})


def test_the_stages_are_told_and_then_the_answer_as_without(
    firm: Firm, client: httpx.Client, server: ModelServer
) -> None:
    server.reply_with(right, right)
    response = asked(client)
    assert response.headers["Content-Type"] == "text/event-stream"
    assert (response.headers["X-Accel-Buffering"], response.headers["Vary"]) == ("no", "Accept")
    *stages, (name, answer) = events_of(response.text)
    assert {each for each, _ in stages} == {"stage"}
    assert [each["stage"] for _, each in stages][:3] == ["validate", "classify", "gate"]
    assert stages[-1][1]["stage"] == "suitability"
    assert all(each.keys() == {"stage", "status", "elapsed_ms"} for _, each in stages)
    plain = client.post(ADDRESS, json={"question": QUESTION}).json()
    assert (name, answer.keys()) == ("answer", plain.keys())
    differing = {each for each in plain if answer[each] != plain[each]}
    assert differing <= {"audit_event_id", "elapsed_ms"}
    assert [str(event.id) for event, _ in told(firm, ANSWERED)] == [answer["audit_event_id"], plain["audit_event_id"]]


def test_stages_come_while_the_model_works_and_no_transaction_is_open(
    firm: Firm, client: httpx.Client, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "HEARTBEAT_S", 0.05)
    thinking, go_on = threading.Event(), threading.Event()

    def reply(body: Any) -> str:
        thinking.set()
        assert go_on.wait(60)
        return right(body)

    server.reply_with(reply)
    with client.stream("POST", ADDRESS, json={"question": QUESTION}, headers=STREAM) as response:
        lines = response.iter_lines()
        seen: list[str] = []
        until(lambda: seen.append(next(lines)) or '"assemble"' in seen[-1])  # type: ignore[func-returns-value]
        assert thinking.wait(60)
        # Comments come meanwhile.
        until(lambda: next(lines).startswith(": "))
        assert not any("event: answer" in line for line in seen)
        assert open_transactions() == 0
        go_on.set()
        rest = list(lines)
    assert "event: answer" in rest


@pytest.mark.parametrize(("question", "status"), [("", 400), ("x" * 4_001, 413)])
def test_what_is_refused_at_once_is_an_ordinary_problem(client: httpx.Client, question: str, status: int) -> None:
    bodies = []
    for headers in (STREAM, {}):
        response = client.post(ADDRESS, json={"question": question}, headers=headers)
        assert (response.status_code, response.headers["Content-Type"]) == (status, "application/problem+json")
        bodies.append({name: value for name, value in response.json().items() if name != "request_id"})
    assert bodies[0] == bodies[1]


def test_what_fails_later_is_told_as_an_event(
    client: httpx.Client, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.reply_with(right)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a secret of the Alpha Fund")

    monkeypatch.setattr(asking, "answer_record", fail)
    response = asked(client)
    (name, problem) = events_of(response.text)[-1]
    assert (response.status_code, name, problem["code"], problem["status"]) == (200, "problem", "api.internal", 500)
    assert "secret" not in response.text


def test_an_idempotency_key_works_as_for_the_plain_form(firm: Firm, client: httpx.Client, server: ModelServer) -> None:
    server.reply_with(right, right)
    first = dict(events_of(asked(client, **{"Idempotency-Key": "3f0a"}).text))
    again = dict(events_of(asked(client, **{"Idempotency-Key": "3f0a"}).text))
    assert "repeats" not in first
    assert again["repeats"] == {"audit_event_id": first["answer"]["audit_event_id"]}
    with open_scope(tenant=firm.id, reason="a test"):
        assert IdempotentRequest.objects.count() == 1
    other = {"question": f"{QUESTION} Really?"}
    reused = client.post(ADDRESS, json=other, headers={**STREAM, "Idempotency-Key": "3f0a"})
    assert (reused.status_code, reused.json()["code"]) == (422, "api.idempotency_key_reused")
    assert client.post(ADDRESS, json=other, headers={**STREAM, "Idempotency-Key": ""}).status_code == 400


def test_two_at_once_with_one_key_are_told_apart(firm: Firm, client: httpx.Client, server: ModelServer) -> None:
    thinking, go_on = threading.Event(), threading.Event()

    def reply(body: Any) -> str:
        thinking.set()
        assert go_on.wait(60)
        return right(body)

    server.reply_with(reply)
    first: list[httpx.Response] = []
    thread = threading.Thread(target=lambda: first.append(asked(client, **{"Idempotency-Key": "3f0a"})))
    thread.start()
    try:
        assert thinking.wait(60)
        second = asked(client, **{"Idempotency-Key": "3f0a"})
        assert (second.status_code, second.json()["code"]) == (409, "api.request_in_progress")
    finally:
        go_on.set()
        thread.join(60)
    assert dict(events_of(first[0].text))["answer"]


def test_nobody_who_may_not_ask_gets_a_stream(firm: Firm, live_server: LiveServer) -> None:
    _, key = make_key(firm, Role.AUDITOR)
    with httpx.Client(base_url=live_server.url, trust_env=False) as client:
        for authorization, status in ((f"Bearer {key}", 403), ("Bearer gbx_nothing", 401)):
            response = asked(client, Authorization=authorization)
            assert (response.status_code, response.headers["Content-Type"]) == (status, "application/problem+json")


def test_a_process_that_warms_up_says_so(firm: Firm, client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "LONGEST_WAIT_S", 0.05)
    warming._warmth.begin()
    try:
        for headers in ({}, STREAM):
            response = client.post(ADDRESS, json={"question": QUESTION}, headers=headers)
            assert (response.status_code, response.json()["code"]) == (503, WarmingUpError.code)
            assert int(response.headers["Retry-After"]) > 0
    finally:
        warming._warmth.end()
    assert told(firm, ANSWERED) == []
    assert client.post(ADDRESS, json={"question": QUESTION}).status_code == 200


def test_a_question_waits_for_a_model_that_is_loaded_in_a_moment(firm: Firm, client: httpx.Client) -> None:
    warming._warmth._begin_anew()
    warming._warmth.begin()
    threading.Timer(0.3, warming._warmth.end).start()
    assert client.post(ADDRESS, json={"question": QUESTION}).status_code == 200


@pytest.mark.slow
def test_after_the_client_has_gone_the_question_ends_and_no_thread_stays(
    firm: Firm, server: ModelServer, settings: LazySettings
) -> None:
    """By the server of production: more clients go away than it has threads."""
    thinking, go_on = threading.Event(), threading.Event()

    def reply(body: Any) -> str:
        thinking.set()
        assert go_on.wait(60)
        return right(body)

    server.reply_with(*[reply] * 7)
    web = start_web(
        port=choose_port(8650, search=True),
        emit=lambda name, line: None,
        environment={
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "GLASSBOX_OPENAI_BASE_URL": server.base_url,
            "GLASSBOX_OPENAI_REGION": "eu",
            "OPENAI_API_KEY": "unused",
            "WEB_CONCURRENCY": "1",
        },
    )
    try:
        worker = children(web.supervisor.pid("web"))[0]
        counts = []
        with client_of(firm, web.base_url) as client:
            for ended in (3, 6):
                go_on.clear()
                for _ in range(3):
                    thinking.clear()
                    with client.stream("POST", ADDRESS, json={"question": QUESTION}, headers=STREAM) as response:
                        assert response.status_code == 200
                        assert thinking.wait(60)
                assert len(told(firm, ANSWERED)) == ended - 3
                go_on.set()
                until(lambda: len(told(firm, ANSWERED)) == ended)  # noqa: B023 - called at once
                assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == ended
                until(lambda: idle(worker))
                counts.append(len(os.listdir(f"/proc/{worker}/task")))
            assert events_of(asked(client).text)[-1][0] == "answer"
        assert counts[1] <= counts[0]
    finally:
        go_on.set()
        web.supervisor.stop()


def children(pid: int | None) -> list[int]:
    from psutil import Process

    return [each.pid for each in Process(pid).children()]


def idle(pid: int) -> bool:
    """Whether the number of its threads has stayed the same for a moment."""
    counts = []
    for _ in range(5):
        counts.append(len(os.listdir(f"/proc/{pid}/task")))
        time.sleep(0.1)
    return len(set(counts)) == 1


def test_a_model_that_hangs_ends_the_stream_with_what_the_documents_say(
    client: httpx.Client, server: ModelServer, settings: LazySettings
) -> None:
    settings.GLASSBOX_GENERATION_PROFILES["openai"]["timeout_seconds"] = 0.5
    server.fail_with(Fault.HANG)
    began = time.monotonic()
    (name, answer) = events_of(asked(client).text)[-1]
    assert (name, [each["code"] for each in answer["degraded"]]) == ("answer", ["retrieval.generation_timeout"])
    assert time.monotonic() - began < 20
