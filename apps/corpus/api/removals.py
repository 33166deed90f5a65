"""Removals of documents: what is proposed, and the second person's decision on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.models import Document
from apps.erasure.contracts import Origin
from apps.erasure.errors import RemovalError
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun
from apps.erasure.models.removal import RemovalState
from apps.erasure.runs.flow import RUNS
from apps.erasure.runs.runs import RejectionReason, run_approve, run_reject
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.next_steps import NextStepsField, Operation
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import StrictSerializer, choices_of, revision_field
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.context import current_scope
from apps.tenants.flows.checks import steps_offered
from apps.tenants.flows.table import By, Step
from apps.tenants.roles import Permission

_BASE: Final = "{base}/api/v1/removals/"
_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
# Within an example's single quotes: what the reader of the page has in front of them.
_READ: Final = '"document_id": "\'"$DOCUMENT_ID"\'", "revision": \'"$REVISION"\''
_TAG: Final = ["Documents"]
_DECISION: Final = ("document_id", "revision")
OPERATIONS: Final[Mapping[str, Operation]] = {
    "approve": Operation("approve/", _DECISION),
    "reject": Operation("reject/", (*_DECISION, "reason")),
}
TAKE_BACK: Final = Operation("take-back/", _DECISION)


def operation_of(step: Step) -> Operation | None:
    return TAKE_BACK if step.by is By.AUTHOR else OPERATIONS.get(step.name)


class RemovalSerializer(serializers.Serializer[RemovalRun]):
    """Ids, codes and times: why, in the proposer's own words, is in the log."""

    id = serializers.UUIDField()
    document_id = serializers.UUIDField(source="origin_id", help_text="The version to be removed.")
    state = serializers.ChoiceField(choices=RemovalState.choices)
    reason = serializers.ChoiceField(source="reason_code", choices=choices_of(RemovalReason))
    revision = serializers.IntegerField(
        help_text="Counts the changes. Send the revision that you read with your decision."
    )
    proposed_by_id = serializers.UUIDField(source="proposed_by")
    proposed_at = serializers.DateTimeField()
    approved_by_id = serializers.UUIDField(source="approved_by", allow_null=True)
    approved_at = serializers.DateTimeField(allow_null=True)
    rejected_by_id = serializers.UUIDField(source="rejected_by", allow_null=True)
    rejected_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    next_steps = NextStepsField(
        offers=partial(steps_offered, RUNS), operations=operation_of, address="/api/v1/removals/{id}/"
    )


class DecideRemovalSerializer(StrictSerializer):
    """A decision on the proposal that was read."""

    document_id = serializers.UUIDField(help_text="The `document_id` of the removal that you read.")
    revision = revision_field("The revision of the removal that you read.")


class RejectRemovalSerializer(DecideRemovalSerializer):
    reason = serializers.ChoiceField(choices=choices_of(RejectionReason))


class RemovalFilter(FilterSet):
    state = filters.ChoiceFilter(choices=RemovalState.choices, empty_label=None)
    document_id = filters.UUIDFilter(field_name="origin_id")

    class Meta:
        model = RemovalRun
        fields: list[str] = []


def removals() -> QuerySet[RemovalRun]:
    """Of documents that one sees, of one's own proposals, and of all for who reads the log or approves."""
    found: QuerySet[RemovalRun] = RemovalRun.objects.filter(origin=Origin.REMOVAL)
    principal = current_scope().principal
    if principal.may(Permission.AUDIT_VIEW) or principal.may(Permission.PRIVACY_APPROVE):
        return found
    return found.filter(Q(proposed_by=principal.id) | Q(origin_id__in=Document.objects.order_by().values("id")))


def removal(run_id: UUID) -> RemovalRun:
    """Raises: RemovalError, alike for one that is not there and one that is not shown."""
    found = removals().filter(id=run_id).first()
    if found is None:
        raise RemovalError("audit.removal_run_not_found", run=run_id)
    return found


