"""Turn a checked answer into what the person gets: with citations and both judgements, or as a refusal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from apps.retrieval.contracts import (
    Answer,
    Citation,
    ContextBlock,
    Degradation,
    Finding,
    GroundingReport,
    QueryAnalysis,
    Refusal,
    RefusalReason,
)
from apps.retrieval.stages.grounding.cite import cite
from apps.retrieval.stages.quoting.judge import judge_relevance
from apps.retrieval.steps.answering import Outcome

_MOST_NAMED: Final = 3
_NAMED_CHARS: Final = 120
_UNGROUNDED = (
    "The documents do not confirm the answer that was written, so it is withheld. {reason} Open the passages that "
    "were found, or ask again in the words of the documents."
)


def finish_answer(
    outcome: Outcome, context: ContextBlock, analysis: QueryAnalysis, degradations: tuple[Degradation, ...]
) -> Answer:
    """Return the answer with its citations, or a refusal if the answer is withheld."""
    draft, report = outcome.answer, outcome.report
    refusal = draft.refusal
    if outcome.withheld and report is not None:
        refusal = Refusal(reason=RefusalReason.UNGROUNDED, message=_UNGROUNDED.format(reason=report.reason))
    if refusal is not None:
        return refuse(refusal, analysis, degradations, generator=draft.generator, model=draft.model, report=report)
    citations = cite(draft, context, language=analysis.language)
    return Answer(
        text=draft.text,
        ref_ids=draft.ref_ids,
        citations=citations,
        grounding=report.status if report and not draft.closest else None,
        generator=draft.generator,
        model=draft.model,
        degradations=degradations,
        notices=(
            *analysis.notices,
            *_name_unconfirmed(outcome.unconfirmed),
            *_name_doubts(citations, context),
        ),
        repair=outcome.repair,
        relevance=judge_relevance(draft, context, analysis),
        closest=draft.closest,
    )


def _name_unconfirmed(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield one sentence that names what the passages did not confirm; nothing if they confirmed everything."""
    values = tuple(dict.fromkeys(" ".join(finding.value.split()) for finding in findings))
    if not values:
        return
    named = "; ".join(textwrap.shorten(value, _NAMED_CHARS, placeholder=" …") for value in values[:_MOST_NAMED])
    more = f"; and {len(values) - _MOST_NAMED} more" if len(values) > _MOST_NAMED else ""
    yield f"Left out, because the passages do not confirm it: {named}{more}."


def _name_doubts(citations: Sequence[Citation], context: ContextBlock) -> Iterator[str]:
    """Yield a sentence for each cited row that belongs to a sum that does not hold on its page."""
    doubts = {
        (passage.chunk.chunk_id, passage.chunk.char_start + line.start, passage.chunk.char_start + line.end): line
        for passage in context.passages
        for line in passage.lines
        if line.doubt
    }
    for (chunk_id, start, end), line in doubts.items():
        cited = [each for each in citations if each.chunk_id == chunk_id]
        if any(each.char_start < end and start < each.char_end for each in cited):
            yield f"Check the row of {line.item} on its page: a sum that it belongs to does not hold. {line.doubt}"


def refuse(
    refusal: Refusal,
    analysis: QueryAnalysis,
    degradations: tuple[Degradation, ...],
    *,
    generator: str = "",
    model: str = "",
    report: GroundingReport | None = None,
) -> Answer:
    """Return an answer that refuses and says why."""
    return Answer(
        text=refusal.message,
        ref_ids=(),
        citations=(),
        grounding=report.status if report else None,
        generator=generator,
        model=model,
        degradations=degradations,
        notices=analysis.notices,
        refusal=refusal,
    )
