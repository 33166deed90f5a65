"""Asking a question, and searching for what would answer it: the main addresses of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.erasure.errors import ScopeClosedError
from apps.retrieval.api.examples import ANSWER, SEARCHED
from apps.retrieval.api.progress import EVENT_STREAM, streamed
from apps.retrieval.api.query_bodies import (
    QuerySerializer,
    SearchSerializer,
    TraceParameterSerializer,
)
from apps.retrieval.api.serializers import AnswerSerializer, SearchedSerializer
from apps.retrieval.errors import QuestionError
from apps.retrieval.presentation import asked_json, searched_json
from apps.retrieval.services.ask import ask, search
from apps.retrieval.services.asking import OnRecorded
from apps.retrieval.trace import OnStage
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import idempotent_question
from apps.tenants.api.media_types import bytes_as
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.roles import Permission

_FILTERS: Final = (
    "**Filters** narrow what is searched, and never widen it: `documents`, `companies`, `periods`, `kinds`, "
    "`as_of`. Filters of different sorts apply together; within one sort, any value is enough. A document that "
    "does not state what a filter asks for does not match it. A kind that the policy withholds for the intent "
    "stays withheld. An id that you may not reach finds nothing, just like one that does not exist. If the text "
    "of the question also implies a company or a period, your filter of that sort applies instead, and the answer "
    "says so. Other conditions that the text implies narrow the search further, within your filters. A condition "
    "from the text is removed again if it would leave nothing. Your filters are never removed: if they leave "
    "nothing, the refusal is `nothing_within_filters`. `filters` in the answer lists all of them. The answer must "
    "still be about what the text says: a filter on 2023 gives no figure of 2024.\n\n"
)
_FILTERED: Final[dict[str, Any]] = {
    "question": "What was the maximum drawdown?",
    "companies": ["Alpha Fund"],
    "periods": [{"fiscal_year": 2024, "fiscal_quarter": 4}, {"fiscal_year": 2023}],
    "kinds": ["run"],
    "as_of": "2025-03-01T00:00:00Z",
}
_FOLLOW_UP: Final[dict[str, Any]] = {
    "question": "And in Q3?",
    "earlier_questions": ["What was the drawdown in Q4 2024?"],
}
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

_ASK_WITH_FILTERS = """\
curl "{base}/api/v1/query/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"question": "What was the drawdown?", "documents": ["'$DOCUMENT_ID'"], "kinds": ["run"]}'"""
_SEARCH = """\
curl "{base}/api/v1/search/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"question": "What was the drawdown in Q4 2024?", "periods": [{"fiscal_year": 2024, "fiscal_quarter": 4}]}'"""


class AskingView(ApiView):
    opens_own_scopes = True
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        QuestionError: "question",
        ScopeNotGrantedError: "scopes",
        ScopeClosedError: "scopes",
    }


