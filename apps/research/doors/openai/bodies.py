"""What the OpenAI-compatible addresses take: which parameters are read, which change nothing, and which are refused.

A parameter that could not change an answer of ours is taken, so that existing clients work, and the answer names it in
`glassbox.ignored`. One that asks for something that is not done here is refused: ignored, it would look as if it had
worked. So is one that nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, ClassVar, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError

from apps.research.doors.openai.messages import ROLES, Asked, question_of
from apps.research.errors import DoorError
from apps.retrieval.api.query_bodies import AskingSerializer, asked_of
from apps.retrieval.stage_settings import StageSettings
from apps.tenants.api.parsers import StrictJsonParser
from apps.tenants.api.serializers import StrictSerializer

MODEL: Final = "glassbox"
_IGNORED: Final = "Accepted and ignored; the answer lists it in `glassbox.ignored`."
_UNSUPPORTED: Final = "Not supported here. Leave it out."
_MESSAGE_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {
        "role": {"type": "string", "enum": [*ROLES]},
        "content": {"description": "A text, or a list of parts `{type: text, text: ...}`."},
    },
    "additionalProperties": True,
}
# As shipped: a deployment may set another limit, and its refusal says which.
_TEXT_SCHEMA: Final[dict[str, Any]] = {"type": "string", "maxLength": StageSettings().question_maximum_chars}
_MESSAGES_MOST: Final = 1_000
_MESSAGES_SCHEMA: Final[dict[str, Any]] = {
    "type": "array",
    "minItems": 1,
    "maxItems": _MESSAGES_MOST,
    "items": _MESSAGE_SCHEMA,
}


@extend_schema_field({})
class PassedField(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value, as it came. It is not written as JSON again: a deep one would exhaust the stack."""

    def to_internal_value(self, data: Any) -> Any:
        return data


@extend_schema_field(_MESSAGES_SCHEMA)
class MessagesField(PassedField):
    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise serializers.ValidationError(["Send a list of messages."])
        _require_question(data)
        return data


@extend_schema_field(
    {"oneOf": [{"type": "string", "maxLength": StageSettings().question_maximum_chars}, _MESSAGES_SCHEMA]}
)
class InputField(PassedField):
    def to_internal_value(self, data: Any) -> str | list[Any]:
        if not isinstance(data, str | list):
            raise serializers.ValidationError(["Send a text, or a list of messages."])
        _require_question(data)
        return data


def _require_question(data: str | list[Any]) -> None:
    """Raises: ValidationError."""
    if isinstance(data, list) and len(data) > _MESSAGES_MOST:
        raise serializers.ValidationError(
            [f"Send at most {_MESSAGES_MOST} messages. Of the earlier ones, only the last questions are read."]
        )
    question_of(data)


class GivenSerializer(AskingSerializer):
    """The filters of a question, as `POST /api/v1/query/` has them."""

    question = None  # type: ignore[assignment]
    trace = serializers.BooleanField(default=False, help_text="Show every stage in `glassbox.trace`.")


class StreamOptionsSerializer(StrictSerializer):
    include_usage = serializers.BooleanField(default=False, allow_null=True, help_text="Send usage before the end.")
    include_obfuscation = serializers.BooleanField(default=False, allow_null=True, help_text=_IGNORED)


# With an example, since only the names that GET /v1/models lists are known.
@extend_schema_field({"type": "string", "minLength": 1, "maxLength": 200, "example": MODEL})
class ModelField(serializers.CharField):
    pass


