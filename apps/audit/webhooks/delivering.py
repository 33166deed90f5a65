"""Send an endpoint its deliveries, one after another.

    run of an endpoint: claim -> (collect) -> take a delivery -> POST -> note -> ... -> release

Each step is a separate transaction, and none is open during a request to the endpoint. The event is first in the log;
its delivery and the cursor are written together (collecting.py); an attempt is counted, and the time of the next one
set, before the request is made. So a worker that dies between any two steps loses nothing, and at most one message is
sent once more.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.audit.models import (
    DeliveryState,
    Event,
    Outcome,
    PauseReason,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from apps.audit.webhooks.collecting import Endpoint, collect, locked, waiting
from apps.audit.webhooks.events import tell_webhook
from apps.audit.webhooks.secrets import open_secrets, signature
from apps.audit.webhooks.sending import GONE, AttemptError, Sent, send
from apps.tenants.context import ScopeContext
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.notices import write_to_deciders
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.waits import is_past

# The delays after each failed attempt until the next, three days in total.
DELAYS: Final = (
    timedelta(seconds=5),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 20)),
)
MAX_ATTEMPTS: Final = len(DELAYS) + 1
# How long an endpoint rests after it failed, whichever event it failed on.
_REST: Final = (
    timedelta(seconds=30),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
)
PAUSED_AFTER: Final = timedelta(days=3)
# This many failures in a row end a run. One event that the endpoint can't take does not keep the others from it.
_FAILURES: Final = 3
# The time limit of one run, since others wait for the same worker. Then the endpoint rests for three times as long as
# the run took.
RUN_S: Final = 10.0
_LEASE: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lease:
    endpoint: Endpoint
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """A message and its attempt. problem: why it can't be sent."""

    delivery_id: UUID
    number: int
    url: str
    body: bytes
    headers: dict[str, str]
    problem: AttemptError = AttemptError.NONE


def webhook_run(*, tenant_id: TenantId, webhook_id: UUID, scope_ids: Iterable[ScopeId]) -> int:
    """Send an endpoint its waiting deliveries for some seconds. Returns: how many it accepted.

    Safe to call twice, concurrently, and after a crash at any point: a lease gives the endpoint to one worker at a
    time.
    """
    endpoint = Endpoint(tenant_id=tenant_id, id=webhook_id, scope_ids=frozenset(scope_ids))
    lease = _claimed(endpoint)
    if lease is None:
        return 0
    began, taken, failures = monotonic(), 0, 0
    while failures < _FAILURES and monotonic() - began < RUN_S:
        message = _next(lease)
        if message is None:
            if not collect(endpoint):
                break
            continue
        sent = Sent(status=None, duration_ms=0, error=message.problem)
        if not message.problem:
            sent = send(message.url, message.body, message.headers)
        goes_on = _noted(lease, message, sent)
        taken += not sent.error
        # A timeout ends the run: the endpoint gets no further request in it.
        failures = 0 if not sent.error else _FAILURES if sent.error is AttemptError.TIMEOUT else failures + 1
        if not goes_on:
            return taken
    _release(lease, failures=failures, took=timedelta(seconds=monotonic() - began))
    return taken


def body_of(event: Event, *, tenant_id: UUID, slug: str) -> bytes:
    """Return what an endpoint is told: ids, a code and a time. For more, the receiver asks the API with its own key."""
    told = {
        "type": event.action,
        "timestamp": event.occurred_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "data": {
            "event_id": str(event.id),
            "tenant": {"id": str(tenant_id), "slug": slug},
            "subject": {"type": event.subject_type, "id": str(event.subject_id) if event.subject_id else None},
        },
    }
    return json.dumps(told, separators=(",", ":")).encode()


def _claimed(endpoint: Endpoint) -> _Lease | None:
    owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex}"
    with endpoint.open():
        now = timezone.now()
        free = is_past("lease_until", now) | Q(lease_until__isnull=True)
        taken = Webhook.objects.filter(free, id=endpoint.id, paused_at__isnull=True).update(
            lease_owner=owner, lease_until=now + _LEASE
        )
    return _Lease(endpoint=endpoint, owner=owner) if taken else None


def _held(lease: _Lease) -> Webhook | None:
    """Return the row if this worker still holds the lease, and renew the lease."""
    webhook = locked(lease.endpoint.id)
    if webhook is None or webhook.lease_owner != lease.owner:
        return None
    webhook.lease_until = timezone.now() + _LEASE
    webhook.save(update_fields=["lease_until"])
    return webhook


def _next(lease: _Lease) -> _Message | None:
    """Count an attempt of the delivery that is due first, and set the time of the next; return None if none is due."""
    with lease.endpoint.open() as context:
        webhook = _held(lease)
        if webhook is None or webhook.paused_at is not None:
            return None
        now = timezone.now()
        due = waiting(webhook.id, now).order_by(F("place").asc(nulls_first=True))
        delivery: WebhookDelivery | None = due.first()
        if delivery is None:
            return None
        # If all attempts are used and the delivery still waits, a worker died during the last one: the delivery ends as
        # lost.
        lost = delivery.attempts >= MAX_ATTEMPTS
        delivery.attempts += not lost
        delivery.next_attempt_at = now + DELAYS[min(delivery.attempts, len(DELAYS)) - 1]
        delivery.save(update_fields=["attempts", "next_attempt_at"])
        if not lost:
            WebhookAttempt.objects.create(
                tenant_id=webhook.tenant_id,
                delivery_id=delivery.id,
                scope_ids=webhook.scope_ids,
                number=delivery.earlier + delivery.attempts,
            )
        return _message(webhook, delivery, context, now, lost=lost)


