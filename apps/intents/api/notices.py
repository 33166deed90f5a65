"""One's own notices over the API: list them, and mark them as read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.models import Happening, Notice
from apps.intents.services.notices import notice_read, own_notices
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_STATES: Final = (("unread", "Unread"), ("read", "Read"))


class NoticeSerializer(serializers.Serializer[Notice]):
    id = serializers.UUIDField()
    happening = serializers.ChoiceField(choices=Happening.choices)
    version_id = serializers.UUIDField(help_text="The policy version that it is about.")
    number = serializers.IntegerField(source="version.number", help_text="The number of that version.")
    event_id = serializers.UUIDField(help_text="The event of the audit log that it is of.")
    created_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True, help_text="null while you have not read it.")


class NoticeFilter(FilterSet):
    state = filters.ChoiceFilter(method="of_state", choices=_STATES, empty_label=None)

    class Meta:
        model = Notice
        fields: list[str] = []

    def of_state(self, queryset: QuerySet[Notice], name: str, value: str) -> QuerySet[Notice]:
        return queryset.filter(read_at__isnull=value == "unread")


class NoticeListView(ApiListView[Notice]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.POLICY_VIEW}
    serializer_class = NoticeSerializer
    filterset_class = NoticeFilter
    ordering = ("-created_at", "-id")

    def get_queryset(self) -> QuerySet[Notice]:
        # The description of the API is made without a principal.
        return Notice.objects.none() if getattr(self, "swagger_fake_view", False) else own_notices()

    @extend_schema(
        operation_id="list_notices",
        tags=["Policy"],
        summary="List your notices",
        description=(
            "What happened to policy versions that you wrote or may review, newest first. Only you see them. A key "
            "that acts for nobody has none."
        ),
        extensions=sample(f'curl "{{base}}/api/v1/notices/?state=unread" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class NoticeReadView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.POLICY_VIEW}

    @extend_schema(
        operation_id="read_notice",
        tags=["Policy"],
        summary="Mark a notice as read",
        description="Marks a notice of yours as read. One that you have read keeps its time.",
        request=None,
        responses=NoticeSerializer,
        extensions=sample(f'curl -X POST "{{base}}/api/v1/notices/$NOTICE_ID/read/" {_KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        notice = notice_read(id)
        return ActResponse(dict(NoticeSerializer(notice).data), status=200, subject_id=notice.id)
