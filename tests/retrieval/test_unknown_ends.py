"""A request to a model whose end nobody could record gets an end in the log."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings, settings
from django.db import OperationalError, connection
from django.utils import timezone

from apps.audit.models import Outcome
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.retrieval.events import ANSWERED
from apps.retrieval.services import unknown_ends
from apps.retrieval.services.ask import ask
from apps.retrieval.services.unknown_ends import END_UNKNOWN, record_unknown_ends, record_unknown_ends_of
from apps.tenants import context
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from config.env import CHECKOUT
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_member
from tests.model_script import Fault
from tests.model_server import ModelServer
from tests.retrieval.asking import QUESTION, make_acme
from tests.retrieval.test_model_calls import right, told, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def chat_of(server: ModelServer) -> dict[str, Any]:
    return {
        "chat": {"backend": "openai", "region": "eu", "model": "chat", "base_url": server.base_url},
        "extractive": {"backend": "extractive", "region": "eu"},
    }


def have_chat(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(generation_profile="chat", residency_region="eu")


@pytest.fixture
def firm(server: ModelServer, settings: LazySettings) -> Firm:
    found = baked(make_acme)
    settings.GLASSBOX_GENERATION_PROFILES = chat_of(server)
    have_chat(found)
    return found


@pytest.fixture
def amy(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


_ASKS = """
import pickle, sys
import django
django.setup()
from apps.retrieval.services.ask import ask
ask(**pickle.load(sys.stdin.buffer))
"""


def make_killed() -> Firm:
    """A firm, of which a process was killed while a model worked.

    Baked, since that process loads the model that embeds, and has it embed all review examples of the policy.
    """
    firm = make_acme()
    have_chat(firm)
    amy = make_member(firm, "amy", Role.ANALYST)
    with ModelServer() as server, TemporaryDirectory() as folder:
        server.fail_with(Fault.HANG)
        there = f"GLASSBOX_GENERATION_PROFILES = {chat_of(server)!r}\n"
        (Path(folder) / "asking_settings.py").write_text(f"from config.settings.test import *\n{there}")
        asking = subprocess.Popen(
            [sys.executable, "-c", _ASKS],
            cwd=CHECKOUT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "asking_settings",
                "PYTHONPATH": os.pathsep.join([folder, str(CHECKOUT)]),
                "GLASSBOX_TEST_DATABASE": str(settings.TEST_DATABASE),
            },
            stdin=subprocess.PIPE,
        )
        try:
            assert asking.stdin is not None
            with asking.stdin as question:
                question.write(pickle.dumps({"text": QUESTION, "principal": amy}))
            until(lambda: len(server.requests) == 1 or asking.poll() is not None)
            assert asking.poll() is None
        finally:
            asking.kill()
            asking.wait()
    return firm


@pytest.fixture
def killed(server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_GENERATION_PROFILES = chat_of(server)
    return baked(make_killed)


def in_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(unknown_ends.timezone, "now", lambda: later)


def test_a_request_that_may_still_end_is_left_alone(killed: Firm) -> None:
    assert record_unknown_ends() == 0
    assert told(killed, RETURNED) == []


def test_a_request_of_a_process_that_was_killed_gets_an_end(killed: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        in_an_hour(patched)
        # Once, however often the schedule asks.
        assert [record_unknown_ends(), record_unknown_ends()] == [1, 0]
    ((called, _),) = told(killed, CALLED)
    ((ended, payload),) = told(killed, RETURNED)
    assert (ended.subject_id, ended.outcome, ended.scope_ids) == (called.id, Outcome.FAILED, called.scope_ids)
    core = payload["core"]
    assert (core["code"], core["profile"], core["purpose"]) == (END_UNKNOWN, "chat", "answer")
    assert "cost" not in core


def test_two_processes_record_one_end(killed: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def sweep() -> None:
        try:
            done.append(record_unknown_ends_of(killed.id))
        finally:
            connection.close()

    with monkeypatch.context() as patched:
        in_an_hour(patched)
        threads = [threading.Thread(target=sweep) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
    assert (len(done), sum(done)) == (4, 1)
    assert len(told(killed, RETURNED)) == 1


def test_a_request_that_ended_gets_no_second_end(firm: Firm, amy: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(text=QUESTION, principal=amy)
    assert told(firm, CALLED)
    in_an_hour(monkeypatch)
    assert record_unknown_ends() == 0


def fails_at(monkeypatch: pytest.MonkeyPatch, *actions: str) -> None:
    """The database takes no event of these classes, from nobody."""
    real = context.emit

    def emit(**event: Any) -> None:
        if event["action"] in actions:
            raise OperationalError("the connection is lost")
        real(**event)

    monkeypatch.setattr(context, "emit", emit)


def test_an_end_that_neither_try_could_record_is_made_up_for(
    firm: Firm, amy: Principal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.reply_with(right)
    with monkeypatch.context() as broken:
        fails_at(broken, RETURNED)
        answered = ask(text=QUESTION, principal=amy)
    # What it cost is in the trace, which the client has; in the log its end is unknown, and that is told.
    assert len(answered.result.trace.calls) == len(told(firm, CALLED)) == 1
    assert (told(firm, RETURNED), len(told(firm, ANSWERED))) == ([], 1)
    in_an_hour(monkeypatch)
    assert record_unknown_ends() == 1
    assert [payload["core"]["code"] for _, payload in told(firm, RETURNED)] == [END_UNKNOWN]


def test_a_connection_that_is_lost_while_the_model_works_leaves_no_request_without_an_end(
    firm: Firm, amy: Principal, server: ModelServer
) -> None:
    def cut(body: Any) -> str:
        with psycopg.connect(admin_dsn(), autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = %s",
                [connection.settings_dict["NAME"], connection.settings_dict["USER"]],
            )
        return right(body)

    server.reply_with(cut)
    ask(text=QUESTION, principal=amy)
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(told(firm, ANSWERED)) == 1