class QueryView(AskingView):
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"POST": TraceParameterSerializer}

    def get_renderers(self) -> list[BaseRenderer]:
        return [JSONRenderer(), bytes_as(EVENT_STREAM)()]

    @property
    def default_response_headers(self) -> dict[str, str]:
        return {**super().default_response_headers, "Vary": "Accept"}

    @extend_schema(
        operation_id="ask_question",
        tags=["Questions"],
        summary="Ask a question",
        description=(
            "Answers from the documents that your scopes and the question's intent permit, with a citation for "
            "every statement. The answer says what it rests on: `grounding` (checked against the cited passages), "
            "`intent` and why, the kinds permitted and withheld, the policy version, and `degraded` if a part "
            "failed and was skipped. A refusal is also an answer: 200 with `refused`, and what to do. Every "
            "question is recorded; `audit_event_id` names the record.\n\n"
            + _FILTERS
            + (
                "**Follow-ups.** Send the person's earlier questions in `earlier_questions`, and ask “And in 2023?”, "
                "“How about Norden Shipping?” or “Why did it fall?”. What the question leaves out is taken from the "
                "latest of them that has it; `asked_as` has what was asked then, which is classified, limited and "
                "recorded as any question. A question that stands by itself is never changed. Where it is unclear what "
                "is meant, it is asked as it is, and `notices` says so. Earlier questions permit nothing and are not "
                "stored.\n\n"
                "Each citation names its passage (`chunk_id`) and the address of its page (`url`).\n\nWith "
                "`trace`, in the body or as a parameter, the answer also shows every stage: its output, its "
                "counts, what it left out and why, and its milliseconds.\n\nWith `Accept: text/event-stream` the "
                "stages are told while you wait, as server-sent events: `stage` (its name, status and milliseconds) "
                "for each that has ended, then `answer`, whose data is the JSON of this answer, or `problem`, whose "
                "data is a problem. A question that is answered anew, because the policy or a document changed "
                "meanwhile, begins with the first stage again. `repeats` names the first event of your "
                "Idempotency-Key, in the place of the header Glassbox-Repeats-Event. Comments come every ten seconds. "
                "A question runs to its end and is recorded, even if you break the connection."
            )
        ),
        parameters=[TraceParameterSerializer],
        request=QuerySerializer,
        # Without the events: generated clients would take every answer for a text or an object.
        responses={(200, "application/json"): AnswerSerializer},
        examples=[
            OpenApiExample("A question", value={"question": "What was the drawdown in Q4 2024?"}, request_only=True),
            OpenApiExample("With filters", value=_FILTERED, request_only=True),
            OpenApiExample(
                "With every stage",
                value={"question": "How are returns calculated?", "trace": True},
                request_only=True,
            ),
            OpenApiExample("A follow-up", value=_FOLLOW_UP, request_only=True),
            OpenApiExample("An answer", value=ANSWER, response_only=True, status_codes=["200"]),
        ],
        extensions=sample(_ASK, _ASK_WITH_FILTERS, _ASK_WITH_TRACE),
    )
    def post(self, request: Request) -> HttpResponseBase:
        if request.accepted_renderer.media_type == EVENT_STREAM:
            return streamed(lambda on_stage: self._answered(request, on_stage=on_stage), view=self)
        return self._answered(request)

    @idempotent_question
    def _answered(
        self, request: Request, *, on_recorded: OnRecorded | None, on_stage: OnStage | None = None
    ) -> Response:
        body = QuerySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        parameters = self.asked()
        asked = ask(**body.asked(), principal=self.principal, on_recorded=on_recorded, on_stage=on_stage)
        trace = body.validated_data["trace"] or parameters["trace"]
        return Response(asked_json(asked, trace=trace))


class SearchView(AskingView):
    @extend_schema(
        operation_id="search_passages",
        tags=["Questions"],
        summary="Search without an answer",
        description=(
            "Runs every step of a question up to the writing of an answer, with the same scopes, intent, policy, "
            "filters and search. It returns the passages that the answer would be written from, best first, each "
            "with its address, its text and its scores, and the trace. No model is called to write. (Where the "
            "operator has chosen a stage of the search that uses a model, such as one that rewords questions, "
            "that stage also runs here; none is chosen as shipped.) A search is recorded like a question, as an "
            "event of its own kind, which `audit_event_id` names, and counts for the same rate limit.\n\n"
            + _FILTERS
            + "What may be asked and what is refused are the same as for a question. A refusal is 200 with `refused`, "
            "and no passages. Passages are marked in `profile` where the compliance profile would mark or withhold an "
            "answer that quoted them; none is held back."
        ),
        request=SearchSerializer,
        responses=SearchedSerializer,
        examples=[
            OpenApiExample("A search", value={"question": "What was the drawdown in Q4 2024?"}, request_only=True),
            OpenApiExample("With filters", value={**_FILTERED, "trace": False}, request_only=True),
            OpenApiExample("What was found", value=SEARCHED, response_only=True, status_codes=["200"]),
        ],
        extensions=sample(_SEARCH),
    )
    @idempotent_question
    def post(self, request: Request, *, on_recorded: OnRecorded | None) -> Response:
        body = SearchSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        searched = search(**body.asked(), principal=self.principal, on_recorded=on_recorded)
        return Response(searched_json(searched, trace=body.validated_data["trace"]))
