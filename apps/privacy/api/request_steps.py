"""The steps of an erasure request by API: the same services as the pages use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from apps.erasure.runs.runs import RejectionReason
from apps.privacy.api.request_parts import (
    BASE,
    JSON,
    KEY,
    REVISION,
    RUN,
    TAG,
    answer_of,
    said_by,
)
from apps.privacy.api.request_serializers import (
    AskIdentitySerializer,
    AssessSerializer,
    ErasureRequestSerializer,
    ExtendSerializer,
    LetterSerializer,
    ProposedSerializer,
    RefuseSerializer,
    RevisedSerializer,
    SendBackSerializer,
    WithdrawSerializer,
    WriteLetterSerializer,
)
from apps.privacy.codes.requests import Extension, Ground, LetterKind, Refusal
from apps.privacy.proposals.approving import request_approve, request_send_back, request_take_back
from apps.privacy.proposals.ending import refuse, withdraw
from apps.privacy.proposals.proposing import inventory_propose
from apps.privacy.requests.selectors import erasure_request
from apps.privacy.requests.services.letters import letter_write
from apps.privacy.requests.services.steps import assess, extend, identity_ask, identity_confirm
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission

_MANAGE: Mapping[str, Permission | None] = {"POST": Permission.PRIVACY_MANAGE}
_APPROVE: Mapping[str, Permission | None] = {"POST": Permission.PRIVACY_APPROVE}
_OF_LETTER: Mapping[str, str] = {"audit.request_words_missing": "words", "audit.letter_unaddressed": "delivery"}


def _curl(step: str, *fields: str) -> dict[str, Any]:
    return sample(f"curl \"{BASE}$REQUEST_ID/{step}/\" {KEY} {JSON} \\\n  -d '{{{', '.join(fields)}}}'")


class StepView(ApiView):
    """A step of one request: not there and not yours are told before who may take it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        erasure_request(kwargs["id"])