class CompatibleSerializer(StrictSerializer):
    """What both addresses take.

    asked_in: the field with the question.
    ignored: parameters that change nothing here.
    unsupported: parameters that are refused, each unless its value asks for nothing.
    """

    asked_in: ClassVar[str]
    ignored: ClassVar[tuple[str, ...]] = ()
    unsupported: ClassVar[Mapping[str, Callable[[Any], bool]]] = {}

    model = ModelField(
        max_length=200,
        help_text="`glassbox`, or `glassbox/` and the key of a scope, to search that scope and what is below it.",
    )
    stream = serializers.BooleanField(default=False, allow_null=True, help_text="Send the answer as events.")
    stream_options = StreamOptionsSerializer(required=False, allow_null=True)
    metadata = serializers.DictField(
        child=serializers.CharField(max_length=100_000, allow_blank=True, trim_whitespace=False),
        required=False,
        allow_null=True,
        help_text="Texts by name. Only `glassbox` is read: the filters as JSON, for clients that send no other fields.",
    )
    glassbox = GivenSerializer(
        required=False, help_text="Filters and options, as `extra_body` of the official clients sends them."
    )

    def get_fields(self) -> dict[str, Any]:
        passed = dict.fromkeys(self.ignored, _IGNORED) | dict.fromkeys(self.unsupported, _UNSUPPORTED)
        more = {name: PassedField(required=False, allow_null=True, help_text=passed[name]) for name in passed}
        return {**super().get_fields(), **more}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        refused = {
            name: [_UNSUPPORTED]
            for name, is_harmless in self.unsupported.items()
            if attrs.get(name) is not None and not is_harmless(attrs[name])
        }
        if refused:
            raise serializers.ValidationError(refused)
        in_metadata = (attrs.get("metadata") or {}).get("glassbox")
        if in_metadata is not None:
            if "glassbox" in attrs:
                raise serializers.ValidationError({"metadata.glassbox": ["Send `glassbox` once: here or in the body."]})
            attrs["glassbox"] = _of_metadata(in_metadata)
        return attrs

    def question(self) -> Asked:
        """What is asked. Call is_valid before."""
        return question_of(self.validated_data[self.asked_in])

    def asked(self) -> dict[str, Any]:
        """What ask takes. Call is_valid before. Raises: DoorError: there is no such model."""
        given = self._given()
        scopes = [*given["scopes"], *([self.scope_of_model] if self.scope_of_model else [])]
        if self.scope_of_model and given["scopes"]:
            raise serializers.ValidationError({"model": ["Name the scopes once: in the model or in `glassbox`."]})
        asked = self.question()
        return {**asked_of({**given, "question": asked.text, "scopes": scopes}), "earlier": asked.earlier}

    @property
    def scope_of_model(self) -> str:
        name, _, scope = self.validated_data["model"].partition("/")
        if name != MODEL or (not scope and self.validated_data["model"] != MODEL):
            raise DoorError("research.model_unknown", model=self.validated_data["model"])
        return str(scope)

    @property
    def trace(self) -> bool:
        return bool(self._given()["trace"])

    def told_ignored(self) -> list[str]:
        return sorted(name for name in self.ignored if self.validated_data.get(name) is not None)

    def _given(self) -> Mapping[str, Any]:
        return self.validated_data.get("glassbox") or {"scopes": [], "trace": False}


def _of_metadata(text: str) -> Mapping[str, Any]:
    """Return the filters in a text. Raises: ValidationError."""
    try:
        given = StrictJsonParser().parse(BytesIO(text.encode()))
    except (ParseError, serializers.ValidationError) as error:
        raise serializers.ValidationError({"metadata.glassbox": error.detail}) from None
    found = GivenSerializer(data=given)
    if not found.is_valid():
        raise serializers.ValidationError({"metadata.glassbox": found.errors})
    return dict(found.validated_data)


def _is(*values: Any) -> Callable[[Any], bool]:
    return lambda given: any(type(given) is type(each) and given == each for each in values)


_SHARED_IGNORED: Final = (
    *("temperature", "top_p", "top_logprobs", "user", "safety_identifier", "prompt_cache_key"),
    *("prompt_cache_retention", "service_tier", "store", "parallel_tool_calls"),
)


class ChatCompletionSerializer(CompatibleSerializer):
    asked_in = "messages"
    ignored = (
        *_SHARED_IGNORED,
        *("max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty", "seed", "logit_bias"),
        *("reasoning_effort", "verbosity", "prediction"),
    )
    unsupported: ClassVar[Mapping[str, Callable[[Any], bool]]] = {
        "n": _is(1),
        "tools": _is([]),
        "tool_choice": _is("none", "auto"),
        "functions": _is([]),
        "function_call": _is("none", "auto"),
        "response_format": _is({"type": "text"}),
        "logprobs": _is(False),
        "modalities": _is(["text"]),
        "audio": _is(),
        "stop": _is([]),
        "web_search_options": _is(),
    }
    messages = MessagesField(
        help_text="The last one, of role user, is the question. Earlier ones of role user help to read it."
    )


class ResponseBodySerializer(CompatibleSerializer):
    asked_in = "input"
    ignored = (
        *_SHARED_IGNORED,
        *("instructions", "max_output_tokens", "max_tool_calls", "reasoning", "truncation", "include"),
    )
    unsupported: ClassVar[Mapping[str, Callable[[Any], bool]]] = {
        "tools": _is([]),
        "tool_choice": _is("none", "auto"),
        "background": _is(False),
        "previous_response_id": _is(),
        "conversation": _is(),
        "prompt": _is(),
        "context_management": _is([]),
        "text": lambda given: isinstance(given, dict) and given.get("format") in (None, {"type": "text"}),
    }
    input = InputField(help_text="The question, or messages of which the last one, of role user, is the question.")
