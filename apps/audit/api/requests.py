"""Requests for erasure: list, receive, show, and the steps that the admin has. The services hold the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.api.request_serializers import (
    AskIdentitySerializer,
    AssessSerializer,
    DetailsSerializer,
    ErasureRequestDetailSerializer,
    ErasureRequestSerializer,
    ExtendSerializer,
    LetterSerializer,
    ReceiveSerializer,
    RefuseSerializer,
    SendBackSerializer,
    WithdrawSerializer,
    WriteLetterSerializer,
)
from apps.audit.erasure.runs import RejectionReason
from apps.audit.inventory.proposing import inventory_propose
from apps.audit.models import ErasureRequest
from apps.audit.requests.codes import (
    Extension,
    Ground,
    Language,
    LetterKind,
    Refusal,
    Requester,
    SubjectType,
)
from apps.audit.requests.errors import (
    LetterUnaddressedError,
    ReceiptInFutureError,
    SubjectUndescribedError,
    SubjectUnknownError,
    WordsMissingError,
)
from apps.audit.requests.life import RequestState
from apps.audit.requests.selectors import Which, erasure_request, erasure_requests, may_read_details
from apps.audit.requests.services.letters import letter_write
from apps.audit.requests.services.proposing import (
    request_approve,
    request_send_back,
    request_take_back,
)
from apps.audit.requests.services.receiving import request_receive
from apps.audit.requests.services.steps import assess, extend, identity_ask, identity_confirm, refuse, withdraw
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
_BASE: Final = "{base}/api/v1/privacy/requests/"
_MANAGE: Mapping[str, Permission | None] = {"POST": Permission.PRIVACY_MANAGE}
_APPROVE: Mapping[str, Permission | None] = {"POST": Permission.PRIVACY_APPROVE}
_OF_LETTER: Mapping[type[Exception], str] = {WordsMissingError: "words", LetterUnaddressedError: "delivery"}
_TAG: Final = ["Privacy"]
SerializerT = TypeVar("SerializerT", bound=StrictSerializer)


class RequestFilter(FilterSet):
    state = filters.ChoiceFilter(choices=RequestState.choices, empty_label=None)
    subject_type = filters.ChoiceFilter(choices=SubjectType.choices, empty_label=None)
    which = filters.ChoiceFilter(
        choices=[(each.value, each.name) for each in Which],
        empty_label=None,
        method="of_which",
        help_text="open, overdue, approval (waits for it), letters (that need a person), finished, or all.",
    )
    reference = filters.CharFilter(method="of_reference", help_text="Such as ER-2026-0007.")

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
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        SubjectUnknownError: "subject_id",
        SubjectUndescribedError: "details",
        ReceiptInFutureError: "received_at",
    }
    serializer_class = ErasureRequestSerializer
    filterset_class = RequestFilter
    ordering = ("due_on", "id")

    def get_queryset(self) -> QuerySet[ErasureRequest]:
        requests: QuerySet[ErasureRequest] = ErasureRequest.objects.all()
        return requests

    @extend_schema(
        operation_id="list_erasure_requests",
        tags=_TAG,
        summary="List requests for erasure",
        description="By the day on which they are due. Numbers, states and dates: whom they are about is sealed.",
        extensions=sample(f'curl "{_BASE}?which=open" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="receive_erasure_request",
        tags=_TAG,
        summary="Take in a request for erasure",
        description=(
            "In a person's name: a session, or a key that acts for you. From its receipt on, it is to be answered "
            "within one calendar month. What describes a person is sealed, and in no answer to a write."
        ),
        request=ReceiveSerializer,
        responses={201: OpenApiResponse(ErasureRequestSerializer, description="Taken in.")},
        extensions=sample(
            f'curl "{_BASE}" {_KEY} {_JSON} \\\n'
            '  -d \'{"subject_type": "data_subject", "requester": "person", '
            '"details": {"names": ["Jo Doe"], "requester_email": "jo@example.com"}}\''
        ),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        said = _said(ReceiveSerializer, request).validated_data
        facts = DetailsSerializer(data=said.get("details", {}))
        facts.is_valid(raise_exception=True)
        made = request_receive(
            subject_type=SubjectType(said["subject_type"]),
            subject_id=said.get("subject_id"),
            requester=Requester(said["requester"]),
            language=Language(said["language"]),
            received_at=said.get("received_at"),
            details=facts.facts(),
        )
        return _answer(made, status=201)


class ErasureRequestView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}

    @extend_schema(
        operation_id="get_erasure_request",
        tags=_TAG,
        summary="Show a request for erasure",
        description="Whom it is about and its letters are for who manages privacy or approves; others see its state.",
        responses=ErasureRequestDetailSerializer,
        extensions=sample(f'curl "{_BASE}$REQUEST_ID/" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        context = {"reads": may_read_details(self.principal)}
        return Response(ErasureRequestDetailSerializer(erasure_request(id), context=context).data)


def _curl(step: str, body: str = "") -> dict[str, Any]:
    if not body:
        return sample(f'curl -X POST "{_BASE}$REQUEST_ID/{step}/" {_KEY}')
    return sample(f"curl \"{_BASE}$REQUEST_ID/{step}/\" {_KEY} {_JSON} \\\n  -d '{body}'")


class StepView(ApiView):
    """A step of one request: not there and not yours are told before who may take it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        erasure_request(kwargs["id"])


