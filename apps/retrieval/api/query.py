"""Asking a question: the main address of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.audit.erasure.errors import ScopeClosedError
from apps.retrieval.api.examples import ANSWER
from apps.retrieval.api.serializers import AnswerSerializer
from apps.retrieval.errors import QuestionError
from apps.retrieval.presentation import asked_json
from apps.retrieval.services.ask import ask
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.roles import Permission

_MAXIMUM_SCOPES = 100
_ASK = """\
curl "{base}/api/v1/query/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"question": "What was the drawdown in Q4 2024?"}'"""
_ASK_WITH_TRACE = """\
curl "{base}/api/v1/query/?trace=true" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"question": "How are returns calculated?"}'"""


class QuestionField(serializers.CharField):
    """Any text at all: what is none is refused by the pipeline, which records that it was asked."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_blank=True, trim_whitespace=False, **kwargs)
        self.validators = []


class QuerySerializer(StrictSerializer):
    question = QuestionField(help_text="One thing at a time, at most 4,000 characters.")
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=127),
        max_length=_MAXIMUM_SCOPES,
        default=list,
        help_text="Keys of scopes to stay within, with all below them. All that you reach when empty or absent.",
    )
    trace = serializers.BooleanField(default=False, help_text="Show every stage of the way.")


class TraceParameterSerializer(serializers.Serializer[Any]):
    trace = serializers.BooleanField(default=False)


class QueryView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}
    query_parameters = frozenset({"trace"})
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        QuestionError: "question",
        ScopeNotGrantedError: "scopes",
        ScopeClosedError: "scopes",
    }

    @extend_schema(
        operation_id="ask_question",
        tags=["Questions"],
        summary="Ask a question",
        description=(
            "Answers from the documents that your scopes and the question's intent permit, with a citation for every "
            "statement. The answer says what it rests on: `grounding` (checked against the cited passages), `intent` "
            "and why, the kinds permitted and withheld, the policy version, and `degraded` where a part was done "
            "without. A refusal is an answer too: 200 with `refused`, and what to do. Every question is recorded; "
            "`audit_event_id` names the record.\n\n"
            "With `trace`, in the body or as a parameter, every stage of the way is shown as well: its output, its "
            "counts, what it left out and why, its milliseconds."
        ),
        parameters=[OpenApiParameter("trace", bool, description="The same as `trace` in the body.")],
        request=QuerySerializer,
        responses=AnswerSerializer,
        examples=[
            OpenApiExample("A question", value={"question": "What was the drawdown in Q4 2024?"}, request_only=True),
            OpenApiExample(
                "With the whole way",
                value={"question": "How are returns calculated?", "trace": True},
                request_only=True,
            ),
            OpenApiExample("An answer", value=ANSWER, response_only=True, status_codes=["200"]),
        ],
        extensions=sample(_ASK, _ASK_WITH_TRACE),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        body = QuerySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        parameters = TraceParameterSerializer(data=request.query_params.dict())
        parameters.is_valid(raise_exception=True)
        asked = ask(text=body.validated_data["question"], scopes=tuple(body.validated_data["scopes"]))
        trace = body.validated_data["trace"] or parameters.validated_data["trace"]
        # Not kept for a replay: see apps/tenants/api/idempotency.py.
        return ActResponse(asked_json(asked, trace=trace), status=200, subject_id=asked.event.id, replayable=False)
