"""Make deliveries of the events in the log: a cursor per endpoint reads the log, and a sweep finds endpoints with work.

All code here opens only the endpoint's scopes, so it can't read an event beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from apps.audit.models import (
    DeliveryState,
    Event,
    Leaf,
    Webhook,
    WebhookDelivery,
)
from apps.audit.webhooks.queue import announce
from apps.sql_files import read_statements
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.sweeping import Sweep, each_by_itself, each_tenant
from apps.tenants.tokens import Identity
from apps.tenants.waits import is_past

_SQL: Final = read_statements(__file__)
# No next attempt is scheduled further ahead than this.
_LONGEST: Final = timedelta(hours=24)
# How many leaves of the log are read at once.
COLLECTED: Final = 500
_KEPT: Final = timedelta(days=30)
_REMOVED_AT_ONCE: Final = 1_000
_RESEND_AFTER: Final = timedelta(seconds=60)
_REASON: Final = "tell webhooks of events"

_ENDPOINTS: Final = """
    SELECT w.tenant_id, w.id, w.scope_ids FROM audit_webhook w ORDER BY w.tenant_id, w.id
"""
_FORGET: Final = _SQL["forget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    tenant_id: TenantId
    id: UUID
    scope_ids: frozenset[ScopeId]

    def open(self) -> Any:
        """Open the endpoint's scopes as the system."""
        return open_scope(tenant=self.tenant_id, scopes=self.scope_ids, reason=_REASON)


def webhooks_sweep() -> int:
    """Have a worker send to every endpoint that has something to be sent. Returns: to how many.

    Costs: one query, and about ten for each endpoint that is not paused.
    """
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(_ENDPOINTS)
        rows = cursor.fetchall()
    every: dict[TenantId, list[Endpoint]] = {}
    for tenant_id, id, scope_ids in rows:
        endpoint = Endpoint(tenant_id=TenantId(tenant_id), id=id, scope_ids=frozenset(map(ScopeId, scope_ids)))
        every.setdefault(endpoint.tenant_id, []).append(endpoint)
    return each_tenant(
        lambda tenant: each_by_itself(every[tenant], _sent_for, doing="see what a webhook is to be sent"),
        doing=Sweep.WEBHOOKS,
        tenants=every,
    )


def collect(endpoint: Endpoint) -> int:
    """Make deliveries of the next leaves of the log. Returns: how many leaves were read; 0 at the log's end."""
    with endpoint.open():
        webhook: Webhook | None = locked(endpoint.id)
        if webhook is None or webhook.paused_at is not None:
            return 0
        leaves = dict(
            Leaf.objects.filter(index__gte=webhook.cursor)
            .order_by("index")
            .values_list("event_id", "index")[:COLLECTED]
        )
        if not leaves:
            return 0
        events = Event.objects.filter(id__any_of=list(leaves), action__in=webhook.actions)
        WebhookDelivery.objects.bulk_create(
            _delivery(webhook, event_id, scope_ids, leaves[event_id])
            for event_id, scope_ids in events.values_list("id", "scope_ids")
        )
        Webhook.objects.filter(id=webhook.id).update(cursor=max(leaves.values()) + 1)
        return len(leaves)


def _delivery(webhook: Webhook, event_id: UUID, event_scope_ids: list[UUID], place: int | None) -> WebhookDelivery:
    return WebhookDelivery(
        tenant_id=webhook.tenant_id,
        webhook_id=webhook.id,
        scope_ids=webhook.scope_ids,
        event_id=event_id,
        event_scope_ids=event_scope_ids,
        place=place,
    )


def delivery_make(webhook: Webhook, event: Event) -> WebhookDelivery:
    """Make a delivery that is sent before the others, of an event that was just recorded."""
    made = _delivery(webhook, event.id, list(event.scope_ids), None)
    made.save(force_insert=True)
    made.refresh_from_db()
    return made


def _sent_for(endpoint: Endpoint) -> int:
    """Send a message for the endpoint if it is due and has something to be sent. Returns: whether one was sent."""
    with endpoint.open():
        now = timezone.now()
        _forget(endpoint, now)
        free = is_past("lease_until", now) | Q(lease_until__isnull=True)
        due = is_past("next_attempt_at", now, longest=_LONGEST) | Q(next_attempt_at__isnull=True)
        found = Webhook.objects.filter(free, due, id=endpoint.id, paused_at__isnull=True)
        cursor = found.values_list("cursor", flat=True).first()
        if cursor is None or not (waiting(endpoint.id, now).exists() or _goes_on(cursor)):
            return 0
        # One superfluous message does no harm, but a hundred would.
        found.update(next_attempt_at=now + _RESEND_AFTER)
        announce(endpoint.tenant_id, endpoint.id, endpoint.scope_ids)
        return 1


def _goes_on(cursor: int) -> bool:
    return bool(Leaf.objects.filter(index__gte=cursor).exists())


def waiting(webhook_id: UUID, now: datetime) -> Any:
    due = Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now, longest=_LONGEST)
    return WebhookDelivery.objects.filter(due, webhook_id=webhook_id, state=DeliveryState.WAITING)


def _forget(endpoint: Endpoint, now: datetime) -> None:
    """Delete deliveries that ended long ago; their events are in the log."""
    with connection.cursor() as cursor:
        cursor.execute(
            _FORGET,
            {
                "tenant": endpoint.tenant_id,
                "webhook": endpoint.id,
                "before": now - _KEPT,
                "most": _REMOVED_AT_ONCE,
            },
        )
        old = [row[0] for row in cursor.fetchall()]
    if old:
        WebhookDelivery.objects.filter(id__any_of=old)._raw_delete("default")


def locked(webhook_id: UUID) -> Webhook | None:
    found: Webhook | None = Webhook.objects.select_for_update(no_key=True, of=("self",)).filter(id=webhook_id).first()
    return found
