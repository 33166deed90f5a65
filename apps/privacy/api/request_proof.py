"""Doing without the physical proof of an erasure, by API: the same services as the run's page uses."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.erasure.runs.unproven import Unproven
from apps.privacy.api.request_parts import (
    BASE,
    JSON,
    KEY,
    RUN,
    RUN_REVISION,
    TAG,
    answer_of,
    said_by,
)
from apps.privacy.api.request_serializers import ErasureRequestSerializer, OfRunSerializer
from apps.privacy.api.request_steps import StepView
from apps.privacy.proposals.without_proof import (
    request_agree_without_proof,
    request_ask_without_proof,
    request_keep_proof,
)
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.roles import Permission


class WithoutProofSerializer(OfRunSerializer):
    reason = serializers.ChoiceField(choices=Unproven.choices, help_text="The certificate states it permanently.")


class WithoutProofView(StepView):
    required_permissions = {"POST": Permission.PRIVACY_MANAGE}

    @extend_schema(
        operation_id="ask_to_end_without_proof",
        tags=TAG,
        summary="Ask to end an erasure without physical proof",
        description="Use this when the control, the physical phase or the scan can't be made, for example because "
        "nobody has administrator access to the database. Nothing changes until another person agrees.",
        request=WithoutProofSerializer,
        responses=ErasureRequestSerializer,
        extensions=sample(
            f'curl "{BASE}$REQUEST_ID/without-proof/" {KEY} {JSON} \\\n'
            f'  -d \'{{{RUN}, {RUN_REVISION}, "reason": "no_administrator"}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(WithoutProofSerializer, request).validated_data
        return answer_of(request_ask_without_proof(id, **{**said, "reason": Unproven(said["reason"])}))


class KeepProofView(StepView):
    required_permissions = {"POST": Permission.PRIVACY_MANAGE}

    @extend_schema(
        operation_id="keep_the_proof",
        tags=TAG,
        summary="Withdraw that an erasure ends without proof",
        description=(
            "You can withdraw your own request before somebody agrees to it. The erasure then continues to its "
            "physical proof."
        ),
        request=OfRunSerializer,
        responses=ErasureRequestSerializer,
        extensions=sample(f"curl \"{BASE}$REQUEST_ID/keep-proof/\" {KEY} {JSON} \\\n  -d '{{{RUN}, {RUN_REVISION}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(request_keep_proof(id, **said_by(OfRunSerializer, request).validated_data))


class AgreeWithoutProofView(StepView):
    required_permissions = {"POST": Permission.PRIVACY_APPROVE}

    @extend_schema(
        operation_id="agree_to_end_without_proof",
        tags=TAG,
        summary="Agree that an erasure ends without physical proof",
        description="Agrees to what somebody else asked. The erasure runs until every store counts zero, then ends. "
        "Its certificate says that the physical phase was not made, and why. This can't be undone.",
        request=OfRunSerializer,
        responses=ErasureRequestSerializer,
        extensions=sample(
            f"curl \"{BASE}$REQUEST_ID/agree-without-proof/\" {KEY} {JSON} \\\n  -d '{{{RUN}, {RUN_REVISION}}}'"
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(request_agree_without_proof(id, **said_by(OfRunSerializer, request).validated_data))
