"""The platform as `manage.py up` starts it: real web, worker, sealer, eraser, prover, beat on the suite's services."""

from __future__ import annotations

import json
import os
import socket
import time
import urllib.request
from collections.abc import Iterator

import psutil
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.audit.erasure.contracts import RunState
from apps.audit.log.sequencer import tenants_that_wait
from config.processes import Platform, choose_port, start_platform
from tests.audit.acting import recorded
from tests.audit.removing import again, approved, asked, left_of
from tests.factories import make_firm


class Output:
    """What the processes said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, name: str, line: str) -> None:
        self.lines.append(f"{name}: {line}")


@pytest.fixture(scope="module")
def platform(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Platform]:
    output = Output()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSBOX_TEST_DATABASE", settings.TEST_DATABASE)
        patch.setenv("DJANGO_SETTINGS_MODULE", "config.settings.test")
        started = start_platform(port=choose_port(8300, search=True), emit=output, web_processes=1)
    # Ours is only one of the suite's many uses of the services: the others go on.
    yield Platform(supervisor=started.supervisor, base_url=started.base_url, leaves_services=False)
    started.supervisor.stop()
    with django_db_blocker.unblock():
        TransactionTestCase._fixture_teardown(TransactionTestCase())


def test_its_health_is_whole(platform: Platform) -> None:
    with urllib.request.urlopen(f"{platform.base_url}/api/v1/health/", timeout=10) as answer:  # noqa: S310 (our own)
        assert json.load(answer)["status"] == "ok"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("web", "glassbox_api"),
        ("worker", "glassbox_worker"),
        ("sealer", "glassbox_worker"),
        ("eraser", "glassbox_eraser"),
        ("prover", "glassbox_eraser"),
        ("beat", "glassbox_worker"),
    ],
)
def test_each_process_has_the_role_that_its_work_needs(platform: Platform, name: str, role: str) -> None:
    assert psutil.Process(platform.supervisor.pid(name)).environ()["GLASSBOX_DB_ROLE"] == role


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


def test_nothing_is_left_of_it_when_it_has_stopped(platform: Platform) -> None:
    pids = [platform.supervisor.pid(name) for name in ("web", "worker", "sealer", "eraser", "prover", "beat")]
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
