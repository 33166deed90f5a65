"""The question in a list of messages: the last one of the user, with the user's own questions before it.

What came before is read for one thing: to say in full what a follow-up asks ("And in 2023?"). Answers, system messages
and tools are not read. Nothing that stands in an earlier message, an instruction least of all, can widen what a
question reaches or change how it is answered: what is asked in the end is a question as any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rest_framework.serializers import ValidationError

from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.stages.follow_ups.resolve import MOST_EARLIER

ROLES: Final = ("user", "assistant", "system", "developer")
INSTRUCTIONS_UNREAD: Final = (
    "System and developer messages are not followed. The policy in force decides how questions are answered."
)
QUESTIONS_READ: Final = (
    "To understand the last message, the user's earlier questions were read: {read}. Other earlier messages: {unread}, "
    "not read."
)
TURNS_UNREAD: Final = "Only the last message was read as the question. Earlier messages: {count}, not read."
# As shipped. A longer one is no question.
_LONGEST: Final = StageSettings().question_maximum_chars
_OF_TOOLS: Final = ("tool", "function")
_CALLS: Final = ("tool_calls", "function_call", "tool_call_id")
_TEXTS: Final = ("text", "input_text", "output_text")


@dataclass(frozen=True, slots=True)
class Asked:
    """The question, the user's earlier ones, and what is told of the messages that were not read."""

    text: str
    earlier: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def question_of(messages: str | list[Any]) -> Asked:
    """Return the question of a text, or of a list of messages.

    Raises: ValidationError, by the place within the list.
    """
    if isinstance(messages, str):
        return Asked(messages)
    if not messages:
        raise ValidationError(["Send at least one message: the question, with the role user."])
    problems: dict[str, Any] = {}
    for place, message in enumerate(messages):
        if problem := _problem(message):
            problems[str(place)] = problem
    if problems:
        raise ValidationError(problems)
    last = messages[-1]
    if last["role"] != "user":
        raise ValidationError({str(len(messages) - 1): {"role": ["The last message is the question: role user."]}})
    instructs = any(message["role"] in ("system", "developer") for message in messages)
    turns = sum(message["role"] in ("user", "assistant") for message in messages) - 1
    asked = [_text(message["content"]) for message in messages[:-1] if message["role"] == "user"]
    earlier = tuple(each for each in asked[-MOST_EARLIER:] if len(each) <= _LONGEST)
    told = (
        *((INSTRUCTIONS_UNREAD,) if instructs else ()),
        *((_told_turns(len(earlier), turns),) if turns else ()),
    )
    return Asked(_text(last["content"]), earlier, told)


def _told_turns(read: int, turns: int) -> str:
    return QUESTIONS_READ.format(read=read, unread=turns - read) if read else TURNS_UNREAD.format(count=turns)


def _problem(message: Any) -> Any:
    """Why a message can't be taken, by its field; None if it can."""
    if not isinstance(message, Mapping):
        return ["A message is an object with role and content."]
    role = message.get("role")
    if message.get("type", "message") != "message" or role in _OF_TOOLS or any(message.get(each) for each in _CALLS):
        return ["Tools are not supported: no tool is called here, and no tool's result is read."]
    if role not in ROLES:
        return {"role": [f"Choose one of: {', '.join(ROLES)}."]}
    content = message.get("content")
    if content is None and role == "assistant":
        return None
    if isinstance(content, str):
        return None
    if not isinstance(content, list) or not content:
        return {"content": ["The content is a text, or a list of parts of type text."]}
    wrong = {str(place): [_PARTS] for place, part in enumerate(content) if not _is_text(part)}
    return {"content": wrong} if wrong else None


_PARTS: Final = "Only parts of type text are supported. Upload files and images as documents: POST /api/v1/documents/."


def _is_text(part: Any) -> bool:
    if not isinstance(part, Mapping) or part.get("type") not in (*_TEXTS, "refusal"):
        return False
    return isinstance(part.get("refusal" if part["type"] == "refusal" else "text"), str)


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
