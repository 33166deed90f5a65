"""The platform as `manage.py up` starts it: real web, worker, sealer, eraser, prover, beat on the suite's services."""

from __future__ import annotations

import json
import os
import socket
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import LazySettings, settings
from django.core.management import CommandError, call_command
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.audit.log.sequencer import tenants_that_wait
from apps.erasure.contracts import Origin, RunState
from apps.erasure.models import Certificate, RemovalRun
from apps.privacy.codes.requests import Ground, SubjectType
from apps.tenants.context import open_scope
from config.needs import SECRETS, Process, needed_by
from config.processes import Platform, start_platform
from config.services import Durability, ServiceName, ensure_services, release_services, status
from config.serving import SERVED
from tests.audit.acting import recorded
from tests.audit.proving import ZOE, letter, own_access
from tests.audit.removing import again, approved, asked, left_of
from tests.audit.requesting import Office, make_office
from tests.config.served import free_port
from tests.deciding import assess, identity_confirm, inventory_propose, request_approve
from tests.factories import as_, make_firm

pytestmark = pytest.mark.slow


class Output:
    """What the processes said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, name: str, line: str) -> None:
        self.lines.append(f"{name}: {line}")


def all_secrets() -> dict[str, str]:
    """As the shell of somebody who exported everything has them: the suite's own, and others that are optional."""
    stored = json.loads((settings.GLASSBOX_HOME / "secrets.json").read_text(encoding="utf-8"))
    return {secret.variable: stored.get(secret.variable, f"a secret for {secret.variable}") for secret in SECRETS}


@pytest.fixture(scope="module")
def platform(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Platform]:
    output = Output()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in all_secrets().items():
            patch.setenv(name, value)
        patch.setenv("GLASSBOX_TEST_DATABASE", settings.TEST_DATABASE)
        patch.setenv("DJANGO_SETTINGS_MODULE", "config.settings.test")
        started = start_platform(port=free_port(), emit=output, web_processes=1)
    # Ours is only one of the suite's many uses of the services: the others go on.
    yield replace(started, leaves_services=False)
    started.supervisor.stop()
    with django_db_blocker.unblock():
        TransactionTestCase._fixture_teardown(TransactionTestCase())


def test_its_health_is_whole(platform: Platform) -> None:
    """Once each part of it was heard of: a schedule that has just begun is degraded until then."""
    health: dict[str, Any] = {}
    for _ in range(150):
        with urllib.request.urlopen(f"{platform.base_url}/api/v1/health/", timeout=10) as answer:  # noqa: S310 (our own)
            health = json.load(answer)
        if health["status"] == "ok":
            break
        time.sleep(2)
    assert health["status"] == "ok", {part: state for part, state in health["checks"].items() if state != "ok"}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("web", "glassbox_api"),
        ("worker", "glassbox_worker"),
        ("ingest", "glassbox_worker"),
        ("clock", "glassbox_worker"),
        ("sealer", "glassbox_worker"),
        ("eraser", "glassbox_eraser"),
        ("prover", "glassbox_eraser"),
        ("beat", "glassbox_worker"),
    ],
)
def test_each_process_has_the_role_that_its_work_needs(platform: Platform, name: str, role: str) -> None:
    assert psutil.Process(platform.supervisor.pid(name)).environ()["GLASSBOX_DB_ROLE"] == role


def secrets_in(pid: int) -> set[str]:
    """Which secrets lie in the environment of a process, by whatever name, as /proc shows it."""
    found = set(psutil.Process(pid).environ().values())
    return {name for name, value in all_secrets().items() if value in found}


def test_each_process_of_the_platform_has_its_own_secrets_and_no_other(platform: Platform) -> None:
    """Whoever started it had all of them."""
    for process in (*SERVED, Process.PROVER):
        parent = psutil.Process(platform.supervisor.pid(process))
        own = {secret.variable for secret in needed_by(process)}
        for each in (parent, *parent.children(recursive=True)):
            assert secrets_in(each.pid) == own, (process, each.cmdline())


