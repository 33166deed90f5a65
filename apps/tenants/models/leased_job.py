"""The base class of jobs that one worker at a time works on.

A job is a row first. A message then sends it to a worker, and a sweep sends the message again if it was lost.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.db import models

from apps.tenants.models.base import TenantModel
from apps.tenants.waiting import Work


class LeasedJob(TenantModel):
    """A job of one tenant. apps/tenants/leased_jobs.py explains how a job is sent, claimed, held and ended.

    A new kind of job needs a subclass that sets the class attributes below, and one function that does the work. A
    Celery task with the name `task` calls that function with the ids of the tenant and the job.

    attempts: how often a worker has begun the job. next_attempt_at: when the sweep sends the job's message again, if
    no worker has begun by then.
    """

    # The Celery task that runs the job; what an operator reads of such jobs, such as "searches for people"; and the
    # name that health gives to waiting jobs.
    task: ClassVar[str]
    label: ClassVar[str]
    work: ClassVar[Work | None] = None
    # Whether the jobs of a suspended tenant go on.
    in_suspended: ClassVar[bool] = False
    # The reason that the worker gives when it opens the tenant's scope.
    reason: ClassVar[str]
    # The states in which a worker may take the job, and the state while a worker holds it.
    waiting: ClassVar[tuple[str, ...]]
    running: ClassVar[str]
    # How long to wait before a message that no worker has acted upon is sent again. A superfluous message does no harm.
    resend_after: ClassVar[timedelta] = timedelta(seconds=60)

    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=127, blank=True)
    lease_until = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=100, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def sweep(cls) -> str:
        """Return what the sweep does for this kind, in words for the log and for people."""
        return f"send again to a worker: {cls.label}"

    @classmethod
    def kinds(cls) -> list[type[LeasedJob]]:
        """Return every kind of job that is installed, ordered by label."""
        return sorted(
            (each for each in _descendants(cls) if not each._meta.abstract), key=lambda each: each._meta.label
        )


def _descendants(cls: type[Any]) -> list[Any]:
    return [each for child in cls.__subclasses__() for each in (child, *_descendants(child))]
