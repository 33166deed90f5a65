"""Webhooks: which programs are told of events, what was sent to each, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_safe

from apps.audit.models import DeliveryState, Event, PauseReason, Webhook, WebhookAttempt, WebhookDelivery
from apps.audit.registry import event_class
from apps.audit.webhooks.addresses import host_of
from apps.audit.webhooks.errors import WebhookNotFoundError
from apps.audit.webhooks.services import webhook_of, webhook_pause, webhook_redeliver, webhook_resume, webhook_test
from apps.errors import ApplicationError
from apps.tenants.admin.base import may, require
from apps.tenants.admin.frame import frame
from apps.tenants.display import pill
from apps.tenants.models import Scope
from apps.tenants.roles import Permission

_LISTED: Final = 50
_TONES: Final = {
    DeliveryState.WAITING: "busy",
    DeliveryState.DELIVERED: "good",
    DeliveryState.GIVEN_UP: "bad",
}
_ERRORS: Final = {
    "address_refused": "its name points into a private network",
    "connect": "no connection",
    "dns": "its name can't be resolved",
    "protocol": "no answer of HTTP",
    "redirect": "it redirects, which is not followed",
    "secret": "its secret can't be opened: rotate it",
    "status": "it did not take it",
    "timeout": "no answer within ten seconds",
    "tls": "its certificate is not valid",
    "url": "its address is no longer allowed",
    "worker_lost": "the worker stopped in each attempt",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    webhook: Webhook
    host: str
    state: SafeString | str
    waiting: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """event_url: empty where the reader may not open the log."""

    delivery: WebhookDelivery
    label: str
    state: SafeString | str
    tries: int
    last: str
    event_url: str


@require_safe
def webhooks_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.TENANT_MANAGE)
    found = list(Webhook.objects.all())
    waiting = dict(
        WebhookDelivery.objects.filter(state=DeliveryState.WAITING)
        .order_by()
        .values_list("webhook_id")
        .annotate(count=Count("id"))
    )
    rows = [
        Row(
            webhook=webhook,
            host=host_of(webhook.url),
            state=_state(webhook),
            waiting=waiting.get(webhook.id, 0),
            url=reverse("admin:webhook", args=[webhook.id]),
        )
        for webhook in found
    ]
    return frame(request, "glassbox/webhooks.html", title="Webhooks", rows=rows)


@require_http_methods(["GET", "HEAD", "POST"])
def webhook_view(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """GET: the page. POST: what its buttons do, and back to it."""
    require(request, Permission.TENANT_MANAGE)
    try:
        webhook = webhook_of(webhook_id)
    except WebhookNotFoundError:
        raise Http404 from None
    if request.method == "POST":
        return _acted(request, webhook)
    deliveries = WebhookDelivery.objects.filter(webhook_id=webhook.id)
    scopes = Scope.objects.filter(id__any_of=webhook.scope_ids).order_by("key").values_list("key", flat=True)
    return frame(
        request,
        "glassbox/webhook.html",
        title=host_of(webhook.url),
        crumbs=[("Webhooks", reverse("admin:webhooks"))],
        webhook=webhook,
        state=_state(webhook),
        because=PauseReason(webhook.pause_reason).label if webhook.pause_reason else "",
        classes=[(action, event_class(action).label) for action in webhook.actions],
        scopes=list(scopes),
        deliveries=_rows(request, deliveries),
        listed=_LISTED,
        can_send=webhook.paused_at is None,
    )


def _acted(request: HttpRequest, webhook: Webhook) -> HttpResponse:
    act = request.POST.get("act", "")
    try:
        if act == "redeliver":
            webhook_redeliver(UUID(request.POST.get("delivery", "")))
            told = "It is being sent again."
        else:
            do, told = _ACTS[act]
            do(webhook.id)
    except (KeyError, ValueError):
        raise BadRequest("The act must be pause, resume, test or redeliver.") from None
    except ApplicationError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, told)
    return HttpResponseRedirect(reverse("admin:webhook", args=[webhook.id]))


_ACTS: Final[Mapping[str, tuple[Callable[[UUID], object], str]]] = {
    "pause": (webhook_pause, "It is paused: what comes meanwhile waits in the log."),
    "resume": (webhook_resume, "Sending continues, beginning with the events that have waited longest."),
    "test": (webhook_test, "A test is being sent. Reload this page in a few seconds."),
}


def _state(webhook: Webhook) -> SafeString | str:
    if webhook.paused_at is not None:
        by_person = webhook.pause_reason == PauseReason.PERSON
        return pill("Paused" if by_person else "Paused: nothing was taken", "quiet" if by_person else "bad")
    return pill("Failing", "warn") if webhook.failing_since else pill("Active", "good")


def _rows(request: HttpRequest, deliveries: QuerySet[WebhookDelivery]) -> list[DeliveryRow]:
    found = list(deliveries[:_LISTED])
    actions = dict(Event.objects.filter(id__any_of=[each.event_id for each in found]).values_list("id", "action"))
    last = _last_attempts(found)
    opens = may(request, Permission.AUDIT_VIEW)
    return [
        DeliveryRow(
            delivery=each,
            label=event_class(actions[each.event_id]).label,
            state=pill(each.get_state_display(), _TONES[DeliveryState(each.state)]),
            tries=each.earlier + each.attempts,
            last=_in_words(last.get(each.id)),
            event_url=reverse("admin:audit_event_change", args=[each.event_id]) if opens else "",
        )
        for each in found
    ]


def _last_attempts(deliveries: Iterable[WebhookDelivery]) -> dict[UUID, WebhookAttempt]:
    rows = WebhookAttempt.objects.filter(delivery_id__any_of=[each.id for each in deliveries]).order_by("number")
    found: dict[UUID, WebhookAttempt] = {}
    for attempt in rows:
        found[attempt.delivery_id] = attempt
    return found


def _in_words(attempt: WebhookAttempt | None) -> str:
    if attempt is None:
        return "not tried yet"
    if attempt.duration_ms is None:
        return "being sent"
    status = f" ({attempt.status})" if attempt.status else ""
    if not attempt.error:
        return f"taken{status}, {attempt.duration_ms} ms"
    return f"{_ERRORS.get(attempt.error, attempt.error)}{status}, {attempt.duration_ms} ms"
