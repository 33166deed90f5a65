"""The log, for reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.errors import EventNotFoundError
from apps.audit.api.serializers import EventDetailSerializer, EventSerializer
from apps.audit.models import Event, Outcome
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission


class EventFilter(FilterSet):
    action = filters.CharFilter(
        method="of_action", help_text="Such as corpus.document.deleted; with a dot at the end, all that begin with it."
    )
    outcome = filters.ChoiceFilter(choices=Outcome.choices, empty_label=None)
    actor = filters.UUIDFilter(field_name="actor_id", help_text="The id of a person or an API key.")
    subject_id = filters.UUIDFilter(help_text="The id of what it was done to, such as a document.")
    since = filters.IsoDateTimeFilter(
        field_name="occurred_at", lookup_expr="gte", help_text="At or after; UTC unless the time says otherwise."
    )
    until = filters.IsoDateTimeFilter(field_name="occurred_at", lookup_expr="lt", help_text="Before.")

    class Meta:
        model = Event
        fields: list[str] = []

    def of_action(self, queryset: QuerySet[Event], name: str, value: str) -> QuerySet[Event]:
        return queryset.filter(action__startswith=value) if value.endswith(".") else queryset.filter(action=value)


class EventListView(ApiListView[Event]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
    serializer_class = EventSerializer
    filterset_class = EventFilter
    ordering = ("-occurred_at", "-id")

    def get_queryset(self) -> QuerySet[Event]:
        # A page of answered questions carries thousands of ranks; they are on the event itself, and not decrypted here.
        events: QuerySet[Event] = Event.objects.all()
        return events

    @extend_schema(
        operation_id="list_audit_events",
        tags=["Audit"],
        summary="List audit events",
        description="Newest first. You see the events whose scopes you hold, all of them.",
        extensions=sample(
            'curl "{base}/api/v1/audit/events/?action=retrieval.&since=2026-01-01T00:00:00Z" \\\n'
            '  -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class EventView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}

    @extend_schema(
        operation_id="get_audit_event",
        tags=["Audit"],
        summary="Show an audit event",
        description="With its payload: what the act touched, by which policy version, how far each hit came.",
        responses=EventDetailSerializer,
        extensions=sample('curl "{base}/api/v1/audit/events/$EVENT_ID/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        event: Event | None = Event.objects.filter(id=id).first()
        if event is None:
            raise EventNotFoundError(event=id)
        return Response(EventDetailSerializer(event).data)
