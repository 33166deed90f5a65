"""Read the rows that the question asks for from the tables of the documents that were found."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from apps.retrieval.contracts import Candidate, QueryAnalysis, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.stages.figures.asked_concepts import find_asked_figures
from apps.retrieval.stages.figures.line_items import find_asked_items
from apps.retrieval.stages.figures.lines import add_lines, find_lines, join_lines
from apps.retrieval.trace import LineList, Stage, StageStatus, candidate_list

_NO_LINE: Final = "The question asks for no figure that is known by name."
_OFF: Final = "Switched off: passed on unchanged."


def read_lines(
    recorder: TraceRecorder,
    candidates: tuple[Candidate, ...],
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
    *,
    within: SearchBounds,
) -> tuple[Candidate, ...]:
    """Add the passages whose rows give the figures asked for, within the same gates and bounds.

    A page that prints a statement has several passages. The ranking finds the page, but not always the passage that
    holds the row. Rows are found by the facts that were read from a document, and those of statements by their labels
    as well.
    """
    with recorder.stage(Stage.LINES, count_in=len(candidates)) as stage:
        items, asked = find_asked_items(analysis), find_asked_figures(analysis)
        looks_for_facts = bool(asked.concepts or asked.words)
        stage.count_out = len(candidates)
        if not deps.settings.line_documents or not (items or looks_for_facts):
            stage.status = StageStatus.SKIPPED
            stage.notes.append(_NO_LINE if deps.settings.line_documents else _OFF)
            return candidates
        found_documents = tuple(dict.fromkeys(candidate.hit.document_id for candidate in candidates))
        documents = found_documents[: deps.settings.line_documents]
        most = deps.settings.line_passages
        of_facts = deps.chunks.with_facts(documents, asked, within=within, most=most) if looks_for_facts else ()
        statements = tuple(dict.fromkeys(item.statement for item in items))
        chunks = deps.chunks.on_statements(documents, statements, within=within, most=most) if items else ()
        lines = join_lines({str(chunk.chunk_id): rows for chunk, rows in of_facts}, find_lines(chunks, items))
        result = add_lines(candidates, (*(chunk for chunk, _ in of_facts), *chunks), lines)
        found = {line.item for of_chunk in lines.values() for line in of_chunk if line.item}
        names = tuple(dict.fromkeys((*asked.concepts, *(item.name for item in items))))
        stage.notes.append(
            f"Looked for in tables: {', '.join(names)}. "
            f"{_describe_found([name for name in names if name in found], len(lines))}"
        )
        stage.count_out = len(result)
        stage.output = LineList(
            candidates=candidate_list(result).candidates,
            wanted=names,
            found=tuple(name for name in names if name in found),
        )
        return result


def read_facts(
    candidates: tuple[Candidate, ...], analysis: QueryAnalysis, deps: PipelineDependencies, *, within: SearchBounds
) -> tuple[Candidate, ...]:
    """Return the candidates with the facts of their passages, if the question asks for a figure.

    The period, scale and currency of a figure were read from its whole page when the document was taken in. A passage
    may not hold the heading that says them.
    """
    asked = find_asked_figures(analysis)
    if not (asked.concepts or asked.words):
        return candidates
    facts = deps.chunks.fact_cells(tuple(each.chunk.chunk_id for each in candidates), within=within)
    return tuple(
        replace(each, chunk=replace(each.chunk, facts=facts[each.chunk.chunk_id]))
        if each.chunk.chunk_id in facts
        else each
        for each in candidates
    )


def _describe_found(found: list[str], passages: int) -> str:
    if not found:
        return "None of these lines was found."
    return f"Found: {', '.join(found)}, in {passages} {'passage' if passages == 1 else 'passages'}."
