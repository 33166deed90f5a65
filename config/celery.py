"""The Celery application: the worker and beat load it, the web process sends through it."""

from __future__ import annotations

import logging
import os

from typing import Any

from celery import Celery, Task
from celery.exceptions import Ignore
from celery.signals import beat_init, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")

logger = logging.getLogger("glassbox")


class ServingTask(Task):  # type: ignore[misc]
    """A task that is not run on a database that was put back, until what was erased since is gone again.

    Its message is dropped: whatever waits is found again by the clock.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Loaded late: Celery reads this module before Django's applications are there.
        from apps.audit.backup.gate import refuse_unless_served
        from apps.errors import ApplicationError

        try:
            refuse_unless_served()
        except ApplicationError as error:
            logger.warning("%s was not run: %s", self.name, error)
            raise Ignore from error
        return super().__call__(*args, **kwargs)


app = Celery("glassbox", task_cls=ServingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _refuse_unsafe_start(**_: object) -> None:
    from config.startup import refuse_unsafe_start

    refuse_unsafe_start()


worker_init.connect(_refuse_unsafe_start)
beat_init.connect(_refuse_unsafe_start)
