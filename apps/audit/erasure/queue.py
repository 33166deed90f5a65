"""The message after the row: the eraser is told once the transaction is through, and the clock makes up for a loss."""

from __future__ import annotations

import logging
from typing import Final

from django.db import transaction
from kombu.exceptions import OperationalError

from apps.audit.models import RemovalRun

logger = logging.getLogger("glassbox.audit")

CARRY_OUT_TASK: Final = "apps.audit.tasks.carry_out_removal"


def enqueue(run: RemovalRun) -> None:
    """Send the run's message when the current transaction commits. It carries ids alone."""
    arguments = [str(run.tenant_id), str(run.id)]
    transaction.on_commit(lambda: _send(arguments))


def _send(arguments: list[str]) -> None:
    # Imported here: it names Celery's settings, and this module is loaded while Django's are still being read.
    from config.celery import app

    try:
        app.send_task(CARRY_OUT_TASK, args=arguments)
    except OperationalError as error:
        logger.warning("removal run %s waits for the clock: the broker said %s", arguments[1], type(error).__name__)
