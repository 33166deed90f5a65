"""Read the lines that the question asks for from the statements of the documents that were found."""

from __future__ import annotations

from typing import Final

from apps.retrieval.contracts import Candidate, QueryAnalysis, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.stages.figures.line_items import find_asked_items
from apps.retrieval.stages.figures.lines import add_lines, find_lines
from apps.retrieval.trace import LineList, Stage, StageStatus, candidate_list

_NO_LINE: Final = "The question asks for no line of a financial statement."
_OFF: Final = "Switched off: passed on unchanged."


def read_lines(
    recorder: TraceRecorder,
    candidates: tuple[Candidate, ...],
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
    *,
    within: SearchBounds,
) -> tuple[Candidate, ...]:
    """Add the passages whose statement rows give the figures asked for, within the same gates and bounds.

    A page that prints a statement has several passages. The ranking finds the page, but not always the passage that
    holds the row.
    """
    with recorder.stage(Stage.LINES, count_in=len(candidates)) as stage:
        items = find_asked_items(analysis)
        stage.count_out = len(candidates)
        if not deps.settings.line_documents or not items:
            stage.status = StageStatus.SKIPPED
            stage.notes.append(_NO_LINE if deps.settings.line_documents else _OFF)
            return candidates
        documents = tuple(dict.fromkeys(candidate.hit.document_id for candidate in candidates))
        chunks = deps.chunks.on_statements(
            documents[: deps.settings.line_documents],
            tuple(dict.fromkeys(item.statement for item in items)),
            within=within,
            most=deps.settings.line_passages,
        )
        lines = find_lines(chunks, items)
        result = add_lines(candidates, chunks, lines)
        found = {line.item for of_chunk in lines.values() for line in of_chunk}
        names = tuple(item.name for item in items)
        stage.notes.append(
            f"Looked for in the statements: {', '.join(names)}. "
            f"{_describe_found([name for name in names if name in found], len(lines))}"
        )
        stage.count_out = len(result)
        stage.output = LineList(
            candidates=candidate_list(result).candidates,
            wanted=names,
            found=tuple(name for name in names if name in found),
        )
        return result


def _describe_found(found: list[str], passages: int) -> str:
    if not found:
        return "None of these lines was found."
    return f"Found: {', '.join(found)}, in {passages} {'passage' if passages == 1 else 'passages'}."
