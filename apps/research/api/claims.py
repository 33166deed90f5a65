"""Check what a text claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.erasure.errors import ScopeClosedError
from apps.research.api.claim_serializers import ClaimCheckRequest, ClaimCheckSerializer
from apps.research.api.examples import CHECKED
from apps.research.claims.check import check_text
from apps.research.claims.checked import checked_json
from apps.retrieval.services.asking import OnRecorded
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import idempotent_question
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.roles import Permission

_CHECK = """\
curl "{base}/api/v1/claims/checks/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"text": "Revenue rose by 4.0 % to $4,471 million in fiscal 2024.", "company": "Velden Cranes plc"}'"""


class ClaimCheckListView(ApiView):
    opens_own_scopes = True
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        ScopeNotGrantedError: "scopes",
        ScopeClosedError: "scopes",
    }
    field_of_code: ClassVar[Mapping[str, str]] = {
        "research.claims_empty": "text",
        "research.claims_too_long": "text",
        "research.claims_too_many_sentences": "text",
        "research.claims_long_sentence": "text",
    }

    @extend_schema(
        operation_id="check_text",
        tags=["Claims"],
        summary="Check a text",
        description=(
            "Finds what a text claims, and holds each claim against the facts and passages that your scopes and the "
            "intent of its sentence permit. Claims are read by rules, in English and German. A number is decided by "
            "facts alone, and a claim in words is confirmed only by a sentence that says the same in the same words. "
            "What is not clear is said, and not guessed: `not_checkable`. Each sentence is gated as a question is; "
            "`intents` names the kinds that the policy kept from it. A fact that you may not reach counts like one "
            "that is not held. The text is not kept. The check is recorded with counts and digests; "
            "`audit_event_id` names the record. Of claims in words, twenty of a text are looked up; each is a search "
            "under the intent of its sentence, counts against your rate, and has an event of its own without its text. "
            "A sentence has at most 2,000 characters; of one with more than forty figures it is said that it is not "
            "clear."
        ),
        request=ClaimCheckRequest,
        responses=ClaimCheckSerializer,
        examples=[
            OpenApiExample(
                "A text",
                value={"text": "Velden Cranes reported revenue of $4,971 million in fiscal 2024."},
                request_only=True,
            ),
            OpenApiExample("A checked text", value=CHECKED, response_only=True, status_codes=["200"]),
        ],
        extensions=sample(_CHECK),
    )
    @idempotent_question
    def post(self, request: Request, *, on_recorded: OnRecorded | None) -> Response:
        body = ClaimCheckRequest(data=request.data)
        body.is_valid(raise_exception=True)
        checked = check_text(**body.asked(), principal=self.principal, on_recorded=on_recorded)
        return Response(checked_json(checked))
