"""The message after the row: Celery is told once the transaction is through, and only told."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from kombu.exceptions import OperationalError

from apps.corpus.models import IngestJob

logger = logging.getLogger("glassbox.corpus")

RUN_JOB_TASK = "apps.corpus.tasks.run_job"

# When the sweeper sends a job again that nobody has begun: a message may have been lost, or wait in a long queue.
# A message too many does no harm, since only one worker gets the lease.
RESEND_AFTER = timedelta(seconds=60)


def enqueue(job: IngestJob) -> None:
    """Send the job's message when the current transaction commits.

    The message carries ids alone: the worker reads the actor's grants again and opens its own scope. A broker that
    does not answer costs nothing but time, because the sweeper finds the row.
    """
    arguments = [str(job.tenant_id), str(job.id), str(job.actor_id) if job.actor_id else None]
    transaction.on_commit(lambda: _send(arguments))


def _send(arguments: list[str | None]) -> None:
    # Imported here: it names Celery's settings, and this module is loaded while Django's are still being read.
    from config.celery import app

    try:
        app.send_task(RUN_JOB_TASK, args=arguments)
    except OperationalError as error:
        logger.warning("ingest job %s waits for the sweeper: the broker said %s", arguments[1], type(error).__name__)
