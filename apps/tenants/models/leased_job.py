"""The base class of jobs that one worker at a time works on.

A job is a row first. A message then sends it to a worker, and a sweep sends the message again if it was lost.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q, QuerySet

from apps.tenants.models.base import TenantModel
from apps.tenants.waits import is_past


class LeasedJob(TenantModel):
    """A job of one tenant. apps/tenants/leased_jobs.py explains how a job is sent, claimed, held and ended.

    A new kind of job needs a subclass that sets the class attributes below, and one function that does the work. A
    Celery task with the name `task` calls that function with the ids of the tenant and the job.

    attempts: how often a worker has begun the job. next_attempt_at: when the sweep sends the job's message again, if
    no worker has begun by then.
    """

    # The Celery task that runs the job, and the process that runs the task, by its name for `manage.py serve`.
    task: ClassVar[str]
    process: ClassVar[str] = "worker"
    # What an operator reads of such jobs, such as "searches for people"; and the field of health that counts those that
    # wait, if they are counted.
    label: ClassVar[str]
    counted_as: ClassVar[str] = ""
    # Whether its own process goes over its due jobs, because no other has the right to take them.
    sweeps_itself: ClassVar[bool] = False
    # Whether the jobs of a suspended tenant go on.
    in_suspended: ClassVar[bool] = False
    # The reason that the worker gives when it opens the tenant's scope.
    reason: ClassVar[str]
    # The states in which a worker may take the job; those in which it may only once next_attempt_at has come; and the
    # state while a worker holds it.
    waiting: ClassVar[tuple[str, ...]]
    postponed: ClassVar[tuple[str, ...]] = ()
    running: ClassVar[str]
    # Whether a message names its job, and how many messages at once the sweep sends for a tenant; None for all.
    names_itself: ClassVar[bool] = True
    messages_at_once: ClassVar[int | None] = None
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
    def free(cls, now: datetime) -> Q:
        """Return the filter for jobs that a worker may take: those that wait, and those whose worker died."""
        return (
            Q(state__in=cls.waiting)
            | (Q(state__in=cls.postponed) & cls.due(now))
            | (Q(state=cls.running) & cls.lost(now))
        )

    @classmethod
    def lost(cls, now: datetime) -> Q:
        """Return the filter for jobs that no worker holds, or whose lease has run out."""
        return Q(lease_until__isnull=True) | is_past("lease_until", now)

    @classmethod
    def due(cls, now: datetime) -> Q:
        """Return the filter for jobs whose next attempt, or whose next message, is due."""
        return Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now)

    @classmethod
    def in_line(cls, now: datetime) -> QuerySet[Any]:
        """Return the open scope's jobs that wait for a worker."""
        return cls.objects.filter(cls.free(now))

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
