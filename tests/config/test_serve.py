"""The processes as the handbook has them, under production's settings, on real servers: they answer a question."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.test import TransactionTestCase, override_settings
from pytest_django import DjangoDbBlocker

from apps.audit.log.tombstone_place import tombstone_place
from apps.corpus.models import IngestJob, JobStage, JobState
from apps.erasure.tombstones.gate import database_state
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from config.env import CHECKOUT
from config.gunicorn import graceful_timeout, keepalive, timeout
from config.needs import SECRETS, Process, needed_by
from config.serving import QUEUES, SERVED, STOPS_WITHIN_S
from tests.corpus.ingesting import REPORT
from tests.factories import Firm, make_firm, make_key

# On a machine that does much else; alone, each ends within STOPS_WITHIN_S.
_PATIENCE_S = 4 * STOPS_WITHIN_S
_DEPLOY = (CHECKOUT / "docs/operations/deploy.md").read_text(encoding="utf-8")
_COMMANDS = {name: line for line, name in re.findall(r"^(python manage\.py serve (\w+))", _DEPLOY, re.MULTILINE)}


def _secrets_of(process: Process, stored: dict[str, str]) -> dict[str, str]:
    needed = [secret for secret in needed_by(process) if not secret.optional]
    return {secret.variable: stored.get(secret.variable) or secrets.token_hex(32) for secret in needed}


def _environment(process: Process, stored: dict[str, str], **more: str) -> dict[str, str]:
    """What the handbook says that one gives to the process, and nothing of ours."""
    known = {"DJANGO_SETTINGS_MODULE", *(secret.variable for secret in SECRETS)}
    inherited = {name: value for name, value in os.environ.items() if name not in known}
    redis = str(settings.CACHES["default"]["LOCATION"]).replace("?db=1", "?db=15")
    given = {
        "DATABASE_URL": str(settings.DATABASE_URL),
        "REDIS_URL": redis,
        "DJANGO_ALLOWED_HOSTS": "glassbox.example.com",
        "GLASSBOX_HOME": str(settings.GLASSBOX_HOME),
        "GLASSBOX_CHECKPOINT_URL": settings.GLASSBOX_CHECKPOINT_URL,
        "GLASSBOX_TOMBSTONES_URL": settings.GLASSBOX_TOMBSTONES_URL,
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    return inherited | given | _secrets_of(process, stored) | more


@dataclass
class Installation:
    """The processes that were started, by the handbook's names."""

    port: int
    logs: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, *arguments: str, **more: str) -> None:
        """The handbook's line, with this Python in the place of `python`; web at a port that is free."""
        stored = json.loads((settings.GLASSBOX_HOME / "secrets.json").read_text(encoding="utf-8"))
        command = [sys.executable, *_COMMANDS[name].split()[1:], *arguments]
        with (self.logs / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                command,
                cwd=CHECKOUT,
                env=_environment(Process(name), stored, GLASSBOX_BIND=f"127.0.0.1:{self.port}", **more),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self, name: str) -> str:
        return (self.logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def ask(self, method: str, path: str, key: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        """Behind a proxy that ends TLS."""
        headers = {
            "Authorization": f"Bearer {key}",
            "Host": "glassbox.example.com",
            "X-Forwarded-Proto": "https",
            "Content-Type": kind,
        }
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers, method=method)
        ends = time.monotonic() + 90
        while True:
            try:
                with urllib.request.urlopen(request, timeout=90) as answer:  # noqa: S310 (our own)
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                said = error.read()
                # A process that still loads its model says when to come again.
                if b'"corpus.warming_up"' not in said or time.monotonic() > ends:
                    raise AssertionError(f"{error.code}: {said[:500]!r}") from error
                time.sleep(float(error.headers["Retry-After"]))

    def upload(self, key: str, content: bytes) -> Any:
        mark = secrets.token_hex(8)
        fields = "".join(
            f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in (("kind", "run"), ("scope", "fund:alpha"))
        )
        begin = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="report.md"\r\n\r\n'
        body = fields.encode() + begin.encode() + content + f"\r\n--{mark}--\r\n".encode()
        return self.ask("POST", "/api/v1/documents/", key, body, f"multipart/form-data; boundary={mark}")

    def stop(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=10)


def eventually(condition: Callable[[], Any], what: str, seconds: float = 90.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.2)
    return found


@pytest.fixture(scope="module")
def installation(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    started = Installation(port=port, logs=tmp_path_factory.mktemp("served"))
    # Not where the tests before have noted what they removed: the database would be older than that.
    outside = override_settings(GLASSBOX_TOMBSTONES_URL=str(tmp_path_factory.mktemp("tombstones")))
    outside.enable()
    try:
        with django_db_blocker.unblock():
            make_firm("first")
            # As `manage.py migrate` does with a database that it has just made.
            tombstone_place().serve(database_state().identity)
        for name in _COMMANDS:
            started.start(name)
        eventually(lambda: _answers(started), "web answers")
        yield started
    finally:
        started.stop()
        outside.disable()
        with django_db_blocker.unblock():
            TransactionTestCase._fixture_teardown(TransactionTestCase())


def test_readme_names_every_process_and_no_other() -> None:
    assert set(_COMMANDS) == {process.value for process in SERVED}


@pytest.mark.slow
def test_a_document_and_a_question_go_through_the_processes_that_readme_starts(
    installation: Installation, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        firm = make_firm("served")
        _, key = make_key(firm, Role.ANALYST)
    sent = installation.upload(key, REPORT)
    with django_db_blocker.unblock():
        eventually(lambda: _job(firm).state == JobState.SUCCEEDED, "it was read")
    asked = json.dumps({"question": "What was the maximum drawdown in the fourth quarter?"}).encode()
    answer = installation.ask("POST", "/api/v1/query/", key, asked)
    assert "12.5" in json.dumps(answer), answer
    assert sent["id"] in json.dumps(answer), (sent, answer)


def test_health_hears_of_every_process(installation: Installation) -> None:
    def whole() -> bool:
        return bool(_health(installation)["status"] == "ok")

    eventually(whole, "every part was heard of", seconds=180)


def test_the_process_of_the_clock_loads_nothing_heavy(installation: Installation) -> None:
    process = installation.running["clock"]
    eventually(lambda: len(psutil.Process(process.pid).children()) >= QUEUES[Process.CLOCK].processes, "it began")
    for each in (psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)):
        assert not [part.path for part in each.memory_maps() if "torch" in part.path]


@pytest.mark.slow
def test_beat_is_quiet(installation: Installation) -> None:
    """It sends something every second."""
    time.sleep(3)
    assert "Sending due task" not in installation.said("beat")
    assert len(installation.said("beat").splitlines()) < 5, installation.said("beat")


@pytest.mark.slow
def test_a_document_at_work_is_given_back_when_its_worker_is_stopped(
    installation: Installation, django_db_blocker: DjangoDbBlocker
) -> None:
    filler = "The committee discussed liquidity, counterparties and the hedging of currencies at length. " * 12
    long = "\n\n".join(f"## Section {number}\n\n{filler} {number}" for number in range(1_500)).encode()
    with django_db_blocker.unblock():
        firm = make_firm("stopped")
        _, key = make_key(firm, Role.ANALYST)
        installation.upload(key, long)
        eventually(lambda: _job(firm).stage == JobStage.EMBED, "it was begun", seconds=120)
        installation.running["ingest"].terminate()
        installation.running["ingest"].wait(timeout=_PATIENCE_S)
        left = _job(firm)
        assert (left.state, left.lease_owner) == (JobState.PENDING, "")


@pytest.mark.slow
def test_a_web_process_that_has_grown_too_large_is_replaced_and_everybody_is_answered(
    installation: Installation,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        other = Installation(port=found.getsockname()[1], logs=installation.logs / "large")
    other.logs.mkdir()
    try:
        other.start("web", "--processes", "1", GLASSBOX_WEB_MEMORY_MB="1", GLASSBOX_WARM_UP="false")
        eventually(lambda: _answers(other), "web answers")
        assert all(_health(other)["checks"]["database"] == "ok" for _ in range(2))
        assert "Replacing a web process of more than 1 MB" in other.said("web")
    finally:
        other.stop()


@pytest.mark.slow
def test_each_of_them_ends_within_its_time(installation: Installation) -> None:
    for process in installation.running.values():
        if process.poll() is None:
            process.terminate()
    for process in installation.running.values():
        process.wait(timeout=_PATIENCE_S)


def test_web_waits_longer_than_a_question_may_take_and_than_a_proxy_keeps_its_end() -> None:
    profiles = [*settings.GLASSBOX_EMBEDDING_PROFILES.values(), *settings.GLASSBOX_GENERATION_PROFILES.values()]
    assert timeout > sum(profile.get("timeout_seconds", 0) for profile in profiles)
    assert keepalive > 60
    assert graceful_timeout < STOPS_WITHIN_S


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("wobker", "invalid choice: 'wobker'"),
        ("beat --processes 2", "beat is one process"),
        ("sealer --processes 2", "sealer is one process"),
        ("clock --bind :80", "--bind is for web"),
        ("web --processes 0", "from 1 to 64"),
    ],
)
def test_what_can_t_be_served_is_refused_in_a_line(arguments: str, said: str) -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", "serve", *arguments.split()],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert said in ended.stderr.splitlines()[-1]


@pytest.mark.slow
def test_without_its_settings_it_says_in_a_line_what_is_missing() -> None:
    known = {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL", *(secret.variable for secret in SECRETS)}
    bare = {name: value for name, value in os.environ.items() if name not in known}
    ended = subprocess.run(
        [sys.executable, "manage.py", "serve", "web"],
        cwd=CHECKOUT,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "DATABASE_URL is not set" in ended.stderr
    assert "Traceback" not in ended.stderr


def _answers(installation: Installation) -> bool:
    assert installation.running["web"].poll() is None, installation.said("web")
    try:
        return bool(_health(installation))
    except OSError:
        return False


def _health(installation: Installation) -> Any:
    return installation.ask("GET", "/api/v1/health/", "")


def _job(firm: Firm) -> IngestJob:
    with open_scope(tenant=firm.id, reason="a test"):
        found: IngestJob = IngestJob.objects.get()
        return found
