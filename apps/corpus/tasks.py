"""The Celery tasks of the corpus. The work itself is in jobs.py, which does not depend on Celery."""

from __future__ import annotations

import logging
import traceback

from celery import Task, shared_task

from apps.corpus.jobs import next_run
from apps.corpus.models import IngestJob
from apps.corpus.services.ingest.turns import anything_waits
from apps.tenants.leased_jobs import send

logger = logging.getLogger("glassbox.corpus")


class TaskCrashedError(Exception):
    """The error that Celery gets for a crash. The traceback is in our own log, without any text of a document."""


def _run_next() -> None:
    """Run the next ingest job; when it has ended, with success or failure, announce work if more jobs wait.

    Raises: TaskCrashedError: an unexpected exception occurred; the error contains only the name of its class.
    """
    try:
        ran = next_run()
    except Exception as error:  # noqa: BLE001 - it goes on, without its message
        # Celery logs an exception with its message, and the message of a parser or a driver may quote the document.
        crashed_at = "".join(traceback.format_tb(error.__traceback__))
        logger.error("an ingest job crashed: %s at\n%s", type(error).__name__, crashed_at)  # noqa: TRY400
        _announce_the_next()
        raise TaskCrashedError(type(error).__name__) from None
    if ran is not None:
        logger.info("ingest job %s: %s", *ran)
        _announce_the_next()


def _announce_the_next() -> None:
    if anything_waits():
        send(IngestJob.task)


# Registered by call: Celery has no type hints, and an untyped decorator would hide the types of the functions.
run_next: Task = shared_task(name=IngestJob.task, acks_late=True, reject_on_worker_lost=True, ignore_result=True)(
    _run_next
)
