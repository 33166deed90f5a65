"""Choose the next document to ingest, so that no tenant waits for another's backlog, and no small file for large ones.

A message only says that there is work. A free worker takes the next job by these rules:

- It takes the tenant with the fewest documents in progress; among equals, the one that was served longest ago.
- Within a tenant, it takes the oldest job. A large file counts as younger by the time that it will take, at most ten
  minutes, so small files can pass it but can't delay it for ever.
- If a process has two or more slots, the last free slot takes only small files, and only of tenants that use none of
  the other slots. So one slot is free soon, whatever a single tenant uploaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, FloatField, Value
from django.db.models.functions import Cast, Least
from django.utils import timezone
from redis.exceptions import RedisError

from apps.corpus.models import IngestJob, JobState
from apps.corpus.services.ingest.lease import Lease, RunPolicy, claim, worker_name
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import active_tenants
from apps.tenants.sweeping import each_that_can
from apps.tenants.waits import is_past

# How fast a file that is all text is read and embedded, and the longest delay that its size can cause.
_BYTES_A_SECOND: Final = 10_000.0
_LATER_AT_MOST_S: Final = 600.0
_SERVED: Final = "ingest:served:{tenant}"
_REASON: Final = "take the next ingest job"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queue:
    """One tenant's queue: how many of its jobs run, how many of them in this worker, and when it was last served."""

    tenant_id: TenantId
    running: int
    here: int
    served: float


def take_next(policy: RunPolicy) -> Lease | None:
    """Take the next job for this process; return None if none may be taken now.

    Costs: three queries and the opening of its directory for each active tenant, and the queries of `claim`.
    """
    with transaction.atomic():
        # Only one worker chooses at a time: two that look at once would both see the last slot as free.
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
    """Return whether any tenant has a job that could be taken."""
    return any(any(each_that_can([tenant_id], _is_waited_for, doing=_REASON)) for tenant_id in active_tenants())


def _is_waited_for(tenant_id: TenantId) -> bool:
    with open_scope(tenant=tenant_id, reason=_REASON):
        return IngestJob.in_line(timezone.now()).exists()


def _queues() -> Sequence[_Queue]:
    tenants = active_tenants()
    return each_that_can(tenants, partial(_queue, _last_served(tenants)), doing=_REASON)


def _queue(served: Mapping[TenantId, float], tenant_id: TenantId) -> _Queue:
    with open_scope(tenant=tenant_id, reason=_REASON):
        running = IngestJob.objects.filter(state=JobState.RUNNING).exclude(is_past("lease_until", timezone.now()))
        owners = list(running.values_list("lease_owner", flat=True))
    here = sum(owner.startswith(f"{worker_name()}:") for owner in owners)
    return _Queue(tenant_id=tenant_id, running=len(owners), here=here, served=served.get(tenant_id, 0.0))


def _claimed(tenant_id: TenantId, *, small: bool, policy: RunPolicy) -> Lease | None:
    with open_scope(tenant=tenant_id, reason=_REASON):
        jobs = IngestJob.in_line(timezone.now())
        if small:
            jobs = jobs.filter(document__byte_size__lt=settings.GLASSBOX_INGEST_LARGE_BYTES)
        job_id = jobs.annotate(turn=_turn()).order_by("turn", "id").values_list("id", flat=True).first()
    return claim(tenant_id=tenant_id, job_id=job_id, policy=policy) if job_id else None


def _turn() -> Any:
    """Return the expression that orders jobs: the time of the request, plus a delay that grows with the file's size."""
    seconds = Least(Cast(F("document__byte_size"), FloatField()) / _BYTES_A_SECOND, Value(_LATER_AT_MOST_S))
    later: Any = ExpressionWrapper(seconds * Value(timedelta(seconds=1)), output_field=DurationField())
    turn: Any = ExpressionWrapper(F("requested_at") + later, output_field=DateTimeField())
    return turn


def _last_served(tenants: Sequence[TenantId]) -> dict[TenantId, float]:
    """Return when each tenant was last served, in seconds since 1970.

    Without Redis the result is empty, and the order among tenants with equal load is arbitrary.
    """
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
