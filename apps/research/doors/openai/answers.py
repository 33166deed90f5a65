"""An answer of ours in the shapes of the OpenAI API, with nothing left out: `glassbox` holds all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from rest_framework.response import Response

from apps.corpus.providers.base.receivers import Purpose
from apps.retrieval.contracts import AnswerOutcome
from apps.retrieval.presentation import asked_json
from apps.retrieval.services.ask import Asked
from apps.retrieval.trace import ModelCall
from apps.tenants.api.idempotency import REPEATS_HEADER

Json = dict[str, Any]
READ_AS: Final = "Read as:"
# OpenAI's word for an answer that is not given. `glassbox.refusal` says why.
_REFUSED: Final = "content_filter"
_OF_VECTORS: Final = (Purpose.EMBED_QUESTION, Purpose.EMBED_EXAMPLES, Purpose.EMBED_PASSAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is told beside the answer. model: as the client named it."""

    model: str
    created: int
    trace: bool
    notices: Sequence[str]
    ignored: Sequence[str]
    metadata: Mapping[str, str]


def chat_completion(asked: Asked, about: About) -> Json:
    """Return the answer as a chat completion."""
    answer, refused = _answer(asked, about), asked.result.answer.outcome is AnswerOutcome.REFUSED
    text = shown(answer)
    sent, written = _tokens(asked.result.trace.calls)
    message = {
        "role": "assistant",
        "content": text,
        "refusal": answer["refusal"]["message"] if refused else None,
        "annotations": [
            {"type": "url_citation", "url_citation": {**place, **_source(citation)}}
            for place, citation in _cited(answer, text)
        ],
    }
    return {
        "id": f"chatcmpl-{asked.event.id.hex}",
        "object": "chat.completion",
        "created": about.created,
        "model": about.model,
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": _REFUSED if refused else "stop"}
        ],
        "usage": {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written},
        "glassbox": answer,
    }


def response(asked: Asked, about: About) -> Json:
    """Return the answer as a response of the Responses API."""
    answer, refused = _answer(asked, about), asked.result.answer.outcome is AnswerOutcome.REFUSED
    text, status = shown(answer), "incomplete" if refused else "completed"
    sent, written = _tokens(asked.result.trace.calls)
    annotations = [{"type": "url_citation", **place, **_source(citation)} for place, citation in _cited(answer, text)]
    message = {
        "id": f"msg_{asked.event.id.hex}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [{"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}],
    }
    return {
        "id": f"resp_{asked.event.id.hex}",
        "object": "response",
        "created_at": about.created,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": _REFUSED} if refused else None,
        "instructions": None,
        "metadata": dict(about.metadata),
        "model": about.model,
        "output": [message],
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "store": False,
        "tool_choice": "none",
        "tools": [],
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + written,
        },
        "glassbox": answer,
    }


def with_repeated(response: Response) -> Response:
    """Name in the body the first event of the Idempotency-Key, since a header can't follow what was streamed."""
    response.data["glassbox"]["repeats"] = response.headers.get(REPEATS_HEADER)
    return response


def shown(answer: Mapping[str, Any]) -> str:
    """Return what a client shows: how a follow-up was read, the answer, and what the policy has stand under it."""
    read_as = [f"{READ_AS} {answer['asked_as']}"] if answer["asked_as"] else []
    return "\n\n".join([*read_as, answer["answer"], *(each["text"] for each in answer["disclaimers"])])


def _answer(asked: Asked, about: About) -> Json:
    answer = asked_json(asked, trace=about.trace)
    notices = [*answer["notices"], *about.notices]
    return {**answer, "notices": notices, "ignored": list(about.ignored), "repeats": None}


def _cited(answer: Json, text: str) -> Iterator[tuple[Json, Json]]:
    """Yield each place at which the text names a citation, with the citation; of one that it does not name, the end."""
    for citation in answer["citations"]:
        mark, start, count = f"[{citation['ref_id']}]", 0, 0
        while (start := text.find(mark, start)) >= 0:
            yield {"start_index": start, "end_index": start + len(mark)}, citation
            start, count = start + len(mark), count + 1
        if not count:
            yield {"start_index": len(text), "end_index": len(text)}, citation


def _source(citation: Json) -> Json:
    return {
        "title": citation["document"]["title"],
        "url": f"{settings.GLASSBOX_URL.rstrip('/')}{citation['url']}",
        "ref_id": citation["ref_id"],
        "quote": citation["quote"],
        "page": citation["page"],
        "document": citation["document"],
    }


def _tokens(calls: Iterable[ModelCall]) -> tuple[int, int]:
    """Return the tokens that models were sent and wrote, as their servers measured them; 0 without a model.

    Those of vectors are not among them: `glassbox.trace` has them.
    """
    counted = [each for each in calls if each.purpose not in _OF_VECTORS]
    return sum(each.input_tokens or 0 for each in counted), sum(each.output_tokens or 0 for each in counted)
