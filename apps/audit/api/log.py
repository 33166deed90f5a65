"""The log's tree: checkpoints to keep, and proofs to check against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.errors import EventNotFoundError
from apps.audit.api.log_serializers import (
    CheckpointSerializer,
    ConsistencyProofSerializer,
    ConsistencyQuerySerializer,
    InclusionProofSerializer,
    ProofQuerySerializer,
)
from apps.audit.log.proofs import consistency_proof, inclusion_proof, latest_checkpoint
from apps.audit.models import Checkpoint, Event
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_VIEW: Final[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'


class CheckpointListView(ApiListView[Checkpoint]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    serializer_class = CheckpointSerializer
    ordering = ("-size",)

    def get_queryset(self) -> QuerySet[Checkpoint]:
        checkpoints: QuerySet[Checkpoint] = Checkpoint.objects.all()
        return checkpoints

    @extend_schema(
        operation_id="list_audit_checkpoints",
        tags=["Audit"],
        summary="List checkpoints",
        description=(
            "The largest first. A checkpoint is the state of the log, signed. Keep one elsewhere: with it you can tell "
            "whether anything that it covers was changed, removed or put in since."
        ),
        extensions=sample(f'curl "{{base}}/api/v1/audit/checkpoints/" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class LatestCheckpointView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW

    @extend_schema(
        operation_id="get_latest_audit_checkpoint",
        tags=["Audit"],
        summary="Show the newest checkpoint",
        description="One is signed every minute in which the log grew.",
        responses=CheckpointSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/audit/checkpoints/latest/" {_KEY}'),
            PROBLEMS_EXTENSION: ["NotFound"],
        },
    )
    def get(self, request: Request) -> Response:
        return Response(CheckpointSerializer(latest_checkpoint()).data)


class EventProofView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    query_parameters = frozenset({"size"})

    @extend_schema(
        operation_id="prove_audit_event",
        tags=["Audit"],
        summary="Prove that an event is in the log",
        description=(
            "The leaf, its place, and the hashes that lead from it to the root of a checkpoint (RFC 9162, section "
            "2.1.3). An event is in a checkpoint about a minute after it was recorded; before that the answer is 409."
        ),
        parameters=[
            OpenApiParameter("size", int, description="Of the log in which; that of the newest checkpoint unless told.")
        ],
        responses=InclusionProofSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/audit/events/$EVENT_ID/proof/" {_KEY}'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        query = ProofQuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        # Leaves are the whole tenant's: who may not see the event may not learn that it has one.
        if not Event.objects.filter(id=id).exists():
            raise EventNotFoundError(event=id)
        found = inclusion_proof(id, size=query.validated_data.get("size"))
        return Response(InclusionProofSerializer(found).data)


class ConsistencyView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    query_parameters = frozenset({"first", "second"})

    @extend_schema(
        operation_id="prove_audit_consistency",
        tags=["Audit"],
        summary="Prove that the log only grew",
        description=(
            "The hashes that show that the log of `second` events begins with the log of `first` events (RFC 9162, "
            "section 2.1.4). Take the sizes from two checkpoints, and their roots from the notes that you kept."
        ),
        parameters=[
            OpenApiParameter("first", int, required=True, description="The smaller size, from 1."),
            OpenApiParameter("second", int, required=True, description="The larger size."),
        ],
        responses=ConsistencyProofSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/audit/consistency/?first=1&second=2" {_KEY}'),
            PROBLEMS_EXTENSION: ["NotFound"],
        },
    )
    def get(self, request: Request) -> Response:
        query = ConsistencyQuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        found = consistency_proof(query.validated_data["first"], query.validated_data["second"])
        return Response(ConsistencyProofSerializer(found).data)
