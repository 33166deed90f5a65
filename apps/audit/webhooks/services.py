"""The changes that a person or an API key of the tenant makes to its webhooks. Each is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.models import DeliveryState, Leaf, PauseReason, Webhook, WebhookAttempt, WebhookDelivery
from apps.audit.registry import offered_actions
from apps.audit.webhooks.addresses import target_of
from apps.audit.webhooks.collecting import delivery_make
from apps.audit.webhooks.errors import WebhookError, WebhookNotFoundError
from apps.audit.webhooks.events import tell_webhook
from apps.audit.webhooks.queue import announce
from apps.audit.webhooks.secrets import BOTH_FOR, new_secret, open_secrets, seal_secrets, told
from apps.tenants.context import ScopeContext, current_scope
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.roles import Permission

MOST: Final = 20


def webhook_create(*, url: str, actions: Iterable[str], scopes: Iterable[ScopeId]) -> tuple[Webhook, str]:
    """Make an endpoint in the open tenant. It is told of events that are recorded from now on, within these scopes.

    Returns: the row, and its secret (`whsec_...`), which can't be shown again.
    Raises:  PermissionDeniedError, WebhookUrlError, ScopeNotGrantedError; WebhookError: there is no such class of
             events, or the tenant has the most webhooks already.
    """
    context = _require()
    target_of(url)
    wanted = frozenset(scopes)
    if not wanted or not wanted <= context.scope_ids:
        raise ScopeNotGrantedError(scope=", ".join(sorted(str(each) for each in wanted - context.scope_ids)))
    webhook = Webhook(
        id=new_id(),
        tenant_id=context.tenant_id,
        url=url,
        actions=_known(actions),
        scope_ids=sorted(wanted),
    )
    secret = new_secret()
    with transaction.atomic():
        if Webhook.objects.count() >= MOST:
            raise WebhookError("audit.webhook_too_many", most=MOST)
        seal_secrets(webhook, secret, at=timezone.now())
        last: int | None = Leaf.objects.aggregate(last=Max("index"))["last"]
        webhook.cursor = 0 if last is None else last + 1
        webhook.save(force_insert=True)
        tell_webhook("created", webhook)
    return webhook_of(webhook.id), told(secret)


def webhook_of(webhook_id: UUID) -> Webhook:
    """Return a webhook. Raises: WebhookNotFoundError."""
    found: Webhook | None = Webhook.objects.filter(id=webhook_id).first()
    if found is None:
        raise WebhookNotFoundError(webhook=webhook_id)
    return found


def webhook_change(webhook_id: UUID, *, url: str | None = None, actions: Iterable[str] | None = None) -> Webhook:
    """Change the address or the classes of events. The scopes can't be changed: make another endpoint for other scopes.

    Waiting deliveries are sent to the new address. The new classes apply to events that are collected from now on.
    """
    _require()
    with transaction.atomic():
        webhook = _locked(webhook_id)
        before = webhook.url, list(webhook.actions)
        if url is not None:
            target_of(url)
            webhook.url = url
        if actions is not None:
            webhook.actions = _known(actions)
        if (webhook.url, webhook.actions) != before:
            webhook.save(update_fields=["url", "actions"])
            tell_webhook("changed", webhook)
    return webhook


def webhook_pause(webhook_id: UUID) -> Webhook:
    """Send nothing until the endpoint is resumed; new events wait in the log. Can be repeated."""
    _require()
    with transaction.atomic():
        webhook = _locked(webhook_id)
        if webhook.paused_at is None:
            webhook.paused_at, webhook.pause_reason = timezone.now(), PauseReason.PERSON
            webhook.lease_owner, webhook.lease_until = "", None
            webhook.save(update_fields=["paused_at", "pause_reason", "lease_owner", "lease_until"])
            tell_webhook("paused", webhook, because=PauseReason.PERSON.value)
    return webhook


def webhook_resume(webhook_id: UUID) -> Webhook:
    """Send again, beginning with the delivery that has waited longest. Repeating it has no effect."""
    _require()
    with transaction.atomic():
        webhook = _locked(webhook_id)
        if webhook.paused_at is not None:
            webhook.paused_at, webhook.pause_reason = None, ""
            webhook.failures, webhook.failing_since, webhook.next_attempt_at = 0, None, None
            webhook.save(update_fields=["paused_at", "pause_reason", "failures", "failing_since", "next_attempt_at"])
            tell_webhook("resumed", webhook)
            _announce(webhook)
    return webhook


def webhook_rotate(webhook_id: UUID) -> tuple[Webhook, str]:
    """Give the endpoint a new secret. The previous one also signs for a day, so that the receiver can change over.

    A secret that is older than the previous one stops signing.

    Returns: the row, and the new secret, which can't be shown again. Raises: PayloadDamagedError.
    """
    _require()
    secret, now = new_secret(), timezone.now()
    with transaction.atomic():
        webhook = _locked(webhook_id)
        seal_secrets(webhook, secret, open_secrets(webhook, at=now)[0], at=now)
        webhook.previous_until = now + BOTH_FOR
        webhook.save(update_fields=["sealed", "data_key", "previous_until"])
        tell_webhook("rotated", webhook)
    return webhook, told(secret)


def webhook_delete(webhook_id: UUID) -> None:
    """Remove an endpoint with its secret and the records of its deliveries. The log keeps that it existed."""
    _require()
    with transaction.atomic():
        webhook = _locked(webhook_id)
        deliveries = WebhookDelivery.objects.filter(webhook_id=webhook.id)
        tell_webhook("deleted", webhook, waiting=deliveries.filter(state=DeliveryState.WAITING).count())
        WebhookAttempt.objects.filter(delivery_id__in=deliveries.order_by().values("id"))._raw_delete("default")
        deliveries._raw_delete("default")
        Webhook.objects.filter(id=webhook.id)._raw_delete("default")


def webhook_test(webhook_id: UUID) -> WebhookDelivery:
    """Record a test of the endpoint, and send it that event. Raises: WebhookError: the endpoint is paused."""
    _require()
    with transaction.atomic():
        webhook = _locked(webhook_id)
        _require_running(webhook)
        delivery = delivery_make(webhook, tell_webhook("tested", webhook))
        _send_soon(webhook)
    return delivery


def webhook_redeliver(delivery_id: UUID) -> WebhookDelivery:
    """Send a finished delivery again, under the same webhook-id, with as many attempts as the first time.

    Raises: WebhookError: the endpoint is paused, or the delivery still waits.
    """
    _require()
    with transaction.atomic():
        webhook = _locked(delivery_of(delivery_id).webhook_id)
        _require_running(webhook)
        # Read the delivery again after the lock is held: a worker can no longer change it.
        delivery = delivery_of(delivery_id)
        if delivery.state == DeliveryState.WAITING:
            raise WebhookError("audit.webhook_state", problem="it has not ended yet, and is sent anyway")
        delivery.state, delivery.earlier = DeliveryState.WAITING, delivery.earlier + delivery.attempts
        delivery.attempts = 0
        delivery.next_attempt_at, delivery.ended_at = None, None
        delivery.save(update_fields=["state", "attempts", "earlier", "next_attempt_at", "ended_at"])
        tell_webhook("redelivered", webhook, delivery_id=str(delivery.id), event_id=str(delivery.event_id))
        _send_soon(webhook)
    return delivery


def delivery_of(delivery_id: UUID) -> WebhookDelivery:
    """Return a delivery. Raises: WebhookError."""
    found: WebhookDelivery | None = WebhookDelivery.objects.filter(id=delivery_id).first()
    if found is None:
        raise WebhookError("audit.webhook_delivery_not_found", delivery=delivery_id)
    return found


def _require() -> ScopeContext:
    context = current_scope()
    context.principal.require(Permission.TENANT_MANAGE)
    return context


def _locked(webhook_id: UUID) -> Webhook:
    rows = Webhook.objects.select_for_update(no_key=True, of=("self",))
    found: Webhook | None = rows.filter(id=webhook_id).first()
    if found is None:
        raise WebhookNotFoundError(webhook=webhook_id)
    return found


def _known(actions: Iterable[str]) -> Sequence[str]:
    wanted, offered = sorted(set(actions)), offered_actions()
    unknown = [action for action in wanted if action not in offered]
    if unknown or not wanted:
        raise WebhookError("audit.webhook_class", action=unknown[0] if unknown else "none is named")
    return wanted


def _require_running(webhook: Webhook) -> None:
    if webhook.paused_at is not None:
        raise WebhookError("audit.webhook_state", problem="it is paused; resume it first")


def _send_soon(webhook: Webhook) -> None:
    # A person asked for it, so an endpoint that rests after failures is tried at once.
    Webhook.objects.filter(id=webhook.id).update(next_attempt_at=None)
    _announce(webhook)


def _announce(webhook: Webhook) -> None:
    announce(TenantId(webhook.tenant_id), webhook.id, [ScopeId(each) for each in webhook.scope_ids])
