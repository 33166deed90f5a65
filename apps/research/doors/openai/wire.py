"""An answer as the events of the OpenAI API.

Nothing of an answer is sent before all of it was checked. Until then comments keep the connection open and tell of each
stage; clients pass over them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from apps.research.doors.openai.problems import error_of
from apps.retrieval.api.progress import Telling, event_bytes
from apps.retrieval.trace import StageRecord

Json = dict[str, Any]
_DONE: Final = b"data: [DONE]\n\n"
# In pieces of about a line, so that a client that shows them as they come has something to show.
_PIECE: Final = re.compile(r".{1,100}(?:\s+|$)|.{1,100}", re.DOTALL)


class CompatibleTelling(Telling):
    def stage(self, record: StageRecord) -> Iterator[bytes]:
        yield f": {record.stage.value} {record.status.value} {record.elapsed_ms:.1f} ms\n\n".encode()


class ChatTelling(CompatibleTelling):
    """Chunks of a chat completion. with_usage: as `stream_options.include_usage` asks."""

    def __init__(self, *, with_usage: bool) -> None:
        self._with_usage = with_usage

    def answer(self, response: Response) -> Iterator[bytes]:
        whole: Json = response.data
        [choice] = whole["choices"]
        message = choice["message"]
        yield self._chunk(whole, {"role": "assistant", "content": "", "refusal": None})
        for piece in pieces_of(message["content"]):
            yield self._chunk(whole, {"content": piece})
        rest = {name: message[name] for name in ("refusal", "annotations") if message[name]}
        if rest:
            yield self._chunk(whole, rest)
        yield self._chunk(whole, {}, finish_reason=choice["finish_reason"], glassbox=whole["glassbox"])
        if self._with_usage:
            yield _data({**self._head(whole), "choices": [], "usage": whole["usage"]})
        yield _DONE

    def problem(self, problem: Mapping[str, Any]) -> Iterator[bytes]:
        yield _data({"error": error_of(problem)})

    def _chunk(self, whole: Json, delta: Json, *, finish_reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if self._with_usage else {}
        return _data({**self._head(whole), "choices": [choice], **usage, **more})

    @staticmethod
    def _head(whole: Json) -> Json:
        return {
            "id": whole["id"],
            "object": "chat.completion.chunk",
            "created": whole["created"],
            "model": whole["model"],
        }


class ResponseTelling(CompatibleTelling):
    """Events of the Responses API, each with its number."""

    def __init__(self) -> None:
        self._number = -1

    def answer(self, response: Response) -> Iterator[bytes]:
        whole: Json = response.data
        [message] = whole["output"]
        [part] = message["content"]
        begins: Json = {"status": "in_progress", "incomplete_details": None, "output": [], "usage": None}
        empty = {name: begins.get(name, value) for name, value in whole.items() if name != "glassbox"}
        in_item = {"item_id": message["id"], "output_index": 0}
        in_part = {**in_item, "content_index": 0}
        yield self._event("response.created", response=empty)
        yield self._event("response.in_progress", response=empty)
        begun = {**message, "status": "in_progress", "content": []}
        yield self._event("response.output_item.added", output_index=0, item=begun)
        yield self._event("response.content_part.added", **in_part, part={**part, "text": "", "annotations": []})
        for piece in pieces_of(part["text"]):
            yield self._event("response.output_text.delta", **in_part, delta=piece, logprobs=[])
        for place, annotation in enumerate(part["annotations"]):
            yield self._event(
                "response.output_text.annotation.added", **in_part, annotation_index=place, annotation=annotation
            )
        yield self._event("response.output_text.done", **in_part, text=part["text"], logprobs=[])
        yield self._event("response.content_part.done", **in_part, part=part)
        yield self._event("response.output_item.done", output_index=0, item=message)
        yield self._event(f"response.{whole['status']}", response=whole)

    def problem(self, problem: Mapping[str, Any]) -> Iterator[bytes]:
        error = error_of(problem)
        yield self._event("error", code=error["code"], message=error["message"], param=error["param"])

    def _event(self, name: str, **fields: Any) -> bytes:
        self._number += 1
        return event_bytes(name, {"type": name, "sequence_number": self._number, **fields})


def pieces_of(text: str) -> list[str]:
    """Return the text in pieces, which together are the text."""
    return _PIECE.findall(text)


def _data(value: Json) -> bytes:
    return b"data: %s\n\n" % JSONRenderer().render(value)