def test_the_servers_and_their_keepers_have_no_secret(bare_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in all_secrets().items():
        monkeypatch.setenv(name, value)
    ensure_services(home=bare_home, needed={ServiceName.REDIS}, durability=Durability.DISPOSABLE)
    state = status(home=bare_home)[ServiceName.REDIS]
    assert state.pid
    assert state.keeper_pid
    assert secrets_in(state.pid) | secrets_in(state.keeper_pid) == set()
    release_services(home=bare_home)


def test_events_are_sealed_by_the_clock(platform: Platform, django_db_blocker: DjangoDbBlocker) -> None:
    """By the schedule, the broker, and the worker that seals; aim: two seconds."""
    with django_db_blocker.unblock():
        recorded(make_firm("sealed-by-the-clock"), 3)
        deadline = time.monotonic() + 20
        while tenants_that_wait():
            assert time.monotonic() < deadline, "nobody sealed them"
            time.sleep(0.05)


def test_an_approved_removal_is_carried_out_by_the_queue_and_the_clock(
    platform: Platform, django_db_blocker: DjangoDbBlocker
) -> None:
    """A message to the eraser, which authorises in the log; the sealer seals; the schedule comes back to it."""
    with django_db_blocker.unblock():
        firm = make_firm("erased-by-the-clock")
        parts = asked(firm, 3)
        run = approved(firm, parts)
        deadline = time.monotonic() + 40
        while again(firm, run).state != RunState.COMPLETED:
            assert time.monotonic() < deadline, f"nobody carried it out: {again(firm, run).state}"
            time.sleep(0.2)
        assert left_of(firm, parts) == 0


def test_an_approved_request_is_proven_on_the_disk_and_certified_by_the_clock(
    platform: Platform, django_db_blocker: DjangoDbBlocker, settings: LazySettings, tmp_path: Path
) -> None:
    """Two people and nobody else: the prover prepares, the eraser removes, the prover makes the disk forget and looks,
    the sealer seals, the worker signs."""
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    with django_db_blocker.unblock():
        own_access(tmp_path)  # so that the prover does not read gigabytes of other tests' log
        office = make_office("proven-by-the-clock")
        request = office.received(about=SubjectType.DOCUMENT, subject_id=letter(office.firm, ZOE).id)
        with as_(office.dora):
            identity_confirm(request.id)
            assess(request.id, ground=Ground.OBJECTION)
            inventory_propose(request.id)
        with as_(office.rita):
            request_approve(request.id)
        deadline = time.monotonic() + 240
        while not (certificates := certificates_of(office)):
            run = again(office.firm, RemovalRun(id=office.again(request).run_id))
            assert time.monotonic() < deadline, f"nobody proved it: {run.state}, {run.verification.get('waits')}"
            assert run.state != RunState.FAILED, (run.error_code, run.verification.get("scan", {}).get("hits"))
            time.sleep(0.5)
        [certificate] = certificates
        assert (certificate["outcome"], certificate["scan"]["hits"]) == ("completed", 0)
        assert certificate["control"]["found"] == certificate["control"]["sources"] > 10
        assert office.again(request).state == "completed"


def certificates_of(office: Office) -> list[dict[str, Any]]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        return list(Certificate.objects.values_list("body", flat=True))


def test_nothing_is_left_of_it_when_it_has_stopped(platform: Platform) -> None:
    pids = [platform.supervisor.pid(name) for name in (*SERVED, Process.PROVER)]
    everything = [child for pid in pids for child in [psutil.Process(pid), *psutil.Process(pid).children()]]
    platform.stop()
    assert [process for process in everything if process.is_running() and process.status() != "zombie"] == []


def test_up_refuses_a_taken_port_in_one_line() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(CommandError, match=r"^Port \d+ on 127\.0\.0\.1 can't be used: .* --port\.$"),
    ):
        call_command("up", port=server.getsockname()[1])


def test_the_help_of_up_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        call_command("up", "--help")
    assert caught.value.code in (None, os.EX_OK)
    assert "manage.py up --port 8080" in capsys.readouterr().out
