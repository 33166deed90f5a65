"""Verifications of the log: what was found, and asking for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.models import Verification, VerificationState
from apps.audit.verify.findings import FindingClass
from apps.audit.verify.requests import verification_request
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import Field, choices_of, require_no_fields
from apps.tenants.api.views import ApiListView
from apps.tenants.roles import Permission

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'


class VerificationFindingSerializer(serializers.Serializer[Any]):
    """Where something is wrong; what does not apply is null."""

    leaf = serializers.IntegerField(allow_null=True, help_text="The position in the log, from 0.")
    event = serializers.UUIDField(allow_null=True)
    group = serializers.CharField(allow_null=True, help_text="The part of the event, such as question.")
    size = serializers.IntegerField(allow_null=True, help_text="The size of a checkpoint, in leaves.")

    def get_fields(self) -> dict[str, Field]:
        kind = serializers.ChoiceField(
            choices=choices_of(FindingClass), help_text="The name that the offline verifier uses."
        )
        return {"class": kind, **super().get_fields()}


class VerificationSerializer(serializers.Serializer[Verification]):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(
        choices=VerificationState.choices,
        help_text="intact: the log is unchanged; findings: it is changed, or, if all classes begin with UNSIGNED, "
        "not proven to be unchanged; failed: it could not be checked, see error.",
    )
    requested_at = serializers.DateTimeField()
    started_by = serializers.UUIDField(
        allow_null=True, help_text="The person or the API key that asked; null for scheduled verifications."
    )
    night = serializers.DateField(allow_null=True, help_text="The night of a scheduled verification; otherwise null.")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    done = serializers.IntegerField(help_text="Leaves verified so far.")
    total = serializers.IntegerField(help_text="Leaves in all; 0 until it has begun.")
    checkpoint_size = serializers.IntegerField(
        allow_null=True,
        help_text="The leaves of the exported checkpoint, read back from outside, with which the log was compared. "
        "null if none had been exported: a log that was cut off at its end would not have been detected.",
    )
    covered_size = serializers.IntegerField(
        allow_null=True,
        help_text="Leaves below the newest signed checkpoint that fits the log. The leaves after it, the unsigned "
        "tail, are the newest events, which authorise no removal. null if an earlier release verified.",
    )
    events = serializers.IntegerField(help_text="Events examined, including those that wait to be sealed.")
    leaves = serializers.IntegerField()
    groups = serializers.IntegerField(help_text="Stored parts of events, each checked against its commitment.")
    finding_count = serializers.IntegerField()
    error = serializers.CharField(
        source="error_code", help_text="Why it failed or waits for another attempt; otherwise empty."
    )

    def get_fields(self) -> dict[str, Field]:
        return {
            **super().get_fields(),
            "totals": serializers.DictField(
                child=serializers.IntegerField(), source="findings.totals", default=dict, help_text="Findings by class."
            ),
            "findings": serializers.ListField(
                child=VerificationFindingSerializer(),
                source="findings.first",
                default=list,
                help_text="The first hundred; finding_count counts all.",
            ),
        }


class VerificationListView(ApiListView[Verification]):
    # Asking for one needs audit.view or privacy.manage, which the service holds to.
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.AUDIT_VIEW,
        "POST": Permission.AUDIT_VIEW,
    }
    serializer_class = VerificationSerializer
    ordering = ("-requested_at", "-id")

    def get_queryset(self) -> QuerySet[Verification]:
        verifications: QuerySet[Verification] = Verification.objects.all()
        return verifications

    @extend_schema(
        operation_id="list_audit_verifications",
        tags=["Audit"],
        summary="List verifications of the log",
        description=(
            "Newest first: scheduled verifications of each night, and those that somebody asked for. A result never "
            "changes. It is only what the application itself says; the export with its offline verifier relies on "
            "nobody's word."
        ),
        extensions=sample(f'curl "{{base}}/api/v1/audit/verifications/" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="start_audit_verification",
        tags=["Audit"],
        summary="Verify the log now",
        description=(
            "Verifies the whole log against the newest checkpoint outside the database. Read the list every few "
            "seconds until `finished_at` is set. If a verification already waits or runs, the answer is that one. "
            "The request has no body."
        ),
        request=None,
        responses={202: OpenApiResponse(VerificationSerializer, description="Waiting for a worker.")},
        extensions=sample(f'curl -X POST "{{base}}/api/v1/audit/verifications/" {_KEY}'),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        require_no_fields(request)
        verification = verification_request()
        verification.refresh_from_db()
        return ActResponse(VerificationSerializer(verification).data, status=202, subject_id=verification.id)
