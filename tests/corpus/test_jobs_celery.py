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

from apps.corpus.jobs import RunOutcome, job_run
from apps.corpus.models import DocumentStatus, IngestJob, JobState
from apps.corpus.services.ingest.errors import JobNotRetryableError
from apps.corpus.services.ingest.restart import job_restart
from apps.corpus.tasks import run_next
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.leased_jobs import sweep_kind
from apps.tenants.models import Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.waiting import Waiting, waiting_now
from config.celery import app
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import actions, change_job, document, ingest, job, long_report, remote_profile
from tests.factories import Firm, make_firm, make_member
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]

committed = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that would have gone to the broker."""
    messages: list[str] = []

    def send_task(name: str, args: list[str], countdown: float | None) -> None:
        messages.append(name)

    monkeypatch.setattr(app, "send_task", send_task)
    return messages


@pytest.fixture
def firm() -> Firm:
    return make_firm()


def due(firm: Firm, job_id: UUID, **values: Any) -> None:
    change_job(firm, job_id, next_attempt_at=timezone.now() - timedelta(seconds=1), **values)


# --- the message ---


@committed
def test_the_message_goes_out_when_the_row_is_committed_and_names_nothing(firm: Firm, sent: list[str]) -> None:
    alice = make_member(firm, "alice", Role.ANALYST)
    with open_scope(tenant=firm.id, reason="a test"):
        ingest(firm, principal=alice)
        assert sent == []
    assert sent == [run_next.name]


@committed
def test_a_rolled_back_upload_sends_nothing(firm: Firm, sent: list[str]) -> None:
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
    assert job(firm, made.job.id).state == JobState.PENDING
    assert "waits for the sweep" in caplog.text


# --- the sweeper ---


@committed
def test_a_job_that_was_just_sent_is_not_sent_again(firm: Firm, sent: list[str]) -> None:
    ingest(firm)
    sent.clear()
    assert (sweep_kind(IngestJob), sent) == (0, [])


@committed
def test_a_lost_message_is_sent_again_once(firm: Firm, sent: list[str]) -> None:
    made = ingest(firm)
    sent.clear()
    due(firm, made.job.id)
    assert (sweep_kind(IngestJob), sweep_kind(IngestJob)) == (1, 0)
    assert sent == [run_next.name]


@committed
def test_all_tenants_are_swept(firm: Firm, sent: list[str]) -> None:
    other = make_firm("borealis")
    for each in (firm, other):
        due(each, ingest(each).job.id)
    sent.clear()
    assert sweep_kind(IngestJob) == 2
    assert len(sent) == 2


@committed
def test_the_sweep_notes_what_waits_and_since_when(firm: Firm, sent: list[str], own_cache: None) -> None:
    other = make_firm("borealis")
    for each in (firm, other):
        ingest(each)
    sweep_kind(IngestJob)
    assert waiting_now()[IngestJob].count == 2
    for each in (firm, other):
        with open_scope(tenant=each.id, reason="a test"):
            IngestJob.objects.update(state=JobState.SUCCEEDED)
    sweep_kind(IngestJob)
    assert waiting_now()[IngestJob] == Waiting(count=0, oldest_s=0)


@committed
def test_a_suspended_tenants_jobs_wait(firm: Firm, sent: list[str]) -> None:
    made = ingest(firm)
    due(firm, made.job.id)
    sent.clear()
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(status=TenantStatus.SUSPENDED)
    assert (sweep_kind(IngestJob), sent) == (0, [])
    # Whoever chose it just before the tenant was suspended.
    assert job_run(job_id=made.job.id, tenant_id=firm.id) is RunOutcome.NOT_CLAIMED
    assert job(firm, made.job.id).state == JobState.PENDING


@committed
def test_a_job_whose_time_has_come_is_sent_and_may_be_taken(firm: Firm, sent: list[str]) -> None:
    made = ingest(firm)
    due(firm, made.job.id, state=JobState.RETRY, attempts=2)
    sent.clear()
    sweep_kind(IngestJob)
    waiting = job(firm, made.job.id)
    assert (waiting.state, waiting.attempts, len(sent)) == (JobState.PENDING, 2, 1)


@committed
def test_a_dead_workers_job_is_sent_and_a_living_ones_is_not(firm: Firm, sent: list[str]) -> None:
    dead, living = ingest(firm), ingest(firm, b"Another text.")
    now = timezone.now()
    for made, until in ((dead, now - timedelta(seconds=1)), (living, now + timedelta(seconds=30))):
        change_job(firm, made.job.id, state=JobState.RUNNING, lease_until=until, next_attempt_at=None)
    sent.clear()
    assert sweep_kind(IngestJob) == 1
    assert sent == [run_next.name]
    assert [job(firm, made.job.id).next_attempt_at is None for made in (dead, living)] == [False, True]


@pytest.mark.django_db
@pytest.mark.parametrize("state", [JobState.SUCCEEDED, JobState.FAILED])
def test_ended_jobs_are_not_sent(firm: Firm, sent: list[str], state: JobState) -> None:
    due(firm, ingest(firm).job.id, state=state)
    assert sweep_kind(IngestJob) == 0


# --- by hand ---


@pytest.fixture
def failed(firm: Firm) -> IngestJob:
    made = ingest(firm, BROKEN, filename="cut.json")
    run_next()
    return job(firm, made.job.id)


def restart_as(firm: Firm, principal: Principal, failed: IngestJob) -> IngestJob:
    with open_scope(tenant=firm.id, principal=principal):
        return job_restart(job=failed)


@pytest.mark.django_db
def test_a_failed_job_can_be_started_again_by_an_administrator(firm: Firm, failed: IngestJob) -> None:
    bob = make_member(firm, "bob", Role.TENANT_ADMIN)
    again = restart_as(firm, bob, failed)
    assert (again.state, again.actor_id, again.error_code) == (JobState.PENDING, bob.id, "")
    assert document(firm, failed.document_id).status == DocumentStatus.RECEIVED
    assert actions(firm, ["corpus.job."]) == ["corpus.job.restarted"]


@pytest.mark.django_db
def test_a_role_without_the_permission_can_not(firm: Firm, failed: IngestJob) -> None:
    with pytest.raises(PermissionDeniedError):
        restart_as(firm, make_member(firm, "charlie", Role.AUDITOR), failed)


@pytest.mark.django_db
@pytest.mark.parametrize("state", [JobState.RUNNING, JobState.PENDING, JobState.SUCCEEDED])
def test_only_what_failed_or_waits_can_be_started_again(firm: Firm, failed: IngestJob, state: JobState) -> None:
    change_job(firm, failed.id, state=state)
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


# Documents; what people wait for; what is due by the clock, and letters.
QUEUES = ("ingest", "celery", "clock")


def empty_queues() -> None:
    """Of what earlier tests have left for a worker."""
    with app.connection_for_write() as broker:
        for queue in QUEUES:
            broker.default_channel.queue_purge(queue)


class Worker:
    """A Celery worker as a process of its own, of all queues, with its provider at the test's model server.

    at_once: its children. changed: settings that are other ones there than in this process.
    """

    def __init__(
        self, settings: LazySettings, server: ModelServer, tmp_path: Path, *, at_once: int = 1, **changed: object
    ) -> None:
        self._settings = settings
        self._at_once = at_once
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
        command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", f"--queues={','.join(QUEUES)}"]
        return subprocess.Popen(
            [*command, f"--concurrency={self._at_once}", "-l", "info", "--without-gossip", "--without-mingle"],
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
    empty_queues()
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
    wait_for(lambda: job(remote_firm, made.job.id).state == JobState.SUCCEEDED)
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
    assert (left.state, left.chunks_embedded) == (JobState.RUNNING, 0)
    change_job(remote_firm, made.job.id, lease_until=timezone.now())
    sweep_kind(IngestJob)
    worker.start_again()
    wait_for(lambda: job(remote_firm, made.job.id).state == JobState.SUCCEEDED)
    done = job(remote_firm, made.job.id)
    assert done.chunks_embedded == done.chunks_total > 0


@committed
def test_a_flushed_broker_loses_nothing(remote_firm: Firm, worker: Worker) -> None:
    worker.kill()
    made = ingest(remote_firm)
    with app.connection_for_write() as broker:
        assert broker.default_channel.queue_purge("ingest") == 1
    due(remote_firm, made.job.id)
    assert sweep_kind(IngestJob) == 1
    worker.start_again()
    wait_for(lambda: job(remote_firm, made.job.id).state == JobState.SUCCEEDED)


@committed
def test_a_small_document_is_read_while_a_large_one_of_another_tenant_is_at_work(
    remote_firm: Firm, settings: LazySettings, server: ModelServer, tmp_path: Path
) -> None:
    other = borealis()
    server.at_request(1, lambda: Fault.HANG)
    large = {"GLASSBOX_INGEST_SLOTS": 2, "GLASSBOX_INGEST_LARGE_BYTES": 10_000}
    slow, next_slow = ingest(remote_firm, long_report()), ingest(remote_firm, long_report(31))
    running = Worker(settings, server, tmp_path, at_once=2, **large)
    try:
        wait_for(lambda: len(server.requests) == 1)
        quick = ingest(other)
        wait_for(lambda: job(other, quick.job.id).state == JobState.SUCCEEDED)
        assert [job(remote_firm, made.job.id).state for made in (slow, next_slow)].count(JobState.RUNNING) == 1
        assert [job(remote_firm, made.job.id).state for made in (slow, next_slow)].count(JobState.PENDING) == 1
    finally:
        running.kill()
        running.close()


@committed
def test_a_tenant_does_not_wait_behind_the_pile_of_another_one(
    remote_firm: Firm, settings: LazySettings, server: ModelServer, tmp_path: Path
) -> None:
    other = borealis()
    pile = [ingest(remote_firm, f"Note {number}: fees are 1 %.".encode()).job.id for number in range(30)]
    last = ingest(other, b"The only note: fees are 2 %.").job.id
    running = Worker(settings, server, tmp_path)
    try:
        wait_for(lambda: job(other, last).state == JobState.SUCCEEDED)
        done = [job(remote_firm, each) for each in pile]
        ended = job(other, last).finished_at
        assert ended is not None
        before = [each for each in done if each.finished_at is not None and each.finished_at < ended]
        assert len(before) <= 1
        wait_for(lambda: all(job(remote_firm, each).state == JobState.SUCCEEDED for each in pile), seconds=90)
    finally:
        running.close()


def borealis() -> Firm:
    made = make_firm("borealis")
    with open_scope(tenant=made.id, reason="a test"):
        Tenant.objects.filter(id=made.id).update(embedding_profile="remote")
    return made
