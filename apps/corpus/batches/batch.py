"""Ingest many files for a command: store each, have its job run, and watch until all jobs have ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.corpus.batches.local import LocalRunner
from apps.corpus.models import Document, IngestJob, JobState
from apps.corpus.progress import IngestProgress, progress_of_job
from apps.corpus.reservations import reservations
from apps.corpus.services.ingest.document import document_ingest
from apps.corpus.services.ingest.manifest import PlannedFile, in_one_line
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.leased_jobs import sweep_tenant

# The queue of ingest jobs (CELERY_TASK_ROUTES).
QUEUE = "ingest"
POLL_SECONDS = 0.3
# After this long without progress on any job, check whether there are still workers.
PATIENCE_SECONDS = 30.0


@dataclass(slots=True, kw_only=True)
class BatchFile:
    """One file of a batch. error is empty unless the file failed.

    created is False if its bytes were stored already; differs names the metadata fields that were ignored in that case.
    place: the manifest's line that describes the file. notes: what was ignored in that line. warnings: what was lost
    when the file was read.
    """

    label: str
    place: str = ""
    notes: tuple[str, ...] = ()
    byte_size: int = 0
    job_id: UUID | None = None
    created: bool = False
    differs: tuple[str, ...] = ()
    error: str = ""
    warnings: Sequence[str] = ()
    embedded_before: int = 0
    progress: IngestProgress | None = None

    @property
    def named(self) -> str:
        """Return the name by which a person finds the file in order to repair it."""
        return f"{self.place} ({self.label})" if self.place else self.label

    @property
    def embedded_now(self) -> int:
        """Return the number of passages that were embedded in this run."""
        return max(0, self.progress.chunks_embedded - self.embedded_before) if self.progress else 0

    @property
    def is_finished(self) -> bool:
        return bool(self.error) or (self.progress is not None and self.progress.is_finished)


@dataclass(slots=True, kw_only=True)
class Batch:
    """All files of one run, in one scope. The actor is the system, with the given reason."""

    tenant_id: TenantId
    scope_id: ScopeId
    reason: str
    files: list[BatchFile] = field(default_factory=list)

    def take_in(self, planned: PlannedFile) -> BatchFile:
        """Store one file and its job; keep an error in the file's `error` instead of raising it."""
        file = BatchFile(label=planned.label, place=planned.place, notes=planned.notes, error=planned.error)
        self.files.append(file)
        if planned.path is None or planned.error:
            return file
        try:
            content = planned.path.read_bytes()
            with open_scope(tenant=self.tenant_id, scopes=[self.scope_id], reason=self.reason):
                result = document_ingest(
                    content=content,
                    filename=planned.path.name,
                    scope_id=self.scope_id,
                    kind=planned.kind,
                    metadata=planned.metadata,
                )
        except ApplicationError as error:
            file.error = error.detail
        except ValidationError as error:
            file.error = in_one_line(error)
        except OSError as error:
            file.error = f"It can't be read: {error.strerror}."
        else:
            file.byte_size, file.job_id, file.created = len(content), result.job.id, result.created
            file.differs = result.differs
            file.progress = progress_of_job(result.job)
            file.embedded_before = result.job.chunks_embedded
        return file

    def run(self, *, on_change: Callable[[], None], local: bool = False) -> None:
        """Wait until every job has ended; run the jobs in this command if no worker answers.

        Args: on_change: called before each poll of the jobs, and once at the end.
              local: run the jobs in this command even if there are workers.
        """
        self._refresh()
        if not all(file.is_finished for file in self.files):
            self._wait(on_change, local=local)
        self._warn()

    def _wait(self, on_change: Callable[[], None], *, local: bool) -> None:
        with ExitStack() as stack:
            runner = None if not local and workers_alive() else self._local_runner(stack)
            moved_at, seen = time.monotonic(), self._refresh()
            while waiting := [file for file in self.files if not file.is_finished]:
                on_change()
                if runner is not None:
                    self._run_here(runner, waiting)
                elif time.monotonic() - moved_at > PATIENCE_SECONDS:
                    moved_at = time.monotonic()
                    sweep_tenant(IngestJob, self.tenant_id)
                    if not workers_alive():
                        runner = self._local_runner(stack)
                time.sleep(POLL_SECONDS)
                now_seen = self._refresh()
                moved_at, seen = (moved_at if now_seen == seen else time.monotonic()), now_seen
        on_change()

    def _warn(self) -> None:
        ids = {file.progress.document_id for file in self.files if file.progress is not None and not file.error}
        with open_scope(tenant=self.tenant_id, scopes=[self.scope_id], reason=self.reason):
            said = {document.id: reservations(document) for document in Document.objects.filter(id__in=ids)}
        for file in self.files:
            if file.progress is not None:
                file.warnings = said.get(file.progress.document_id, ())

    def _local_runner(self, stack: ExitStack) -> LocalRunner:
        return stack.enter_context(LocalRunner(jobs=sum(not file.is_finished for file in self.files)))

    def _run_here(self, runner: LocalRunner, waiting: Sequence[BatchFile]) -> None:
        by_job = {file.job_id: file for file in waiting}
        for job_id, what_broke in runner.collect().items():
            if what_broke and job_id in by_job:
                by_job[job_id].error = f"The job was interrupted ({what_broke}). Run the command again to resume it."
        due = [file for file in waiting if not file.error and file.progress is not None and _is_due(file.progress)]
        # Begin with the longest: a long file that starts last would leave the other cores idle.
        due.sort(key=lambda file: -file.byte_size)
        runner.submit(self.tenant_id, [file.job_id for file in due if file.job_id is not None])

    def _refresh(self) -> Mapping[UUID, IngestProgress]:
        ids = [file.job_id for file in self.files if file.job_id is not None]
        with open_scope(tenant=self.tenant_id, scopes=[self.scope_id], reason=self.reason):
            seen = {job.id: progress_of_job(job) for job in IngestJob.objects.filter(id__in=ids)}
        for file in self.files:
            if file.job_id is None or file.error:
                continue
            file.progress = seen.get(file.job_id)
            if file.progress is None:
                file.error = "Its document was removed while the job was waiting."
            elif file.progress.state is JobState.FAILED:
                file.error = file.progress.error_detail
        return seen


def workers_alive() -> bool:
    """Return whether a worker that takes ingest jobs answers within a second."""
    # Imported here: a command that needs no worker should not need a broker's address.
    from config.celery import app

    try:
        queues = app.control.inspect(timeout=1.0).active_queues() or {}
    except (OperationalError, OSError):
        return False
    return any(queue["name"] == QUEUE for each in queues.values() for queue in each)


def _is_due(progress: IngestProgress) -> bool:
    if progress.state is JobState.RETRY:
        return progress.next_attempt_at is None or progress.next_attempt_at <= timezone.now()
    if progress.state is JobState.RUNNING:
        return progress.lease_until is not None and progress.lease_until <= timezone.now()
    return progress.state is JobState.PENDING