class AskIdentityView(StepView):
    required_permissions = _MANAGE
    field_of_error = _OF_LETTER

    @extend_schema(
        operation_id="ask_for_identity",
        tags=_TAG,
        summary="Ask for proof of identity",
        description="Only where it is reasonably in doubt (Article 12(6) GDPR). A letter goes out; the month goes on.",
        request=AskIdentitySerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("ask-identity", '{"words": "Please send us a copy of your last statement."}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = _said(AskIdentitySerializer, request)
        return _answer(identity_ask(id, words=said.validated_data["words"], **said.told()))


class ConfirmIdentityView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="confirm_identity",
        tags=_TAG,
        summary="Confirm the identity",
        description="It is proved, or nobody doubts it: the request is assessed from now on. No body.",
        request=None,
        responses=ErasureRequestSerializer,
        extensions=_curl("confirm-identity"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return _answer(identity_confirm(id))


class AssessView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="assess_erasure_request",
        tags=_TAG,
        summary="Assess a request",
        description=(
            "On which ground there is a duty to erase. A request about a user, a document, a scope or the tenant can "
            "be proposed then; of a person in documents each place must be found first."
        ),
        request=AssessSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("assess", '{"ground": "17_1_a"}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = _said(AssessSerializer, request).validated_data
        return _answer(assess(id, ground=Ground(said["ground"]), notes=said["notes"]))


class ExtendView(StepView):
    required_permissions = _MANAGE
    field_of_error = _OF_LETTER

    @extend_schema(
        operation_id="extend_erasure_request",
        tags=_TAG,
        summary="Extend by two months",
        description="Once, and within the first month; whoever asks is told the reasons (Article 12(3) GDPR).",
        request=ExtendSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("extend", '{"code": "complexity", "words": "The archive has to be read by hand."}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = _said(ExtendSerializer, request)
        given = said.validated_data
        return _answer(extend(id, code=Extension(given["code"]), words=given["words"], **said.told()))


class RefuseView(StepView):
    required_permissions = _MANAGE
    field_of_error = _OF_LETTER

    @extend_schema(
        operation_id="refuse_erasure_request",
        tags=_TAG,
        summary="Refuse a request",
        description="For good, on a ground of the law; whoever asks is told it, and what they can do about it.",
        request=RefuseSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("refuse", '{"code": "17_3_e", "words": "There is a claim that it is needed for."}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = _said(RefuseSerializer, request)
        given = said.validated_data
        return _answer(refuse(id, code=Refusal(given["code"]), words=given["words"], **said.told()))


class WithdrawView(StepView):
    required_permissions = _MANAGE
    field_of_error = _OF_LETTER

    @extend_schema(
        operation_id="withdraw_erasure_request",
        tags=_TAG,
        summary="Close a request as withdrawn",
        description="Whoever asked does not want it any more. Nothing is erased, and no letter goes out.",
        request=WithdrawSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("withdraw", '{"words": "They called and took it back."}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return _answer(withdraw(id, words=_said(WithdrawSerializer, request).validated_data["words"]))


class ProposeView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="propose_erasure",
        tags=_TAG,
        summary="Propose the erasure",
        description="To a second person. What is to go is frozen, and nothing is removed before they approve. Of a "
        "person in documents, once every place of the inventory is decided on. No body.",
        request=None,
        responses=ErasureRequestSerializer,
        extensions=_curl("propose"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return _answer(inventory_propose(id))


class TakeBackView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="take_back_erasure",
        tags=_TAG,
        summary="Take a proposal back",
        description="Nobody decides on it any more; it can be proposed again. No body.",
        request=None,
        responses=ErasureRequestSerializer,
        extensions=_curl("take-back"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return _answer(request_take_back(id))


class ApproveView(StepView):
    required_permissions = _APPROVE

    @extend_schema(
        operation_id="approve_erasure",
        tags=_TAG,
        summary="Approve an erasure",
        description="One that somebody else proposed. It is carried out at once, and can't be undone. No body.",
        request=None,
        responses=ErasureRequestSerializer,
        extensions=_curl("approve"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return _answer(request_approve(id))


class SendBackView(StepView):
    required_permissions = _APPROVE

    @extend_schema(
        operation_id="send_back_erasure",
        tags=_TAG,
        summary="Send a proposed erasure back",
        description="Nothing is erased; it can be changed, and proposed again.",
        request=SendBackSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("send-back", '{"reason": "must_be_kept"}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        reason = RejectionReason(_said(SendBackSerializer, request).validated_data["reason"])
        return _answer(request_send_back(id, reason=reason))


class WriteLetterView(StepView):
    required_permissions = _MANAGE
    field_of_error = _OF_LETTER

    @extend_schema(
        operation_id="write_erasure_letter",
        tags=_TAG,
        summary="Write to who asked",
        description="That it is here (`received`), or that it is done (`done`). Other letters go with their step.",
        request=WriteLetterSerializer,
        responses={201: OpenApiResponse(LetterSerializer, description="Written, and on its way.")},
        extensions=_curl("letters", '{"kind": "received"}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = _said(WriteLetterSerializer, request)
        told = said.told()
        kind = LetterKind(said.validated_data["kind"])
        letter = letter_write(id, kind, text=told["letter"], delivery=told["delivery"])
        return ActResponse(LetterSerializer(letter).data, status=201, subject_id=letter.id)


def _said(serializer: type[SerializerT], request: Request) -> SerializerT:
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return body


def _answer(request: ErasureRequest, *, status: int = 200) -> ActResponse:
    """Numbers, states and dates, as the database has them now: what a day's keeping may hold."""
    now = erasure_request(request.id)
    headers = {"Location": f"/api/v1/privacy/requests/{now.id}/"} if status == 201 else None
    return ActResponse(dict(ErasureRequestSerializer(now).data), status=status, subject_id=now.id, headers=headers)
