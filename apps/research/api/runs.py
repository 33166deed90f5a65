"""Research over the API: ask for it, change its plan, start, follow and cancel it, and take its answer away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.erasure.errors import ScopeClosedError
from apps.research.api.serializers import (
    ResearchPlanChangeSerializer,
    ResearchRequestSerializer,
    ResearchRunRowSerializer,
    ResearchRunSerializer,
)
from apps.research.errors import RunError
from apps.research.models import ResearchRun
from apps.research.runs.events import place_of
from apps.research.runs.export import as_markdown
from apps.research.runs.plan_change import plan_change
from apps.research.runs.reading import own_runs
from apps.research.runs.services import run_cancel, run_request, run_start
from apps.research.runs.showing import shown
from apps.research.runs.streaming import Stream
from apps.research.runs.telling import run_json
from apps.retrieval.api.progress import EVENT_STREAM
from apps.retrieval.errors import QuestionError
from apps.retrieval.services.asking import OnRecorded
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.idempotency import ActResponse, idempotent, idempotent_question
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_BASE: Final = "{base}/api/v1/research/runs/"
_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
_QUESTION: Final = '{"question": "Compare the drawdown of the Alpha Fund and the Beta Fund.", "confirm_plan": true}'
_ASK: Final[Mapping[str, Permission | None]] = {"GET": Permission.QUESTION_ASK, "POST": Permission.QUESTION_ASK}
_MARKDOWN: Final = "text/markdown"


class RunListView(ApiListView[ResearchRun]):
    opens_own_scopes = True
    required_permissions = _ASK
    serializer_class = ResearchRunRowSerializer
    ordering = ("-requested_at", "-id")
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        QuestionError: "question",
        ScopeNotGrantedError: "scopes",
        ScopeClosedError: "scopes",
    }
    field_of_code: ClassVar[Mapping[str, str]] = {
        "research.off_topic": "question",
        "research.nothing_permitted": "question",
        "research.nothing_held": "question",
        "research.refused": "question",
        "research.mode_not_permitted": "mode",
    }

    def get_queryset(self) -> QuerySet[ResearchRun]:
        if getattr(self, "swagger_fake_view", False):
            # The description of the API is made without a principal.
            return ResearchRun.objects.none()
        return own_runs(self.principal)

    @extend_schema(
        operation_id="list_research",
        tags=["Research"],
        summary="List your research",
        description="Your research, newest first, without its words: state, mode, bounds, budget and what was spent.",
        extensions=sample(f'curl "{_BASE}" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        with ShortScopes.all_of(self.principal).open():
            return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="request_research",
        tags=["Research"],
        summary="Ask for research",
        description=(
            "Works on a question in several rounds. The question is read once: its intent, the kinds that the policy "
            "permits for it, the companies, each company's periods as far as documents are held, and its parts. The "
            "plan is in the answer, and names what the policy withholds; nothing is planned there. Each step asks one "
            "question, within the same intent, kinds, filters and scopes, with the grants, the policy and the "
            "documents of that moment. So an ended grant, a changed policy or an erasure narrows or stops it midway, "
            "and `narrowed` or `stopped_by` says so. Each round is scored; what is missing is searched for again, "
            "within the budget of the mode.\n\n"
            "The compliance profile of the policy bounds the modes of an intent. Another one is refused with "
            "`research.mode_not_permitted`; a policy that comes into force later stops what runs in it.\n\n"
            "With `confirm_plan` it waits in the state `planned` until you start it. Texts are kept where the policy's "
            "recording mode for the intent and its history keep them; else they are there while it waits for a worker, "
            "and for 15 minutes after the last step.\n\n"
            "Research belongs to a person: use a key that acts for you. A request that is repeated with its "
            "Idempotency-Key is answered with what the first one began, as it is now, while that is kept; the header "
            "Glassbox-Repeats-Event names the first one's event."
        ),
        request=ResearchRequestSerializer,
        responses={202: ResearchRunSerializer},
        extensions=sample(f"curl \"{_BASE}\" {_KEY} \\\n  {_JSON} \\\n  -d '{_QUESTION}'"),
    )
    @idempotent_question
    def post(self, request: Request, *, on_recorded: OnRecorded | None) -> Response:
        body = ResearchRequestSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        page = ShortScopes.all_of(self.principal)
        with page.open():
            begun = own_runs(self.principal).filter(event_id=self.repeats).first() if self.repeats else None
        run = begun or run_request(**body.requested(), principal=self.principal, on_recorded=on_recorded)
        with page.open():
            return Response(run_json(shown(run.id)), status=202)


class RunView(ApiView):
    required_permissions = _ASK

    @extend_schema(
        operation_id="get_research",
        tags=["Research"],
        summary="Get your research",
        description=(
            "The plan, the steps and, once it is done, the answer: sections with the sources of every sentence, a "
            "table where figures were asked for, what was not found, and the scores. A step of a scope that you lost, "
            "or of a document that was restricted or erased, is not there, or its text is null. So is the question "
            "after you lost a scope, and the plan after a document that it was made from went. A key gets what was "
            "asked by it."
        ),
        responses=ResearchRunSerializer,
        extensions=sample(f'curl "{_BASE}$RUN_ID/" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(run_json(shown(id)))


class RunPlanView(ApiView):
    opens_own_scopes = True
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"PUT": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="change_research_plan",
        tags=["Research"],
        summary="Change the plan of your research",
        description=(
            "Leaves questions out of the plan of research in the state `planned`, or words them anew. Each new wording "
            "is read like a question of its own and must be of the same intent. A plan is never extended."
        ),
        request=ResearchPlanChangeSerializer,
        responses=ResearchRunSerializer,
        extensions=sample(
            f'curl -X PUT "{_BASE}$RUN_ID/plan/" {_KEY} \\\n  {_JSON} \\\n'
            '  -d \'{"sub_questions": [{"key": "\'"$PART_KEY"\'", "text": ""}]}\''
        ),
    )
    def put(self, request: Request, id: UUID) -> Response:
        body = ResearchPlanChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        plan_change(id, body.wanted(), principal=self.principal)
        with ShortScopes.all_of(self.principal).open():
            return Response(run_json(shown(id)))


class RunStartView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="start_research",
        tags=["Research"],
        summary="Start your research",
        description="Starts research that waits in the state `planned` for you to confirm its plan.",
        request=None,
        responses={202: ResearchRunRowSerializer},
        extensions={PROBLEMS_EXTENSION: ["Gone"], **sample(f'curl -X POST "{_BASE}$RUN_ID/start/" {_KEY}')},
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        return _acted(run_start(id))


class RunCancelView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="cancel_research",
        tags=["Research"],
        summary="Cancel your research",
        description=(
            "Stops the work. What runs records nothing more than its end; a question that it is asking at that moment "
            "is not recorded as a step."
        ),
        request=None,
        responses={202: ResearchRunRowSerializer},
        extensions=sample(f'curl -X POST "{_BASE}$RUN_ID/cancel/" {_KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        return _acted(run_cancel(id))


class RunEventsView(ApiView):
    opens_own_scopes = True
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.QUESTION_ASK}
    media_types = (EVENT_STREAM,)

    @extend_schema(
        operation_id="follow_research",
        tags=["Research"],
        summary="Follow your research",
        description=(
            "Server-sent events of the AG-UI protocol: RUN_STARTED, STEP_STARTED, STEP_FINISHED, the answer as a text "
            "message, RUN_FINISHED or RUN_ERROR, and CUSTOM events named progress, analysis, reasoning, "
            "iteration_start, iteration_search, iteration_followup, agent_decision, iteration_complete, 10k_search, "
            "result, rejected and error. They are made of the stored steps. A stream ends after less than a minute: "
            "resume with `Last-Event-ID`, at any time, and play research that has ended again. Comments come every ten "
            "seconds. Where a plan waits to be started, the stream ends at once. A tenant may have 4 streams open; one "
            "more gets 429, and so does one for which the server has no place."
        ),
        parameters=[
            OpenApiParameter(
                "Last-Event-ID",
                {"type": "string", "maxLength": 13},
                OpenApiParameter.HEADER,
                description="Go on after this event.",
            )
        ],
        responses={(200, EVENT_STREAM): OpenApiTypes.BINARY},
        extensions=sample(f'curl "{_BASE}$RUN_ID/events/" {_KEY} > events.txt'),
    )
    def get(self, request: Request, id: UUID) -> HttpResponseBase:
        stream = Stream(id, self.principal, place_of(request.headers.get("Last-Event-ID", "")))
        # What is in front must not collect the events.
        headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
        return StreamingHttpResponse(stream, content_type=EVENT_STREAM, headers=headers)


class RunExportView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.QUESTION_ASK}
    media_types = (_MARKDOWN,)

    @extend_schema(
        operation_id="export_research",
        tags=["Research"],
        summary="Export the answer of your research",
        description="The answer as Markdown, with its references. What documents say is escaped.",
        responses={(200, _MARKDOWN): OpenApiTypes.BINARY},
        extensions={
            PROBLEMS_EXTENSION: ["Conflict"],
            **sample(f'curl "{_BASE}$RUN_ID/export/" {_KEY} > research.md'),
        },
    )
    def get(self, request: Request, id: UUID) -> HttpResponse:
        found = shown(id)
        if found.result is None:
            raise RunError("research.result_missing", state=found.row.state)
        text = as_markdown(found.result, question=found.content.question if found.content else "")
        name = f'attachment; filename="research-{id}.md"'
        return HttpResponse(text, content_type=f"{_MARKDOWN}; charset=utf-8", headers={"Content-Disposition": name})


def _acted(run: ResearchRun) -> ActResponse:
    return ActResponse(
        dict(ResearchRunRowSerializer(run).data),
        status=202,
        subject_id=run.id,
        scope_ids=[ScopeId(each) for each in run.scope_ids],
    )
