"""The base of every job that one worker at a time works on: a row first, a message second, a sweep behind both."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.db import models

from apps.tenants.models.base import TenantModel
from apps.tenants.sweeping import Sweep
from apps.tenants.waiting import Work


class LeasedJob(TenantModel):
    """A job of one tenant. apps/tenants/leased_jobs.py says how one is sent, claimed, held and ended.

    A new kind of job is a subclass that sets the class attributes below, and one function that does the work, which a
    Celery task of the name `task` calls with the ids of the tenant and the job.

    attempts: how often a worker has begun. next_attempt_at: when the sweep sends its message again, if nobody has
    begun by then.
    """

    # Name of the Celery task that runs it; of the sweep that sends it again; and what health calls those that wait.
    task: ClassVar[str]
    sweep: ClassVar[Sweep]
    work: ClassVar[Work | None] = None
    # Why the worker opens the tenant's scope, for the wall's own record.
    reason: ClassVar[str]
    # The states in which a worker may take it, and the one in which a worker has it.
    waiting: ClassVar[tuple[str, ...]]
    running: ClassVar[str]
    # What a message that nobody has acted upon waits before it is sent once more; one too many does no harm.
    resend_after: ClassVar[timedelta] = timedelta(seconds=60)

    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=127, blank=True)
    lease_until = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=100, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def kinds(cls) -> list[type[LeasedJob]]:
        """Every kind of job that is installed."""
        return sorted(
            (each for each in _descendants(cls) if not each._meta.abstract), key=lambda each: each._meta.label
        )


def _descendants(cls: type[Any]) -> list[Any]:
    return [each for child in cls.__subclasses__() for each in (child, *_descendants(child))]
