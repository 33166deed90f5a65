"""The message after the row: Celery is told once the transaction is through, and only told."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from apps.corpus.models import IngestJob
from apps.tenants.leased_jobs import send

QUEUE = "ingest"
RUN_NEXT_TASK = "apps.corpus.tasks.run_next"

# When the sweeper sends a job again that nobody has begun: a message may have been lost, or wait in a long queue.
# A message too many does no harm, since only one worker gets the lease.
RESEND_AFTER = timedelta(seconds=60)


def enqueue(job: IngestJob) -> None:
    """Say that there is work when the current transaction commits.

    The message names nothing: whoever is free takes what is next (ingest_turns), reads the actor's grants again and
    opens a scope of its own. A broker that does not answer costs nothing but time, because the sweeper finds the row.
    """
    job_id = job.id
    transaction.on_commit(lambda: announce_work(f"ingest job {job_id}"))


def announce_work(what: str) -> None:
    """Args: what: for the log, where it can't be sent."""
    send(RUN_NEXT_TASK, what=what)
