"""The log, for reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.serializers import EventDetailSerializer, EventSerializer
from apps.audit.errors import LogError
from apps.audit.models import Event, Outcome
from apps.audit.reporting.export import events_in_order
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet, text_filter, whole_filter
from apps.tenants.api.media_types import bytes_responses
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

JSON_LINES: Final = "application/jsonl"


class EventFilter(FilterSet):
    action = text_filter(
        max_length=100,
        method="of_action",
        help_text="For example corpus.document.deleted; with a dot at the end, all actions that begin with it.",
    )
    outcome = filters.ChoiceFilter(choices=Outcome.choices, empty_label=None)
    actor = filters.UUIDFilter(field_name="actor_id", help_text="The id of a person or an API key.")
    subject_id = filters.UUIDFilter(help_text="The id of the subject, such as a document.")
    since = filters.IsoDateTimeFilter(
        field_name="occurred_at", lookup_expr="gte", help_text="At or after this time; UTC unless the time has a zone."
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
        description="Newest first. You see an event only if you hold all of its scopes.",
        extensions=sample(
            'curl "{base}/api/v1/audit/events/?action=retrieval.&since=2026-01-01T00:00:00Z" \\\n'
            '  -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class EventExportFilter(EventFilter):
    after = whole_filter(
        min_value=0,
        max_value=2**63 - 1,
        method="of_all",
        help_text="The `index` of the last line that you have; the answer continues after it.",
    )

    class Meta:
        model = Event
        fields: list[str] = []

    def of_all(self, queryset: QuerySet[Event], name: str, value: int) -> QuerySet[Event]:
        return queryset


class EventExportView(ApiListView[Event]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
    media_types = (JSON_LINES,)
    filterset_class = EventExportFilter
    # Streamed whole: no page of it is.
    pagination_class = None  # type: ignore[assignment]

    def get_queryset(self) -> QuerySet[Event]:
        events: QuerySet[Event] = Event.objects.all()
        return events

    def known_parameters(self) -> frozenset[str]:
        return super().known_parameters() - {"cursor", "page_size"}

    @extend_schema(
        operation_id="export_audit_events",
        tags=["Audit"],
        summary="Export audit events",
        description=(
            "Returns the events in the order of the log, oldest first: one JSON object per line, with the fields of "
            "the list and `index`, the event's position in the log. The answer is streamed. Keep the last `index` "
            "and call again with `after` to get newer events: none is missed and none comes twice. You get the "
            "events whose scopes you hold when each part is made. Events of the last seconds may have no position "
            "yet, and come with the next call. Each export is recorded. To prove that nothing was changed, use "
            "`manage.py audit export`."
        ),
        responses=bytes_responses(*media_types, description="Lines of JSON."),
        extensions=sample(
            'curl "{base}/api/v1/audit/events/export/?action=retrieval.&after=0" \\\n'
            '  -H "Authorization: Bearer $GLASSBOX_KEY" | tail -n 1'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        chosen = self.filter_queryset(self.get_queryset())
        after = request.query_params.get("after")
        # HEAD hands nothing out, so it reads and records nothing.
        parts: Iterator[bytes] = iter(())
        if request.method != "HEAD":
            parts = events_in_order(
                chosen,
                after=None if after is None else int(after),
                written=lambda event: dict(EventSerializer(event).data),
                filters={name: str(value)[:100] for name, value in request.query_params.items() if name != "after"},
            )
        return StreamingHttpResponse(parts, content_type=JSON_LINES)


class EventView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}

    @extend_schema(
        operation_id="get_audit_event",
        tags=["Audit"],
        summary="Show an audit event",
        description=(
            "Returns the event with its payload: what the act touched, under which policy version, and how far each "
            "hit got."
        ),
        responses=EventDetailSerializer,
        extensions=sample('curl "{base}/api/v1/audit/events/$EVENT_ID/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        event: Event | None = Event.objects.filter(id=id).first()
        if event is None:
            raise LogError("audit.event_not_found", event=id)
        return Response(EventDetailSerializer(event).data)
