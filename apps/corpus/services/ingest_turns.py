"""Whose document is next: no tenant waits behind another one's pile, and no small file behind large ones.

A message says that there is work, and nothing more. Whoever is free takes what is next by these rules:

- the tenant with the fewest documents at work; among equals, the one that was served longest ago;
- of a tenant, the oldest, where a large file counts as younger by what it will take, ten minutes at most: small ones
  pass it, and not for ever;
- of two or more places of a process, the last free one takes small files alone, and of tenants that have none of the
  others. So one place is free soon, whatever a single tenant uploaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, FloatField, Q, QuerySet, Value
from django.db.models.functions import Cast, Least
from django.utils import timezone
from redis.exceptions import RedisError

from apps.corpus.models import IngestJob, JobStatus
from apps.corpus.services.ingest_lease import Lease, RunPolicy, claim, worker_name
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import active_tenants
from apps.tenants.sweeping import each_that_can, is_past

# How fast a file of which every byte is text is read and embedded, and how much later a large one may come for it.
_BYTES_A_SECOND: Final = 10_000.0
_LATER_AT_MOST_S: Final = 600.0
_SERVED: Final = "ingest:served:{tenant}"
_REASON: Final = "take the next ingest job"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queue:
    """One tenant's: how many of its documents are at work, how many of them here, and when it was last served."""

    tenant_id: TenantId
    running: int
    here: int
    served: float


def take_next(policy: RunPolicy) -> Lease | None:
    """Take the job that is next for this process; None where none may be taken now.

    Costs: three queries and the opening of its directory for each active tenant, and those of `claim`.
    """
    with transaction.atomic():
        # One chooses at a time: two that look at once would both see the last place free.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("ingest", "next")])
        queues = _queues()
        slots, here = settings.GLASSBOX_INGEST_SLOTS, sum(each.here for each in queues)
        is_last = slots > 1 and here >= slots - 1
        for queue in sorted(queues, key=lambda each: (each.running, each.served)):
            if is_last and queue.here and len(queues) > 1:
                continue
            claimed = partial(_claimed, small=is_last, policy=policy)
            for lease in filter(None, each_that_can([queue.tenant_id], claimed, doing=_REASON)):
                _note_served(queue.tenant_id)
                return lease
    return None


def anything_waits() -> bool:
    """Whether any tenant has a job that could be taken."""
    return any(any(each_that_can([tenant_id], _is_waited_for, doing=_REASON)) for tenant_id in active_tenants())


def waiting(now: datetime) -> QuerySet[IngestJob]:
    """The open tenant's jobs that may be taken, of documents that may be worked on."""
    free = (
        Q(status=JobStatus.PENDING)
        | (Q(status=JobStatus.RETRY) & (Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now)))
        | (Q(status=JobStatus.RUNNING) & (Q(lease_until__isnull=True) | is_past("lease_until", now)))
    )
    # The document's row is hidden while it is restricted, and its job with it.
    return IngestJob.objects.filter(free, document__byte_size__gte=0)


def _is_waited_for(tenant_id: TenantId) -> bool:
    with open_scope(tenant=tenant_id, reason=_REASON):
        return waiting(timezone.now()).exists()


def _queues() -> Sequence[_Queue]:
    tenants = active_tenants()
    return each_that_can(tenants, partial(_queue, _last_served(tenants)), doing=_REASON)


def _queue(served: Mapping[TenantId, float], tenant_id: TenantId) -> _Queue:
    with open_scope(tenant=tenant_id, reason=_REASON):
        running = IngestJob.objects.filter(status=JobStatus.RUNNING).exclude(is_past("lease_until", timezone.now()))
        owners = list(running.values_list("lease_owner", flat=True))
    here = sum(owner.startswith(f"{worker_name()}:") for owner in owners)
    return _Queue(tenant_id=tenant_id, running=len(owners), here=here, served=served.get(tenant_id, 0.0))


def _claimed(tenant_id: TenantId, *, small: bool, policy: RunPolicy) -> Lease | None:
    now = timezone.now()
    with open_scope(tenant=tenant_id, reason=_REASON):
        jobs = waiting(now)
        if small:
            jobs = jobs.filter(document__byte_size__lt=settings.GLASSBOX_INGEST_LARGE_BYTES)
        job_id = jobs.annotate(turn=_turn()).order_by("turn", "id").values_list("id", flat=True).first()
    return claim(tenant_id=tenant_id, job_id=job_id, policy=policy) if job_id else None


def _turn() -> Any:
    """When it would be served if every file were as quick as a small one."""
    seconds = Least(Cast(F("document__byte_size"), FloatField()) / _BYTES_A_SECOND, Value(_LATER_AT_MOST_S))
    later: Any = ExpressionWrapper(seconds * Value(timedelta(seconds=1)), output_field=DurationField())
    turn: Any = ExpressionWrapper(F("created_at") + later, output_field=DateTimeField())
    return turn


def _last_served(tenants: Sequence[TenantId]) -> dict[TenantId, float]:
    """Seconds since 1970. Forgotten, it is a matter of chance who among equals comes first."""
    try:
        found = cache.get_many([_SERVED.format(tenant=tenant_id) for tenant_id in tenants])
    except RedisError:
        return {}
    return {tenant_id: float(found.get(_SERVED.format(tenant=tenant_id), 0.0)) for tenant_id in tenants}


def _note_served(tenant_id: TenantId) -> None:
    try:
        cache.set(_SERVED.format(tenant=tenant_id), timezone.now().timestamp(), timeout=24 * 3600)
    except RedisError:
        return
