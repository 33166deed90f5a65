"""The Celery application: workers and beat load it, and the web process sends tasks through it."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

from celery import Celery
from celery.signals import (
    after_setup_logger,
    after_setup_task_logger,
    beat_init,
    before_task_publish,
    worker_init,
    worker_process_init,
)

from apps.errors import ApplicationError
from config.operations import logs, request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")

# The remote commands that a worker accepts: whether it is running, and which queues it reads.
COMMANDS: Final = frozenset({"ping", "active_queues"})

# The class is given by its name because this application is loaded before Django is.
app = Celery("glassbox", task_cls="apps.operations.backup.task_class:ServingTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _refuse_unsafe_start(**_: object) -> None:
    """End a worker whose start is unsafe. Only an exit does: Celery logs a receiver's exception and continues."""
    from config.startup import refuse_unsafe_start

    try:
        refuse_unsafe_start()
    except ApplicationError as error:
        sys.exit(f"glassbox: {error}")
    except Exception as error:  # noqa: BLE001 - what can't be asked is not known to be safe
        sys.exit(f"glassbox: nobody can say whether it is safe to start: {type(error).__name__}")


def _tell_surplus(**_: object) -> None:
    """Log surplus secrets. Beat does not check the database, because it never reads it and has no key for it."""
    from config.startup import tell_surplus

    tell_surplus()


def _take_few_commands(**_: object) -> None:
    """Remove all remote commands except the few in COMMANDS.

    Anyone who may write to the broker can send commands to workers. Celery has commands that reveal a worker's settings
    (including the passwords of database roles), that change which queues it reads, and that end it.
    """
    from celery.worker.control import Panel

    for name in Panel.data.keys() - COMMANDS:
        del Panel.data[name]


def _give_back_when_stopped(**_: object) -> None:
    """Let a child that is stopped during its task unwind, so that its locks and leases are given back at once."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


worker_init.connect(_refuse_unsafe_start)
worker_init.connect(_take_few_commands)
worker_process_init.connect(_give_back_when_stopped)
beat_init.connect(_tell_surplus)
before_task_publish.connect(request_id.carry)


def _log_as_json(**found: object) -> None:
    from django.conf import settings

    if settings.GLASSBOX_LOG_FORMAT == "json":
        logs.of_celery(**found)


after_setup_logger.connect(_log_as_json)
after_setup_task_logger.connect(_log_as_json)
