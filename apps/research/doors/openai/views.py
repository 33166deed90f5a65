"""The OpenAI-compatible addresses. Each is `POST /api/v1/query/` in other words: the same service answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.erasure.errors import ScopeClosedError
from apps.research.doors.openai.answers import About, chat_completion, response, with_repeated
from apps.research.doors.openai.bodies import (
    MODEL,
    ChatCompletionSerializer,
    CompatibleSerializer,
    ResponseBodySerializer,
)
from apps.research.doors.openai.problems import compatible_handler
from apps.research.doors.openai.schemas import (
    ChatCompletionAnswerSerializer,
    ModelListSerializer,
    ModelSerializer,
    ResponseAnswerSerializer,
)
from apps.research.doors.openai.wire import ChatTelling, ResponseTelling
from apps.research.errors import DoorError
from apps.retrieval.api.progress import EVENT_STREAM, Telling, streamed
from apps.retrieval.api.query import AskingView
from apps.retrieval.errors import QuestionError
from apps.retrieval.services.ask import Asked, ask
from apps.retrieval.services.asking import OnRecorded
from apps.retrieval.trace import OnStage
from apps.tenants.api.authentication import ApiKeyAuthentication
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.idempotency import idempotent_question
from apps.tenants.api.media_types import bytes_as
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.models import Scope
from apps.tenants.roles import Permission

_SAME: Final = (
    "Answers as `POST /api/v1/query/` does: same permissions, scopes, policy, limits, idempotency and log. Filters "
    "come in `glassbox`, or in `metadata.glassbox` as JSON; they narrow, and never widen. The last message, of role "
    "user, is the question. The user's last 20 messages before it are read as `earlier_questions`, to say in full what "
    "a follow-up asks; where that changed it, the text begins with it, and `glassbox.asked_as` has it. Answers and "
    "instructions are not read, and `glassbox.notices` says so. Tools, images and more than one choice are "
    "refused.\n\nThe text has a mark for each citation, and an annotation with page, quote and document. `glassbox` is "
    "the whole answer: `outcome`, `refusal`, `relevance`, `disclaimers`, `audit_event_id`. A refusal is an answer too: "
    "200, {refused}. With `stream`, the answer comes as events once it was checked; until then come comments.\n\n"
    "Only a key opens this address, never a cookie. Problems have OpenAI's `error` beside the fields of a problem."
)
_CURL: Final = """\
curl "{{base}}/v1/{path}" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{body}'"""
_QUESTION: Final = "What was the drawdown in Q4 2024?"


class CompatibleView(ApiView):
    """Programs alone come here: a browser's cookie opens nothing."""

    authentication_classes = (ApiKeyAuthentication,)

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Response | None]:
        return compatible_handler


class CompatibleAskingView(CompatibleView, AskingView):
    """body: what is taken."""

    body: ClassVar[type[CompatibleSerializer]]
    field_of_code: ClassVar[Mapping[str, str]] = {}

    def get_renderers(self) -> list[BaseRenderer]:
        return [JSONRenderer(), bytes_as(EVENT_STREAM)()]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # The body says whether events are wanted. Clients send the one Accept or the other with both.
        request.accepted_renderer, request.accepted_media_type = JSONRenderer(), "application/json"

    def post(self, request: Request) -> HttpResponseBase:
        body = self._read(request)
        if not body.validated_data["stream"]:
            return with_repeated(self._answered(request, on_stage=None))
        return streamed(
            lambda on_stage: with_repeated(self._answered(request, on_stage=on_stage)),
            view=self,
            telling=self.telling(body),
        )

    def telling(self, body: CompatibleSerializer) -> Telling:
        """Return what writes the answer as events."""
        raise NotImplementedError

    def shaped(self, asked: Asked, about: About) -> dict[str, Any]:
        """Return the answer in the shape of this address."""
        raise NotImplementedError

    def _read(self, request: Request) -> CompatibleSerializer:
        body = self.body(data=request.data)
        body.is_valid(raise_exception=True)
        return body

    @idempotent_question
    def _answered(self, request: Request, *, on_recorded: OnRecorded | None, on_stage: OnStage | None) -> Response:
        body = self._read(request)
        try:
            asked = ask(**body.asked(), principal=self.principal, on_recorded=on_recorded, on_stage=on_stage)
        except ScopeNotGrantedError:
            if body.scope_of_model:
                raise DoorError("research.model_unknown", model=body.validated_data["model"]) from None
            raise
        about = About(
            model=body.validated_data["model"],
            created=int(time.time()),
            trace=body.trace,
            notices=body.question().notices,
            ignored=body.told_ignored(),
            metadata=body.validated_data.get("metadata") or {},
        )
        return Response(self.shaped(asked, about))


