"""Requests for erasure and for access: list, receive, show. The services hold the rules; see request_steps.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.privacy.api.request_parts import (
    BASE,
    JSON,
    KEY,
    TAG,
    answer_of,
    said_by,
)
from apps.privacy.api.request_serializers import (
    DetailsSerializer,
    ErasureRequestDetailSerializer,
    ErasureRequestSerializer,
    ReceiveSerializer,
)
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Language, Purpose, Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.selectors import Which, erasure_request, erasure_requests, may_read_details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet, text_filter
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.views import ApiListView
from apps.tenants.roles import Permission


class RequestFilter(FilterSet):
    purpose = filters.ChoiceFilter(choices=Purpose.choices, empty_label=None)
    state = filters.ChoiceFilter(choices=RequestState.choices, empty_label=None)
    subject_type = filters.ChoiceFilter(choices=SubjectType.choices, empty_label=None)
    which = filters.ChoiceFilter(
        choices=[(each.value, each.name) for each in Which],
        empty_label=None,
        method="of_which",
        help_text="open, overdue, approval (waiting for approval), letters (that need attention), finished, or all.",
    )
    reference = text_filter(max_length=40, method="of_reference", help_text="Such as ER-2026-0007.")

    class Meta:
        model = ErasureRequest
        fields: list[str] = []

    def of_which(self, queryset: QuerySet[ErasureRequest], name: str, value: str) -> QuerySet[ErasureRequest]:
        return queryset.filter(id__in=erasure_requests(which=Which(value)).order_by().values("id"))

    def of_reference(self, queryset: QuerySet[ErasureRequest], name: str, value: str) -> QuerySet[ErasureRequest]:
        return queryset.filter(id__in=erasure_requests(reference=value).order_by().values("id"))


class ErasureRequestListView(ApiListView[ErasureRequest]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.AUDIT_VIEW,
        "POST": Permission.PRIVACY_MANAGE,
    }
    field_of_code: ClassVar[Mapping[str, str]] = {
        "audit.access_subject": "subject_type",
        "audit.request_subject_unknown": "subject_id",
        "audit.request_subject_undescribed": "details",
        "audit.request_receipt_in_future": "received_at",
    }
    serializer_class = ErasureRequestSerializer
    filterset_class = RequestFilter
    ordering = ("due_on", "id")

    def get_queryset(self) -> QuerySet[ErasureRequest]:
        requests: QuerySet[ErasureRequest] = ErasureRequest.objects.all()
        return requests

    @extend_schema(
        operation_id="list_erasure_requests",
        tags=TAG,
        summary="List access and erasure requests",
        description="Sorted by due date. Returns numbers, states and dates; whom the requests are about is sealed.",
        extensions=sample(f'curl "{BASE}?which=open" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="receive_erasure_request",
        tags=TAG,
        summary="Take in an access or erasure request",
        description=(
            "This needs a person: a session, or a key that acts for you. The request must be answered within one "
            "calendar month of its receipt. Everything that describes a person is sealed, and no answer to a write "
            "contains it."
        ),
        request=ReceiveSerializer,
        responses={201: OpenApiResponse(ErasureRequestSerializer, description="Taken in.")},
        extensions=sample(
            f'curl "{BASE}" {KEY} {JSON} \\\n'
            '  -d \'{"subject_type": "data_subject", "requester": "person", '
            '"details": {"names": ["Jo Doe"], "requester_email": "jo@example.com"}}\''
        ),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        said = said_by(ReceiveSerializer, request).validated_data
        facts = DetailsSerializer(data=said.get("details", {}))
        facts.is_valid(raise_exception=True)
        made = request_receive(
            purpose=Purpose(said["purpose"]),
            subject_type=SubjectType(said["subject_type"]),
            subject_id=said.get("subject_id"),
            requester=Requester(said["requester"]),
            language=Language(said["language"]),
            received_at=said.get("received_at"),
            details=facts.facts(),
        )
        return answer_of(made, status=201)


class ErasureRequestView(TaggedView):
    tagged = ErasureRequest
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}

    @extend_schema(
        operation_id="get_erasure_request",
        tags=TAG,
        summary="Show an access or erasure request",
        description="People who manage or approve privacy see whom it is about and its letters. Others see its state.",
        responses=ErasureRequestDetailSerializer,
        extensions=sample(f'curl "{BASE}$REQUEST_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        context = {"reads": may_read_details(self.principal)}
        return Response(ErasureRequestDetailSerializer(erasure_request(id), context=context).data)
