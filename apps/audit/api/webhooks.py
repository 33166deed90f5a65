"""Webhooks: endpoints that are told of events, and what was sent to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.webhook_deliveries import BASE, CONFLICT, KEY, MANAGES, TAG, scope_ids_of
from apps.audit.api.webhook_serializers import (
    WebhookChangeSerializer,
    WebhookClassesSerializer,
    WebhookCreateSerializer,
    WebhookSecretSerializer,
    WebhookSerializer,
    offered_json,
)
from apps.audit.models import Webhook
from apps.audit.registry import offered_actions
from apps.audit.webhooks.errors import WebhookUrlError
from apps.audit.webhooks.services import (
    webhook_change,
    webhook_create,
    webhook_delete,
    webhook_of,
    webhook_pause,
    webhook_resume,
    webhook_rotate,
)
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.models import Scope
from apps.tenants.selectors.tenants import scopes_below

_JSON: Final = '-H "Content-Type: application/json"'
_FIELDS: Final[Mapping[type[Exception], str]] = {
    WebhookUrlError: "url",
    ScopeNotGrantedError: "scopes",
}
_FIELDS_BY_CODE: Final = {"audit.webhook_class": "classes"}


class WebhookListView(ApiListView[Webhook]):
    required_permissions = MANAGES
    field_of_error = _FIELDS
    field_of_code = _FIELDS_BY_CODE
    serializer_class = WebhookSerializer
    ordering = ("-created_at", "-id")

    def get_queryset(self) -> QuerySet[Webhook]:
        webhooks: QuerySet[Webhook] = Webhook.objects.all()
        return webhooks

    def page_context(self, page: Sequence[Webhook]) -> dict[str, Any]:
        return _scope_keys(page)

    @extend_schema(
        operation_id="list_webhooks",
        tags=TAG,
        summary="List webhooks",
        description="Newest first. You see a webhook only if you hold all of its scopes.",
        extensions=sample(f'curl "{BASE}" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="create_webhook",
        tags=TAG,
        summary="Send events to your program",
        description=(
            "In the form of Standard Webhooks (https://www.standardwebhooks.com): a POST with `webhook-id`, "
            "`webhook-timestamp` and `webhook-signature`, an HMAC-SHA256 over the three of id, timestamp and body. "
            "The body is small: `type`, `timestamp`, and in `data` the event's id, the tenant, and the type and id "
            "of its subject. It contains no person and no content: read those with your own key.\n\nEach event "
            "recorded from now on within its scopes is sent at least once, in the order of the log if the receiver "
            "accepts it. Answer 2xx within ten seconds. After any other answer, including a redirect, Glassbox tries "
            "eleven times in three days, then gives up and records that in the log. An endpoint that accepts nothing "
            "for three days, or answers 410, is paused, and the tenant's administrators are told. The host name is "
            "resolved at each attempt, and nothing is sent into a private network.\n\n`secret` is shown only this "
            "once."
        ),
        request=WebhookCreateSerializer,
        responses={201: OpenApiResponse(WebhookSecretSerializer, description="Made.")},
        extensions={
            **sample(
                f'curl "{BASE}" {KEY} {_JSON} \\\n'
                '  -d \'{"url": "https://hooks.example.com/glassbox", "classes": ["corpus.document.ready"]}\''
            ),
            **CONFLICT,
        },
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        body = WebhookCreateSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        webhook, secret = webhook_create(
            url=said["url"], actions=said["classes"], scopes=scopes_below(list(said["scopes"]))
        )
        return _answer(webhook, status=201, secret=secret)


class WebhookClassesView(ApiView):
    required_permissions = MANAGES

    @extend_schema(
        operation_id="list_webhook_classes",
        tags=TAG,
        summary="List the classes of events that webhooks can receive",
        description="Only classes whose subject is a thing. What people and accounts do is only in the log.",
        responses=WebhookClassesSerializer,
        extensions=sample(f'curl "{BASE}classes/" {KEY}'),
    )
    def get(self, request: Request) -> Response:
        return Response(WebhookClassesSerializer(offered_json(offered_actions())).data)


class WebhookView(TaggedView):
    tagged = Webhook
    required_permissions = MANAGES
    field_of_error = _FIELDS
    field_of_code = _FIELDS_BY_CODE

    @extend_schema(
        operation_id="get_webhook",
        tags=TAG,
        summary="Show a webhook",
        description="Its secret is shown when it is made or rotated, and never again.",
        responses=WebhookSerializer,
        extensions=sample(f'curl "{BASE}$WEBHOOK_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(_webhook_json(webhook_of(id)))

    @extend_schema(
        operation_id="change_webhook",
        tags=TAG,
        summary="Change, pause or resume a webhook",
        description=(
            "Omitted fields do not change. Its scopes can't change: make another webhook. Waiting events are sent to "
            "the new address. A pause loses nothing: sending continues where it stopped."
        ),
        request=WebhookChangeSerializer,
        responses=WebhookSerializer,
        extensions=sample(
            f'curl -X PATCH "{BASE}$WEBHOOK_ID/" {KEY} {_JSON} \\\n  -d \'{{"classes": ["corpus.document.failed"]}}\''
        ),
    )
    @idempotent
    def patch(self, request: Request, id: UUID) -> ActResponse:
        body = WebhookChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        webhook = webhook_change(id, url=said.get("url"), actions=said.get("classes"))
        if "paused" in said:
            webhook = webhook_pause(id) if said["paused"] else webhook_resume(id)
        webhook.refresh_from_db()
        return _answer(webhook, status=200)

    @extend_schema(
        operation_id="delete_webhook",
        tags=TAG,
        summary="Delete a webhook",
        description="Deletes it with its secret and the records of its deliveries. Waiting events are not sent.",
        request=None,
        responses={204: OpenApiResponse(description="Gone.")},
        extensions=sample(f'curl -X DELETE "{BASE}$WEBHOOK_ID/" {KEY}'),
    )
    @idempotent
    def delete(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        scopes = scope_ids_of(webhook_of(id))
        webhook_delete(id)
        return ActResponse(status=204, subject_id=id, scope_ids=scopes)


class WebhookRotateView(ApiView):
    required_permissions = MANAGES

    @extend_schema(
        operation_id="rotate_webhook_secret",
        tags=TAG,
        summary="Give a webhook a new secret",
        description=(
            "For one day both secrets sign, the newer first, so that the receiver can switch. The request has no "
            "body. `secret` is shown only this once."
        ),
        request=None,
        responses=WebhookSecretSerializer,
        extensions=sample(f'curl -X POST "{BASE}$WEBHOOK_ID/rotate/" {KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        webhook, secret = webhook_rotate(id)
        webhook.refresh_from_db()
        return _answer(webhook, status=200, secret=secret)


def _scope_keys(webhooks: Iterable[Webhook]) -> dict[str, Any]:
    ids = {each for webhook in webhooks for each in webhook.scope_ids}
    return {"scope_keys": dict(Scope.objects.filter(id__any_of=list(ids)).values_list("id", "key"))}


def _webhook_json(webhook: Webhook) -> dict[str, Any]:
    return dict(WebhookSerializer(webhook, context=_scope_keys([webhook])).data)


def _answer(webhook: Webhook, *, status: int, secret: str = "") -> ActResponse:
    """Args: secret: told in this answer, and not in what is kept for a repeated request."""
    shown = _webhook_json(webhook)
    kept = {**shown, "secret": None} if secret else shown
    return ActResponse(
        {**kept, "secret": secret} if secret else kept,
        kept=kept,
        status=status,
        subject_id=webhook.id,
        scope_ids=scope_ids_of(webhook),
        headers={"Location": f"/api/v1/webhooks/{webhook.id}/"} if status == 201 else None,
    )