def _message(
    webhook: Webhook, delivery: WebhookDelivery, context: ScopeContext, now: datetime, *, lost: bool
) -> _Message:
    event: Event = Event.objects.get(id=delivery.event_id)
    body = body_of(event, tenant_id=context.tenant_id, slug=current_tenant().slug)
    timestamp = int(now.timestamp())
    problem, signed = AttemptError.LOST if lost else AttemptError.NONE, ""
    try:
        keys = open_secrets(webhook, at=now)
        signed = signature(keys, message_id=str(delivery.id), timestamp=timestamp, body=body)
    except PayloadDamagedError:
        problem = AttemptError.SECRET
    return _Message(
        delivery_id=delivery.id,
        number=delivery.earlier + delivery.attempts,
        url=webhook.url,
        body=body,
        headers={
            "Content-Type": "application/json",
            "User-Agent": "Glassbox-Webhooks/1",
            "webhook-id": str(delivery.id),
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signed,
        },
        problem=problem,
    )


def _noted(lease: _Lease, message: _Message, sent: Sent) -> bool:
    """Record the result of the attempt. Returns: whether this worker continues with the endpoint."""
    with lease.endpoint.open():
        webhook = locked(lease.endpoint.id)
        if webhook is None:
            # The endpoint was deleted in the meantime, and its deliveries with it.
            return False
        now = timezone.now()
        # Change only this attempt: one that another worker counted in the meantime belongs to that worker.
        WebhookAttempt.objects.filter(
            delivery_id=message.delivery_id, number=message.number, duration_ms__isnull=True
        ).update(status=sent.status, duration_ms=sent.duration_ms, error=sent.error.value)
        mine = WebhookDelivery.objects.filter(id=message.delivery_id, state=DeliveryState.WAITING)
        if not sent.error:
            mine.update(state=DeliveryState.DELIVERED, ended_at=now, next_attempt_at=None)
            Webhook.objects.filter(id=webhook.id).update(failures=0, failing_since=None, delivered_at=now)
        else:
            _failed(webhook, message, sent, now)
        webhook.refresh_from_db(fields=["lease_owner", "paused_at"])
        return webhook.lease_owner == lease.owner and webhook.paused_at is None


def _failed(webhook: Webhook, message: _Message, sent: Sent, now: datetime) -> None:
    delivery: WebhookDelivery | None = WebhookDelivery.objects.filter(
        id=message.delivery_id, state=DeliveryState.WAITING, attempts=message.number - F("earlier")
    ).first()
    changes: dict[str, Any] = {"failures": F("failures") + 1}
    if webhook.failing_since is None:
        changes["failing_since"] = now
    if delivery is not None and delivery.attempts >= MAX_ATTEMPTS:
        delivery.state, delivery.ended_at, delivery.next_attempt_at = DeliveryState.GIVEN_UP, now, None
        delivery.save(update_fields=["state", "ended_at", "next_attempt_at"])
        changes["given_up_at"] = now
        tell_webhook(
            "gave_up",
            webhook,
            outcome=Outcome.FAILED,
            delivery_id=str(delivery.id),
            event_id=str(delivery.event_id),
            attempts=delivery.attempts,
            error=sent.error.value,
        )
    because = _pauses(webhook, sent, now)
    if because is not None:
        changes |= {"paused_at": now, "pause_reason": because.value, "lease_owner": "", "lease_until": None}
    Webhook.objects.filter(id=webhook.id).update(**changes)
    if because is not None:
        tell_webhook("paused", webhook, outcome=Outcome.FAILED, because=because.value)
        _tell_people(because)


def _pauses(webhook: Webhook, sent: Sent, now: datetime) -> PauseReason | None:
    if sent.status == GONE:
        return PauseReason.GONE
    since = webhook.failing_since
    is_long = since is not None and now - since >= PAUSED_AFTER
    return PauseReason.FAILING if is_long else None


def _tell_people(because: PauseReason) -> None:
    write_to_deciders(
        permission=Permission.TENANT_MANAGE,
        author_id=None,
        subject="Glassbox: a webhook was paused",
        body=(
            f"Glassbox no longer sends anything to one of your webhooks. {because.label}.\n\nEvents recorded since "
            "then wait in the log and are sent once you resume it. See Administration, Webhooks:\n"
            f"{settings.GLASSBOX_URL}/admin/webhooks/\n"
        ),
    )


def _release(lease: _Lease, *, failures: int, took: timedelta) -> None:
    with lease.endpoint.open():
        webhook = locked(lease.endpoint.id)
        if webhook is None or webhook.lease_owner != lease.owner:
            return
        rest = None
        if failures:
            rest = _REST[min(webhook.failures // _FAILURES, len(_REST) - 1)]
        elif took.total_seconds() >= RUN_S:
            rest = 3 * took
        webhook.lease_owner, webhook.lease_until = "", None
        webhook.next_attempt_at = None if rest is None else timezone.now() + rest
        webhook.save(update_fields=["lease_owner", "lease_until", "next_attempt_at"])
