"""Messages after rows: whoever goes on is told once the transaction is through, and the clock makes up for a loss."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db import transaction
from kombu.exceptions import OperationalError

from apps.erasure.models import RemovalRun
from apps.tenants.ids import TenantId

logger = logging.getLogger("glassbox.audit")

CARRY_OUT_TASK: Final = "apps.erasure.tasks.carry_out_removal"
CERTIFY_TASK: Final = "apps.erasure.tasks.issue_certificates"
_AT_ONCE: Final = timedelta()
# By then the event that ends a run is sealed: what waits has its leaf every second.
_SEALED_AFTER: Final = timedelta(seconds=2)


def enqueue(run: RemovalRun, *, after: timedelta = _AT_ONCE) -> None:
    """Send the run's message when the current transaction commits. It carries ids alone.

    after: so long the eraser leaves it alone.
    """
    arguments = [str(run.tenant_id), str(run.id)]
    transaction.on_commit(lambda: _send(CARRY_OUT_TASK, arguments, after))


def enqueue_certificate(run: RemovalRun) -> None:
    """Have the certificate of a run that ends issued, when the current transaction commits."""
    enqueue_certificates(TenantId(run.tenant_id))


def enqueue_certificates(tenant_id: TenantId) -> None:
    """Have what is due of a tenant issued, when the current transaction commits."""
    arguments = [str(tenant_id)]
    transaction.on_commit(lambda: _send(CERTIFY_TASK, arguments, _SEALED_AFTER))


def _send(task: str, arguments: Sequence[str], after: timedelta) -> None:
    # Imported here: it names Celery's settings, and this module is loaded while Django's are still being read.
    from config.celery import app

    try:
        app.send_task(task, args=arguments, countdown=after.total_seconds() or None)
    except OperationalError as error:
        logger.warning("%s of %s waits for the clock: %s", task, " ".join(arguments), type(error).__name__)
