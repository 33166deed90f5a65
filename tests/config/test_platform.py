"""The platform as `manage.py up` starts it: real web, worker, sealer, eraser, prover, beat on the suite's services."""

from __future__ import annotations

import json
import os
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import LazySettings, settings
from django.core.management import CommandError, call_command
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.audit.erasure.contracts import Origin, RunState
from apps.audit.inventory.proposing import inventory_propose
from apps.audit.log.sequencer import tenants_that_wait
from apps.audit.models import Certificate, RemovalRun
from apps.audit.requests.codes import Ground, SubjectType
from apps.audit.requests.services.proposing import request_approve
from apps.audit.requests.services.steps import assess, identity_confirm
from apps.tenants.context import open_scope
from config.processes import Platform, choose_port, start_platform
from tests.audit.acting import recorded
from tests.audit.proving import ZOE, letter, own_access
from tests.audit.removing import again, approved, asked, left_of
from tests.audit.requesting import Office, make_office
from tests.factories import as_, make_firm


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
