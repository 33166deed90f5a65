"""The class of every Celery task (config/celery.py names it)."""

from __future__ import annotations

import logging
from typing import Any

from celery import Task
from celery.exceptions import Ignore

from apps.erasure.tombstones.gate import refuse_unless_served
from apps.errors import ApplicationError
from config.operations import request_id

logger = logging.getLogger("glassbox")


class ServingTask(Task):  # type: ignore[misc]
    """A task that is not run on a restored database until later erasures were repeated in it.

    Its message is dropped, because the schedule finds all waiting work again.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with request_id.named(getattr(self.request, request_id.TASK_HEADER, None)):
            return self._serve(*args, **kwargs)

    def _serve(self, *args: Any, **kwargs: Any) -> Any:
        try:
            refuse_unless_served()
        except ApplicationError as error:
            logger.warning("%s was not run: %s", self.name, error)
            raise Ignore from error
        return super().__call__(*args, **kwargs)
