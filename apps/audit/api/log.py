"""The log's tree: checkpoints to keep, and proofs to check against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.log_serializers import (
    CheckpointSerializer,
    ConsistencyProofSerializer,
    ConsistencyQuerySerializer,
    InclusionProofSerializer,
    ProofQuerySerializer,
)
from apps.audit.errors import LogError
from apps.audit.log.proofs import consistency_proof, inclusion_proof, latest_checkpoint
from apps.audit.models import Checkpoint, Event
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import StrictSerializer
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
            "Largest first. A checkpoint is the signed state of the log. Keep one elsewhere: with it you can detect "
            "whether anything that it covers has been changed, removed or inserted since."
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
        description="A checkpoint is signed every minute in which the log grew.",
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
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": ProofQuerySerializer}

    @extend_schema(
        operation_id="prove_audit_event",
        tags=["Audit"],
        summary="Prove that an event is in the log",
        description=(
            "Returns the leaf, its position, and the hashes that lead from it to the root of a checkpoint (RFC 9162, "
            "section 2.1.3). An event is in a checkpoint about a minute after it was recorded; before that the "
            "answer is 409."
        ),
        parameters=[ProofQuerySerializer],
        responses=InclusionProofSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/audit/events/$EVENT_ID/proof/" {_KEY}'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        asked = self.asked()
        # Leaves are the whole tenant's: who may not see the event may not learn that it has one.
        if not Event.objects.filter(id=id).exists():
            raise LogError("audit.event_not_found", event=id)
        found = inclusion_proof(id, size=asked.get("size"))
        return Response(InclusionProofSerializer(found).data)


class ConsistencyView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": ConsistencyQuerySerializer}

    @extend_schema(
        operation_id="prove_audit_consistency",
        tags=["Audit"],
        summary="Prove that the log only grew",
        description=(
            "Returns the hashes that prove that the log of `second` events begins with the log of `first` events "
            "(RFC 9162, section 2.1.4). Take the sizes from two checkpoints, and their roots from the notes that you "
            "kept."
        ),
        parameters=[ConsistencyQuerySerializer],
        responses=ConsistencyProofSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/audit/consistency/?first=1&second=2" {_KEY}'),
            PROBLEMS_EXTENSION: ["NotFound"],
        },
    )
    def get(self, request: Request) -> Response:
        asked = self.asked()
        found = consistency_proof(asked["first"], asked["second"])
        return Response(ConsistencyProofSerializer(found).data)
