"""What became of each passage that was found: cited, in the context, or left out, where and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.retrieval.contracts import Citation, ContextBlock
from apps.retrieval.trace import Stage, Trace


class FateKind(StrEnum):
    CITED = "cited"
    CONTEXT = "context"
    DROPPED = "dropped"
    FOUND = "found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """citations are the numbers of the citations from the passage."""

    kind: FateKind
    label: str
    reason: str = ""
    citations: tuple[int, ...] = ()


FOUND = Fate(kind=FateKind.FOUND, label="Found")

_DROPPED_AT: Mapping[Stage, str] = {
    Stage.FUSE: "No longer there",
    Stage.BOOST: "Below the list",
    Stage.DIVERSIFY: "Repetition",
    Stage.RERANK: "Left out",
    Stage.CUT_OFF: "Cut off",
    Stage.ASSEMBLE: "Over budget",
}


def fates(trace: Trace, citations: Sequence[Citation]) -> Mapping[str, Fate]:
    """By chunk id. A passage that is not in it was found and never met a stage that keeps or leaves out."""
    found: dict[str, Fate] = {}
    for record in trace.stages:
        if record.stage in _DROPPED_AT:
            for exclusion in record.exclusions:
                found[exclusion.subject] = Fate(
                    kind=FateKind.DROPPED, label=_DROPPED_AT[record.stage], reason=exclusion.reason
                )
    context = trace.output(ContextBlock)
    if context is None:
        return found
    for section in context.evicted:
        cap = f"the total cap of {context.total_cap_chars} characters"
        reason = f"The whole section {section.label} was left out because of {cap}."
        for passage in section.passages:
            found[str(passage.chunk.chunk_id)] = Fate(kind=FateKind.DROPPED, label="Left out whole", reason=reason)
    for passage in context.passages:
        numbers = tuple(number for number, each in enumerate(citations, start=1) if each.ref_id == passage.ref_id)
        found[str(passage.chunk.chunk_id)] = Fate(
            kind=FateKind.CITED if numbers else FateKind.CONTEXT,
            label="Cited" if numbers else "In the context",
            citations=numbers,
        )
    return found