class ChatCompletionsView(CompatibleAskingView):
    body = ChatCompletionSerializer
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        QuestionError: "messages",
        ScopeNotGrantedError: "glassbox.scopes",
        ScopeClosedError: "glassbox.scopes",
    }

    def telling(self, body: CompatibleSerializer) -> Telling:
        options = body.validated_data.get("stream_options") or {}
        return ChatTelling(with_usage=bool(options.get("include_usage")))

    def shaped(self, asked: Asked, about: About) -> dict[str, Any]:
        return chat_completion(asked, about)

    @extend_schema(
        operation_id="create_chat_completion",
        tags=["OpenAI"],
        summary="Ask as a chat completion",
        description=_SAME.format(refused="with `finish_reason` content_filter"),
        request=ChatCompletionSerializer,
        responses={(200, "application/json"): ChatCompletionAnswerSerializer},
        examples=[
            OpenApiExample(
                "A question",
                value={"model": MODEL, "messages": [{"role": "user", "content": _QUESTION}]},
                request_only=True,
            )
        ],
        extensions={
            **sample(
                _CURL.format(
                    path="chat/completions",
                    body=f'{{"model": "glassbox", "messages": [{{"role": "user", "content": "{_QUESTION}"}}]}}',
                )
            ),
            PROBLEMS_EXTENSION: ["NotFound"],
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        return super().post(request)


class ResponsesView(CompatibleAskingView):
    body = ResponseBodySerializer
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        QuestionError: "input",
        ScopeNotGrantedError: "glassbox.scopes",
        ScopeClosedError: "glassbox.scopes",
    }

    def telling(self, body: CompatibleSerializer) -> Telling:
        return ResponseTelling()

    def shaped(self, asked: Asked, about: About) -> dict[str, Any]:
        return response(asked, about)

    @extend_schema(
        operation_id="create_response",
        tags=["OpenAI"],
        summary="Ask as a response",
        description=_SAME.format(refused="with `status` incomplete"),
        request=ResponseBodySerializer,
        responses={(200, "application/json"): ResponseAnswerSerializer},
        examples=[OpenApiExample("A question", value={"model": MODEL, "input": _QUESTION}, request_only=True)],
        extensions={
            **sample(_CURL.format(path="responses", body=f'{{"model": "glassbox", "input": "{_QUESTION}"}}')),
            PROBLEMS_EXTENSION: ["NotFound"],
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        return super().post(request)


class ModelsView(CompatibleView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="list_compatible_models",
        tags=["OpenAI"],
        summary="List models",
        description=(
            "`glassbox` asks everywhere that the key reaches, and `glassbox/` with the key of a scope asks there "
            "alone. Which model of a provider writes an answer, the tenant's settings say, and not the client."
        ),
        responses=ModelListSerializer,
        extensions=sample('curl "{base}/v1/models" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request) -> Response:
        scopes = Scope.objects.order_by("key").values_list("key", flat=True)
        return Response({"object": "list", "data": [_model(MODEL), *(_model(f"{MODEL}/{key}") for key in scopes)]})


class ModelView(CompatibleView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.QUESTION_ASK}

    @extend_schema(
        operation_id="get_compatible_model",
        tags=["OpenAI"],
        summary="Get a model",
        description="One of those that the list has.",
        responses=ModelSerializer,
        extensions=sample('curl "{base}/v1/models/glassbox" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, model: str) -> Response:
        name, _, scope = model.partition("/")
        # PostgreSQL takes no NUL in a text.
        is_scope = name == MODEL and "\0" not in scope and Scope.objects.filter(key=scope).exists()
        if model != MODEL and not is_scope:
            raise DoorError("research.model_unknown", model=model[:200])
        return Response(_model(model))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": MODEL}
