"""The requests to models that a question took: what for, how many tokens, how long, at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.corpus.providers.base.receivers import Purpose
from apps.retrieval.admin.ask_figures import duration
from apps.retrieval.trace import ModelCall, Trace

_PURPOSES: Final[Mapping[str, str]] = {
    Purpose.ANSWER: "Write the answer",
    Purpose.REPAIR: "Write it again in the form that was asked for",
    Purpose.REVISION: "Correct what the passages do not confirm",
    Purpose.WORDINGS: "Suggest other wordings of the question",
    Purpose.EMBED_QUESTION: "Turn the question into a vector",
    Purpose.EMBED_EXAMPLES: "Turn the policy's review examples into vectors",
    Purpose.EMBED_PASSAGES: "Turn passages into vectors",
}
_UNKNOWN: Final = "not stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    purpose: str
    model: str
    profile: str
    region: str
    sent: str
    written: str
    began: str
    elapsed: str
    cost: str
    ended: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsView:
    rows: tuple[RequestRow, ...]
    deadline: str


def requests_view(trace: Trace) -> RequestsView | None:
    """Return the requests in the order in which they ended; None if the question took none."""
    if not trace.calls:
        return None
    limit = trace.deadline
    told = (
        f"All requests of a question together may take {limit.seconds:g} s; these took {limit.used_seconds:.1f} s."
        if limit
        else ""
    )
    return RequestsView(rows=tuple(map(_row, trace.calls)), deadline=told)


def _row(call: ModelCall) -> RequestRow:
    again = f", request {call.attempt}" if call.attempt > 1 else ""
    return RequestRow(
        purpose=f"{_PURPOSES.get(call.purpose, call.purpose)}{again}",
        model=call.model,
        profile=call.profile,
        region=call.region.upper(),
        sent=_tokens(call.input_tokens),
        written=_tokens(call.output_tokens),
        began="never" if call.first_byte_ms is None else f"after {duration(call.first_byte_ms)}",
        elapsed=duration(call.elapsed_ms),
        cost="no price set" if call.cost is None else f"{call.cost} {call.currency}",
        ended=f"failed: {call.code}" if call.code else "answered",
    )


def _tokens(count: int | None) -> str:
    return _UNKNOWN if count is None else f"{count:,}"
