"""What was sent to webhooks, and sending it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.webhook_serializers import (
    WebhookDeliveryDetailSerializer,
    WebhookDeliverySerializer,
)
from apps.audit.models import DeliveryState, Event, Webhook, WebhookDelivery
from apps.audit.webhooks.services import (
    delivery_of,
    webhook_of,
    webhook_redeliver,
    webhook_test,
)
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.filtering import FilterSet
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

MANAGES: Final[Mapping[str, Permission | None]] = dict.fromkeys(
    ("GET", "POST", "PATCH", "DELETE"), Permission.TENANT_MANAGE
)
TAG: Final = ["Webhooks"]
BASE: Final = "{base}/api/v1/webhooks/"
KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
CONFLICT: Final = {PROBLEMS_EXTENSION: ["Conflict"]}


class WebhookTestView(ApiView):
    required_permissions = MANAGES

    @extend_schema(
        operation_id="test_webhook",
        tags=TAG,
        summary="Send a webhook a test",
        description=(
            "Sends an event of the class `audit.webhook.tested` at once, before any waiting events. Follow the "
            "delivery to see its result. The request has no body."
        ),
        request=None,
        responses={202: OpenApiResponse(WebhookDeliverySerializer, description="Recorded; being sent.")},
        extensions={**sample(f'curl -X POST "{BASE}$WEBHOOK_ID/test/" {KEY}'), **CONFLICT},
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        return _delivery_answer(webhook_test(id))


class DeliveryFilter(FilterSet):
    state = filters.ChoiceFilter(choices=DeliveryState.choices, empty_label=None)

    class Meta:
        model = WebhookDelivery
        fields: list[str] = []


class DeliveryListView(ApiListView[WebhookDelivery]):
    required_permissions = MANAGES
    serializer_class = WebhookDeliverySerializer
    filterset_class = DeliveryFilter
    ordering = ("-event_id",)

    def get_queryset(self) -> QuerySet[WebhookDelivery]:
        # The description of the API is made without an address.
        found: QuerySet[WebhookDelivery] = WebhookDelivery.objects.none()
        if self.kwargs:
            found = WebhookDelivery.objects.filter(webhook_id=webhook_of(self.kwargs["id"]).id)
        return found

    def page_context(self, page: Sequence[WebhookDelivery]) -> dict[str, Any]:
        return _actions(page)

    @extend_schema(
        operation_id="list_webhook_deliveries",
        tags=TAG,
        summary="List what was sent to a webhook",
        description="Newest event first. Finished deliveries are kept for 30 days; their events stay in the log.",
        extensions=sample(f'curl "{BASE}$WEBHOOK_ID/deliveries/?state=given_up" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class DeliveryView(ApiView):
    required_permissions = MANAGES

    @extend_schema(
        operation_id="get_webhook_delivery",
        tags=TAG,
        summary="Show a delivery, with each attempt",
        description="Status, duration and the kind of failure. Nothing else from the receiver's answer is kept.",
        responses=WebhookDeliveryDetailSerializer,
        extensions=sample(f'curl "{BASE}deliveries/$DELIVERY_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        found = delivery_of(id)
        return Response(WebhookDeliveryDetailSerializer(found, context=_actions([found])).data)


class RedeliverView(ApiView):
    required_permissions = MANAGES

    @extend_schema(
        operation_id="redeliver_webhook",
        tags=TAG,
        summary="Send a webhook an event again",
        description=(
            "Repeats a finished delivery, delivered or given up, with the same `webhook-id`. The request has no body."
        ),
        request=None,
        responses={202: OpenApiResponse(WebhookDeliverySerializer, description="Being sent.")},
        extensions={
            **sample(f'curl -X POST "{BASE}deliveries/$DELIVERY_ID/redeliver/" {KEY}'),
            **CONFLICT,
        },
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        return _delivery_answer(webhook_redeliver(id))


def scope_ids_of(row: Webhook | WebhookDelivery) -> list[ScopeId]:
    return [ScopeId(each) for each in row.scope_ids]


def _actions(deliveries: Iterable[WebhookDelivery]) -> dict[str, Any]:
    ids = [each.event_id for each in deliveries]
    return {"actions": dict(Event.objects.filter(id__any_of=ids).values_list("id", "action"))}


def _delivery_answer(delivery: WebhookDelivery) -> ActResponse:
    found = delivery_of(delivery.id)
    data = dict(WebhookDeliverySerializer(found, context=_actions([found])).data)
    headers = {"Location": f"/api/v1/webhooks/deliveries/{found.id}/"}
    return ActResponse(data, status=202, subject_id=found.id, scope_ids=scope_ids_of(found), headers=headers)