def removal_json(run_id: UUID) -> dict[str, Any]:
    return dict(RemovalSerializer(removal(run_id)).data)


class RemovalListView(ApiListView[RemovalRun]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.DOCUMENT_VIEW}
    serializer_class = RemovalSerializer
    filterset_class = RemovalFilter
    ordering = ("-proposed_at", "-id")

    def get_queryset(self) -> QuerySet[RemovalRun]:
        # The description of the API is made without a scope.
        return RemovalRun.objects.none() if getattr(self, "swagger_fake_view", False) else removals()

    @extend_schema(
        operation_id="list_removals",
        tags=_TAG,
        summary="List removals of documents",
        description=(
            "Newest first, with the progress of each. Includes removals of documents that you see, and your own "
            "proposals."
        ),
        extensions=sample(f'curl "{_BASE}?state=proposed" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class RemovalView(TaggedView):
    tagged = RemovalRun
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.DOCUMENT_VIEW}

    @extend_schema(
        operation_id="get_removal",
        tags=_TAG,
        summary="Show a removal of a document",
        description="Returns who proposed it and why, who decided, and its progress.",
        responses=RemovalSerializer,
        extensions=sample(f'curl "{_BASE}$REMOVAL_ID/" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(removal_json(id))


class _StepView(ApiView):
    """Not there and not shown are told before who may take it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        removal(kwargs["id"])

    def read(self, serializer: type[DecideRemovalSerializer], request: Request, id: UUID) -> dict[str, Any]:
        """What was said. Raises: RemovalError: what was read is of another document."""
        body = serializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = dict(body.validated_data)
        if removal(id).origin_id != said.pop("document_id"):
            raise RemovalError("audit.removal_run_changed", run=id)
        return said


class RemovalApproveView(_StepView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.PRIVACY_APPROVE}

    @extend_schema(
        operation_id="approve_removal",
        tags=_TAG,
        summary="Approve a removal",
        description="Approves a removal that somebody else proposed. It is carried out at once and can't be undone.",
        request=DecideRemovalSerializer,
        responses=RemovalSerializer,
        extensions=sample(f"curl \"{_BASE}$REMOVAL_ID/approve/\" {_KEY} {_JSON} \\\n  -d '{{{_READ}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        run_approve(id, **self.read(DecideRemovalSerializer, request, id))
        return ActResponse(removal_json(id), status=200, subject_id=id)


class RemovalRejectView(_StepView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.PRIVACY_APPROVE}

    @extend_schema(
        operation_id="reject_removal",
        tags=_TAG,
        summary="Reject a removal",
        description="Rejects the removal for good: nothing is removed. Whoever still wants it makes a new proposal.",
        request=RejectRemovalSerializer,
        responses=RemovalSerializer,
        extensions=sample(
            f'curl "{_BASE}$REMOVAL_ID/reject/" {_KEY} {_JSON} \\\n  -d \'{{{_READ}, "reason": "must_be_kept"}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = self.read(RejectRemovalSerializer, request, id)
        run_reject(id, RejectionReason(said["reason"]), revision=said["revision"])
        return ActResponse(removal_json(id), status=200, subject_id=id)


class RemovalTakeBackView(_StepView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.DOCUMENT_DELETE}

    @extend_schema(
        operation_id="take_back_removal",
        tags=_TAG,
        summary="Take a removal back",
        description="Takes your own proposal back before anybody has decided on it. Nothing is removed.",
        request=DecideRemovalSerializer,
        responses=RemovalSerializer,
        extensions=sample(f"curl \"{_BASE}$REMOVAL_ID/take-back/\" {_KEY} {_JSON} \\\n  -d '{{{_READ}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        run_reject(id, RejectionReason.WITHDRAWN, **self.read(DecideRemovalSerializer, request, id))
        return ActResponse(removal_json(id), status=200, subject_id=id)
