"""Record that the end of a request to a model is unknown, so that no request stays in the log without an end.

A process that is killed while a model works records no end, and neither does one that can't reach the database then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.audit.services import record
from apps.corpus.providers.recording import CALLED, MODEL_FIELDS, RETURNED
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.sweeping import Sweep, each_tenant

END_UNKNOWN: Final = "retrieval.end_unknown"
# After its longest time, a request may still wait for the database to record its end.
_GRACE: Final = timedelta(minutes=1)
# The longest that a setting allows; for a request whose own limit can't be read any more.
_LONGEST: Final = timedelta(minutes=10)
# Longer than the schedule is ever away. Each request of this time is looked up by an index, at every run.
_LOOKED_BACK: Final = timedelta(days=7)
_AT_ONCE: Final = 200


def record_unknown_ends() -> int:
    """Do it for every tenant. Returns the number of requests."""
    return each_tenant(record_unknown_ends_of, doing=Sweep.CALLS)


def record_unknown_ends_of(tenant_id: TenantId) -> int:
    """Record an end for each request of the tenant that should have ended and has none. Returns how many there were."""
    with open_scope(tenant=tenant_id, reason="record requests to models whose end is unknown") as context:
        if not _alone(tenant_id):
            return 0
        now = timezone.now()
        ends = Event.objects.filter(tenant_id=OuterRef("tenant_id"), subject_id=OuterRef("id"), action=RETURNED)
        without = Event.objects.filter(
            ~Exists(ends), action=CALLED, occurred_at__lte=now - _GRACE, occurred_at__gt=now - _LOOKED_BACK
        )
        events = list(without.order_by("occurred_at", "id")[:_AT_ONCE])
        readings = readings_of(events, groups=(Group.CORE,))
        recorded = 0
        for event in events:
            core = readings[event.id].payload.get(Group.CORE, {})
            seconds = core.get("timeout_seconds")
            longest = timedelta(seconds=seconds) if isinstance(seconds, int | float) else _LONGEST
            if event.occurred_at + longest + _GRACE <= now:
                _record(event, core, context.scope_ids)
                recorded += 1
        return recorded


def _record(event: Event, core: Mapping[str, Any], scope_ids: Collection[ScopeId]) -> None:
    record(
        action=RETURNED,
        outcome=Outcome.FAILED,
        core={"code": END_UNKNOWN, **{name: core[name] for name in sorted(MODEL_FIELDS & core.keys())}},
        subject_type="event",
        subject_id=event.id,
        scopes=[each for each in scope_ids if each in event.scope_ids],
    )


def _alone(tenant_id: TenantId) -> bool:
    """Return whether no other process does the same now; none begins before the open transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [advisory_key("ends of model calls", tenant_id)])
        row = cursor.fetchone()
    return row is not None and bool(row[0])
