"""Rows first, messages second: with a real Redis and a real Celery worker, and without them."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone

from apps.corpus.models import DocumentStatus, IngestJob, JobStatus
from apps.corpus.services.ingest_errors import JobNotRetryableError
from apps.corpus.services.ingest_restart import job_restart
from apps.corpus.tasks import run_job, sweep
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from config.celery import app
from tests.corpus.ingesting import actions, change_job, document, ingest, job, long_report, remote_profile
from tests.factories import Firm, make_firm, make_member
from tests.model_server import Fault, ModelServer

CHECKOUT = Path(__file__).resolve().parents[2]

committed = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[str | None]]:
    """The messages that would have gone to the broker."""
    messages: list[list[str | None]] = []

    def send_task(name: str, args: list[str | None]) -> None:
        assert name == run_job.name
        messages.append(args)

    monkeypatch.setattr(app, "send_task", send_task)
    return messages


@pytest.fixture
def firm() -> Firm:
    return make_firm()


def due(firm: Firm, job_id: UUID, **values: Any) -> None:
    change_job(firm, job_id, next_attempt_at=timezone.now() - timedelta(seconds=1), **values)


# --- the message ---


@committed
def test_the_message_goes_out_when_the_row_is_committed_and_carries_ids_alone(
    firm: Firm, sent: list[list[str | None]]
) -> None:
    alice = make_member(firm, "alice", Role.ANALYST)
    with open_scope(tenant=firm.id, reason="a test"):
        made = ingest(firm, principal=alice)
        assert sent == []
    assert sent == [[str(firm.id), str(made.job.id), str(alice.id)]]


@committed
def test_a_rolled_back_upload_sends_nothing(firm: Firm, sent: list[list[str | None]]) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        ingest(firm)
        transaction.set_rollback(True)
    assert sent == []


@committed
def test_a_broker_that_is_down_loses_nothing(
    firm: Firm, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from kombu.exceptions import OperationalError

    def refused(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(app, "send_task", refused)
    with caplog.at_level(logging.WARNING):
        made = ingest(firm)
    assert job(firm, made.job.id).status == JobStatus.PENDING
    assert "waits for the sweeper" in caplog.text


# --- the sweeper ---


@committed
def test_a_job_that_was_just_sent_is_not_sent_again(firm: Firm, sent: list[list[str | None]]) -> None:
    ingest(firm)
    sent.clear()
    assert (sweep(), sent) == (0, [])


@committed
def test_a_lost_message_is_sent_again_once(firm: Firm, sent: list[list[str | None]]) -> None:
    made = ingest(firm)
    sent.clear()
    due(firm, made.job.id)
    assert (sweep(), sweep()) == (1, 0)
    assert [message[1] for message in sent] == [str(made.job.id)]


@committed
def test_all_tenants_are_swept(firm: Firm, sent: list[list[str | None]]) -> None:
    other = make_firm("borealis")
    for each in (firm, other):
        due(each, ingest(each).job.id)
    sent.clear()
    sweep()
    assert {message[0] for message in sent} == {str(firm.id), str(other.id)}


@committed
def test_a_suspended_tenants_jobs_wait(firm: Firm, sent: list[list[str | None]]) -> None:
    due(firm, ingest(firm).job.id)
    sent.clear()
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(status=TenantStatus.SUSPENDED)
    assert (sweep(), sent) == (0, [])


@committed
def test_a_job_whose_time_has_come_is_sent_and_may_be_taken(firm: Firm, sent: list[list[str | None]]) -> None:
    made = ingest(firm)
    due(firm, made.job.id, status=JobStatus.RETRY, attempts=2)
    sent.clear()
    sweep()
    waiting = job(firm, made.job.id)
    assert (waiting.status, waiting.attempts, len(sent)) == (JobStatus.PENDING, 2, 1)


@committed
def test_a_dead_workers_job_is_sent_and_a_living_ones_is_not(firm: Firm, sent: list[list[str | None]]) -> None:
    dead, living = ingest(firm), ingest(firm, b"Another text.")
    now = timezone.now()
    for made, until in ((dead, now - timedelta(seconds=1)), (living, now + timedelta(seconds=30))):
        change_job(firm, made.job.id, status=JobStatus.RUNNING, lease_until=until, next_attempt_at=None)
    sent.clear()
    sweep()
    assert [message[1] for message in sent] == [str(dead.job.id)]


@pytest.mark.django_db
@pytest.mark.parametrize("status", [JobStatus.SUCCEEDED, JobStatus.FAILED])
def test_ended_jobs_are_not_sent(firm: Firm, sent: list[list[str | None]], status: JobStatus) -> None:
    due(firm, ingest(firm).job.id, status=status)
    assert sweep() == 0


# --- by hand ---


@pytest.fixture
def failed(firm: Firm) -> IngestJob:
    made = ingest(firm, b"%PDF-1.7 cut", filename="cut.pdf")
    run_job(str(firm.id), str(made.job.id), None)
    return job(firm, made.job.id)


def restart_as(firm: Firm, principal: Principal, failed: IngestJob) -> IngestJob:
    with open_scope(tenant=firm.id, principal=principal):
        return job_restart(job=failed)


@pytest.mark.django_db
def test_a_failed_job_can_be_started_again_by_an_administrator(firm: Firm, failed: IngestJob) -> None:
    bob = make_member(firm, "bob", Role.TENANT_ADMIN)
    again = restart_as(firm, bob, failed)
    assert (again.status, again.actor_id, again.error_code) == (JobStatus.PENDING, bob.id, "")
    assert document(firm, failed.document_id).status == DocumentStatus.RECEIVED
    assert actions(firm, ["corpus.job."]) == ["corpus.job.restarted"]


@pytest.mark.django_db
def test_a_role_without_the_permission_can_not(firm: Firm, failed: IngestJob) -> None:
    with pytest.raises(PermissionDeniedError):
        restart_as(firm, make_member(firm, "charlie", Role.AUDITOR), failed)


@pytest.mark.django_db
@pytest.mark.parametrize("status", [JobStatus.RUNNING, JobStatus.PENDING, JobStatus.SUCCEEDED])
def test_only_what_failed_or_waits_can_be_started_again(firm: Firm, failed: IngestJob, status: JobStatus) -> None:
    change_job(firm, failed.id, status=status)
    with pytest.raises(JobNotRetryableError):
        restart_as(firm, make_member(firm, "bob", Role.TENANT_ADMIN), failed)


# --- with a real worker ---


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def remote_firm(firm: Firm, server: ModelServer) -> Firm:
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
    return firm


class Worker:
    """A Celery worker as a process of its own, with its provider at the test's model server.

    changed: settings that are other ones there than in this process.
    """

    def __init__(self, settings: LazySettings, server: ModelServer, tmp_path: Path, **changed: object) -> None:
        self._settings = settings
        module = tmp_path / "worker_settings.py"
        there = {"GLASSBOX_EMBEDDING_PROFILES": {"remote": remote_profile(server)}, **changed}
        module.write_text(
            "from config.settings.test import *\n" + "".join(f"{name} = {each!r}\n" for name, each in there.items())
        )
        self._environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "worker_settings",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(CHECKOUT)]),
            "GLASSBOX_TEST_DATABASE": str(settings.TEST_DATABASE),
            "GLASSBOX_DB_ROLE": "glassbox_worker",
        }
        self._log = (tmp_path / "worker.log").open("w")
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--concurrency=1", "-l", "info"]
        return subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            cwd=CHECKOUT, env=self._environment, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def kill(self) -> None:
        """As the kernel does when memory is short: no goodbye, its children included."""
        os.killpg(self.process.pid, 9)
        self.process.wait(timeout=10)

    def start_again(self) -> None:
        self.process = self._started()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.kill()
        self._log.close()


@pytest.fixture
def worker(remote_firm: Firm, settings: LazySettings, server: ModelServer, tmp_path: Path) -> Iterator[Worker]:
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("celery")
    running = Worker(settings, server, tmp_path)
    yield running
    running.close()


def wait_for(condition: Callable[[], bool], *, seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


@committed
def test_a_worker_takes_a_document_from_upload_to_ready(remote_firm: Firm, worker: Worker) -> None:
    alice = make_member(remote_firm, "alice", Role.ANALYST)
    made = ingest(remote_firm, principal=alice)
    wait_for(lambda: job(remote_firm, made.job.id).status == JobStatus.SUCCEEDED)
    assert document(remote_firm, made.document.id).status == DocumentStatus.READY


@committed
def test_a_worker_killed_in_mid_document_is_replaced_without_loss(
    remote_firm: Firm, worker: Worker, server: ModelServer
) -> None:
    server.at_request(1, lambda: Fault.HANG)
    made = ingest(remote_firm, long_report())
    wait_for(lambda: len(server.requests) == 1)
    worker.kill()
    left = job(remote_firm, made.job.id)
    assert (left.status, left.chunks_embedded) == (JobStatus.RUNNING, 0)
    change_job(remote_firm, made.job.id, lease_until=timezone.now())
    sweep()
    worker.start_again()
    wait_for(lambda: job(remote_firm, made.job.id).status == JobStatus.SUCCEEDED)
    done = job(remote_firm, made.job.id)
    assert done.chunks_embedded == done.chunks_total > 0


@committed
def test_a_flushed_broker_loses_nothing(remote_firm: Firm, worker: Worker) -> None:
    worker.kill()
    made = ingest(remote_firm)
    with app.connection_for_write() as broker:
        assert broker.default_channel.queue_purge("celery") == 1
    due(remote_firm, made.job.id)
    assert sweep() == 1
    worker.start_again()
    wait_for(lambda: job(remote_firm, made.job.id).status == JobStatus.SUCCEEDED)