class AskIdentityView(StepView):
    required_permissions = _MANAGE
    field_of_code = _OF_LETTER

    @extend_schema(
        operation_id="ask_for_identity",
        tags=TAG,
        summary="Ask for proof of identity",
        description=(
            "Only if there is reasonable doubt (Article 12(6) GDPR). A letter is sent, and the deadline does not move."
        ),
        request=AskIdentitySerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("ask-identity", REVISION, '"words": "Please send us a copy of your last statement."'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(AskIdentitySerializer, request)
        given = said.validated_data
        return answer_of(identity_ask(id, revision=given["revision"], words=given["words"], **said.told()))


class ConfirmIdentityView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="confirm_identity",
        tags=TAG,
        summary="Confirm the identity",
        description="Use this when the identity is proved or not in doubt. The request is then assessed.",
        request=RevisedSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("confirm-identity", REVISION),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(identity_confirm(id, **said_by(RevisedSerializer, request).validated_data))


class AssessView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="assess_erasure_request",
        tags=TAG,
        summary="Assess a request",
        description=(
            "States the ground for the duty to erase. A request about a user, a document, a scope or the tenant can "
            "then be proposed. For a person in documents, every place must be found first."
        ),
        request=AssessSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("assess", REVISION, '"ground": "17_1_a"'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(AssessSerializer, request).validated_data
        ground = Ground(said["ground"])
        return answer_of(assess(id, revision=said["revision"], ground=ground, notes=said["notes"]))


class ExtendView(StepView):
    required_permissions = _MANAGE
    field_of_code = _OF_LETTER

    @extend_schema(
        operation_id="extend_erasure_request",
        tags=TAG,
        summary="Extend by two months",
        description=(
            "Only once, and only within the first month. The requester is told the reasons (Article 12(3) GDPR)."
        ),
        request=ExtendSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("extend", REVISION, '"code": "complexity", "words": "The archive has to be read by hand."'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(ExtendSerializer, request)
        given = said.validated_data
        code = Extension(given["code"])
        return answer_of(extend(id, revision=given["revision"], code=code, words=given["words"], **said.told()))


class RefuseView(StepView):
    required_permissions = _MANAGE
    field_of_code = {**_OF_LETTER, "audit.request_refusal_ground": "code"}

    @extend_schema(
        operation_id="refuse_erasure_request",
        tags=TAG,
        summary="Refuse a request",
        description=(
            "Final, and on a ground of the law. The requester is told the ground and what they can do about it."
        ),
        request=RefuseSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("refuse", REVISION, '"code": "17_3_e", "words": "It is needed for a legal claim."'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(RefuseSerializer, request)
        given = said.validated_data
        code = Refusal(given["code"])
        return answer_of(refuse(id, revision=given["revision"], code=code, words=given["words"], **said.told()))


class WithdrawView(StepView):
    required_permissions = _MANAGE
    field_of_code = _OF_LETTER

    @extend_schema(
        operation_id="withdraw_erasure_request",
        tags=TAG,
        summary="Close a request as withdrawn",
        description="The requester no longer wants it. Nothing is erased, and no letter is sent.",
        request=WithdrawSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("withdraw", REVISION, '"words": "They called and withdrew it."'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(withdraw(id, **said_by(WithdrawSerializer, request).validated_data))


class ProposeView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="propose_erasure",
        tags=TAG,
        summary="Propose the erasure",
        description="Proposes the erasure to a second person. What is to be removed is frozen, and nothing is "
        "removed until they approve. For a person in documents, every place of the inventory must be "
        "decided on first.",
        request=RevisedSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("propose", REVISION),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(inventory_propose(id, **said_by(RevisedSerializer, request).validated_data))


class TakeBackView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="take_back_erasure",
        tags=TAG,
        summary="Take a proposal back",
        description="The proposal is withdrawn. It can be proposed again.",
        request=ProposedSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("take-back", RUN, REVISION),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(request_take_back(id, **said_by(ProposedSerializer, request).validated_data))


class ApproveView(StepView):
    required_permissions = _APPROVE

    @extend_schema(
        operation_id="approve_erasure",
        tags=TAG,
        summary="Approve an erasure",
        description="Approves the proposal that you read, which somebody else made. It is carried out at once and "
        "can't be undone. If there is another proposal by now, or the request has changed, the answer is "
        "409 and nothing is approved.",
        request=ProposedSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("approve", RUN, REVISION),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(request_approve(id, **said_by(ProposedSerializer, request).validated_data))


class SendBackView(StepView):
    required_permissions = _APPROVE

    @extend_schema(
        operation_id="send_back_erasure",
        tags=TAG,
        summary="Send a proposed erasure back",
        description="Nothing is erased. The request can be changed and proposed again.",
        request=SendBackSerializer,
        responses=ErasureRequestSerializer,
        extensions=_curl("send-back", RUN, REVISION, '"reason": "must_be_kept"'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(SendBackSerializer, request).validated_data
        return answer_of(request_send_back(id, **{**said, "reason": RejectionReason(said["reason"])}))


class WriteLetterView(StepView):
    required_permissions = _MANAGE
    field_of_code = _OF_LETTER

    @extend_schema(
        operation_id="write_erasure_letter",
        tags=TAG,
        summary="Write to the requester",
        description=(
            "Confirms the receipt (`received`), or says that it is done (`done`). Other letters are sent by their "
            "steps."
        ),
        request=WriteLetterSerializer,
        responses={201: OpenApiResponse(LetterSerializer, description="The letter is written and on its way.")},
        extensions=_curl("letters", '"kind": "received"'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(WriteLetterSerializer, request)
        told = said.told()
        kind = LetterKind(said.validated_data["kind"])
        letter = letter_write(id, kind, text=told["letter"], delivery=told["delivery"])
        return ActResponse(LetterSerializer(letter).data, status=201, subject_id=letter.id)
