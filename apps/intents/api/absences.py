"""Absences of reviewers over the API: list them, record one, end one early."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.models import Absence
from apps.intents.services.absences import absence_end, absence_record
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer, require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'


class AbsenceRecordSerializer(StrictSerializer):
    begins_at = serializers.DateTimeField(help_text="At most 7 days ago.")
    ends_at = serializers.DateTimeField()
    deputy_id = serializers.UUIDField(
        required=False, allow_null=True, help_text="The `person_id` of another reviewer; by default nobody."
    )


class AbsenceSerializer(serializers.Serializer[Absence]):
    id = serializers.UUIDField()
    member_id = serializers.UUIDField(help_text="Who is away.")
    deputy_id = serializers.UUIDField(allow_null=True, help_text="null where nobody deputises.")
    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    recorded_by_id = serializers.UUIDField()
    recorded_at = serializers.DateTimeField()
    ended_by_id = serializers.UUIDField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True, help_text="null unless it was ended early.")


class AbsenceListView(ApiListView[Absence]):
    # Whose absence it is decides who may record it.
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.POLICY_VIEW,
        "POST": Permission.POLICY_APPROVE,
    }
    serializer_class = AbsenceSerializer
    ordering = ("-begins_at", "-id")
    field_of_code: ClassVar[Mapping[str, str]] = {
        "intents.absence_too_old": "begins_at",
        "intents.absence_ends_early": "ends_at",
        "intents.absence_deputy": "deputy_id",
    }

    def get_queryset(self) -> QuerySet[Absence]:
        return Absence.objects.all()

    @extend_schema(
        operation_id="list_absences",
        tags=["Policy"],
        summary="List absences of reviewers",
        description="Lists when reviewers are, were and will be away, and who deputises, the latest first.",
        extensions=sample(f'curl "{{base}}/api/v1/absences/" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="record_absence",
        tags=["Policy"],
        summary="Record your absence",
        description=(
            "Records that you, a reviewer, are away, and tells your deputy by e-mail. It gives nobody a right: a "
            "deputy is a reviewer anyway and approves for themselves alone, and so do you while you are away."
        ),
        request=AbsenceRecordSerializer,
        responses={201: OpenApiResponse(AbsenceSerializer, description="Recorded.")},
        extensions={
            **sample(
                f'curl "{{base}}/api/v1/absences/" {_KEY} -H "Content-Type: application/json" \\\n'
                '  -d \'{"begins_at": "2099-01-04T00:00:00Z", "ends_at": "2099-01-15T00:00:00Z"}\''
            ),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        form = AbsenceRecordSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return _answer(absence_record(**form.validated_data), status=201)


class AbsenceEndView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.POLICY_APPROVE}

    @extend_schema(
        operation_id="end_absence",
        tags=["Policy"],
        summary="End your absence",
        description="Ends an absence of yours now. It stays on record as it was, with its early end.",
        request=None,
        responses=AbsenceSerializer,
        extensions={
            **sample(f'curl -X POST "{{base}}/api/v1/absences/$ABSENCE_ID/end/" {_KEY}'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        return _answer(absence_end(id))


def _answer(absence: Absence, *, status: int = 200) -> ActResponse:
    return ActResponse(dict(AbsenceSerializer(absence).data), status=status, subject_id=absence.id)
