"""Tell Celery that there is ingest work, after the transaction that stored the job has committed."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from apps.corpus.models import IngestJob
from apps.tenants.leased_jobs import send

QUEUE = "ingest"
RUN_NEXT_TASK = "apps.corpus.tasks.run_next"

# When the sweeper announces a job again that no worker has begun: the message may be lost, or wait in a long queue.
# An extra message does no harm, since only one worker gets the lease.
RESEND_AFTER = timedelta(seconds=60)


def enqueue(job: IngestJob) -> None:
    """Announce work when the current transaction commits.

    The message names no job: a free worker takes the next one (turns.py), reads the actor's grants again and opens
    its own scope. If the broker does not answer, the job is only delayed, because the sweeper finds the row.
    """
    job_id = job.id
    transaction.on_commit(lambda: announce_work(f"ingest job {job_id}"))


def announce_work(what: str) -> None:
    """Send the message that there is work.

    Args: what: names the work in the log if the message can't be sent.
    """
    send(RUN_NEXT_TASK, what=what)
