"""Answer by quotation: quote the sentences and rows of the context that are most relevant to the question, verbatim.

This needs no model and no network. The same question and context give the same bytes. An answer holds only what stands
in a document, or what is calculated from it with the calculation shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.retrieval.contracts import (
    Certainty,
    ContextBlock,
    GeneratedAnswer,
    QueryAnalysis,
    Quote,
    Refusal,
    RefusalReason,
)
from apps.retrieval.generation.calls import UNNOTED, Calls
from apps.retrieval.stages.figures.answerable import Lack, lack_of
from apps.retrieval.stages.figures.line_answer import line_rows, names_a_measure
from apps.retrieval.stages.figures.line_items import PARTS
from apps.retrieval.stages.figures.measures import WorkedMeasure, work_out_measures
from apps.retrieval.stages.grounding.subject import list_held_periods
from apps.retrieval.stages.question.relax import states
from apps.retrieval.stages.ranking.quotable import quotable_pieces
from apps.retrieval.stages.ranking.relevance import Piece, Relevance, rate_pieces
from apps.retrieval.stages.ranking.units import split_units, surroundings_of
from apps.tenants.figures import shares_told_apart

MOST_BESIDE_ROWS: Final = 1
NEAR_SHARE: Final = 0.6
"""A further quote must score at least this share of the best one."""
LIKELY_LIFT: Final = 0.1
"""Share of its score that a piece gains for each likely filter that its document meets."""
_NOTHING: Final = (
    "The documents that this question may reach do not answer it. Ask about what they contain, name the fund or "
    "company and the period, or ask an officer whether the answer lies in a kind of document that this intent may "
    "not reach."
)
_NOT_CLOSE: Final = (
    "The passages found do not match the question closely enough to be quoted as an answer (they cover {coverage} "
    "of what was asked; {minimum} is required). Use the words of the documents, or name the figure you mean."
)
_LACKING: Final = {
    Lack.FIGURE: (
        "No passage found names what was asked for ({asked}). Use the words of the documents, or ask an officer "
        "whether the answer lies in a kind of document that this intent may not reach."
    ),
    Lack.PERIOD: (
        "No passage found gives an answer for {periods}: the documents found cover {held}. Ask for a period "
        "that they cover, or have the missing report added."
    ),
    Lack.NUMBER: (
        "The passages found mention what was asked, but give no figure for it. Ask in the words of the documents, "
        "or open the passages."
    ),
}
_HEADINGS_ONLY: Final = (
    "Only the headings of the passages found match the question; none of their sentences does. Open them, or "
    "ask in the words of the documents."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    passage_index: int
    quote: Quote
    relevance: Relevance
    lack: Lack | None


class ExtractiveGenerator:
    """A generator that quotes up to `maximum_quotes` pieces, the best first.

    Args: minimum_coverage: share of the question's concepts, by weight, that the best piece must hold, 0 to 1.
          maximum_quotes: pieces in one answer.
    """

    name = "extractive"
    model = ""
    region = "local"

    def __init__(self, *, minimum_coverage: float = 0.4, maximum_quotes: int = 3) -> None:
        self._minimum_coverage = minimum_coverage
        self._maximum_quotes = maximum_quotes

    def generate(self, analysis: QueryAnalysis, context: ContextBlock, calls: Calls = UNNOTED) -> GeneratedAnswer:
        """Quote the rows of the statements that were asked for, or the best pieces; refuse if none is close enough.

        A question for a line of a statement is answered by its row. A question for a measure is answered by the rows
        from which it is calculated, with the calculation; what the documents themselves say about the measure follows.
        """
        rows = line_rows(analysis, context)
        if not rows:
            return self._quoted(analysis, context)
        worked = work_out_measures(analysis, rows)
        quotes = tuple(dict.fromkeys(row.quote for row in rows))
        lines = [*(_calculation(each) for each in worked), *map(_line, quotes)]
        if any(each.label in PARTS for each in analysis.expansions):
            told = self._quoted(analysis, context)
            further = [quote for quote in told.quotes if quote not in quotes and names_a_measure(quote, analysis)]
            further = further[:MOST_BESIDE_ROWS]
            quotes = (*quotes, *further)
            lines.extend(map(_line, further))
        refs = (*(ref for each in worked for ref in each.ref_ids), *(quote.ref_id for quote in quotes))
        return GeneratedAnswer(
            text="\n".join(lines),
            ref_ids=tuple(dict.fromkeys(refs)),
            quotes=quotes,
            generator=self.name,
            model=self.model,
            worked_out=len(worked),
            notes=(f"{len(rows)} rows of statements quoted, {len(worked)} measures worked out from them.",),
        )

    def _quoted(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        everything = _ranked(analysis, context)
        if not everything:
            return self._refused(_NOTHING)
        ranked = [choice for choice in everything if choice.lack is None]
        if not ranked:
            return self._refused(_lacking(everything, analysis, context))
        best = max(choice.relevance.coverage for choice in ranked)
        first = ranked[0].relevance
        if best < self._minimum_coverage or first.subject_coverage == 0.0:
            held = best if first.subject_coverage else 0.0
            coverage, minimum = shares_told_apart(held, self._minimum_coverage)
            return self._refused(_NOT_CLOSE.format(coverage=coverage, minimum=minimum))
        if first.own_coverage == 0.0:
            return self._refused(_HEADINGS_ONLY)
        chosen = self._chosen(ranked)
        return GeneratedAnswer(
            text="\n".join(_line(choice.quote) for choice in chosen),
            ref_ids=tuple(dict.fromkeys(choice.quote.ref_id for choice in chosen)),
            quotes=tuple(choice.quote for choice in chosen),
            generator=self.name,
            model=self.model,
            notes=(
                f"{len(chosen)} of {len(ranked)} sentences and rows quoted; the best holds {best:.0%} of the question.",
            ),
        )

    def _chosen(self, ranked: Sequence[_Choice]) -> list[_Choice]:
        """Return the best piece of each passage, then further pieces, so that one long table cannot fill the answer."""
        bar = NEAR_SHARE * ranked[0].relevance.score
        near = [choice for choice in ranked if choice.relevance.score >= bar and choice.relevance.own_coverage > 0]
        first_of_each: dict[int, _Choice] = {}
        for choice in near:
            first_of_each.setdefault(choice.passage_index, choice)
        firsts = list(first_of_each.values())
        return [*firsts, *(choice for choice in near if choice not in firsts)][: self._maximum_quotes]

    def _refused(self, message: str) -> GeneratedAnswer:
        return GeneratedAnswer(
            text="",
            ref_ids=(),
            quotes=(),
            generator=self.name,
            model=self.model,
            refusal=Refusal(reason=RefusalReason.NOT_IN_CONTEXT, message=message),
        )


def _ranked(analysis: QueryAnalysis, context: ContextBlock) -> list[_Choice]:
    """Return all pieces of the context, best first; equal pieces in the order of the context.

    Among reports that are much alike, pieces of the one that is probably meant are lifted, as they were in the search.
    """
    likely = [each for each in analysis.filters if each.certainty is Certainty.LIKELY]
    lifts = [LIKELY_LIFT * sum(states(each.chunk.document, one) for one in likely) for each in context.passages]
    found = [
        (index, quote, surroundings)
        for index, passage in enumerate(context.passages)
        for surroundings in (surroundings_of(passage.chunk, split_units(passage.chunk.text)),)
        for quote in quotable_pieces(passage)
    ]
    ratings = rate_pieces([Piece(text=quote.text, surroundings=around) for _, quote, around in found], analysis)
    choices = [
        _Choice(
            passage_index=index,
            quote=quote,
            relevance=relevance,
            lack=lack_of(quote, context.passages[index], analysis),
        )
        for (index, quote, _), relevance in zip(found, ratings, strict=True)
    ]
    return sorted(choices, key=lambda choice: -choice.relevance.score * (1 + lifts[choice.passage_index]))


def _lacking(choices: Sequence[_Choice], analysis: QueryAnalysis, context: ContextBlock) -> str:
    """Return why none of the pieces is the answer: what the pieces nearest to an answer lack."""
    lacks = {choice.lack for choice in choices}
    nearest = next(lack for lack in (Lack.NUMBER, Lack.PERIOD, Lack.FIGURE) if lack in lacks)
    return _LACKING[nearest].format(
        asked=" or ".join(f"“{figure.text}”" for figure in analysis.figures),
        periods=" or ".join(period.label for period in analysis.periods),
        held=", ".join(list_held_periods(context.passages)) or "no period",
    )


def _calculation(worked: WorkedMeasure) -> str:
    return f"{worked.text} {' '.join(f'[{ref_id}]' for ref_id in worked.ref_ids)}"


def _line(quote: Quote) -> str:
    columns = f" (columns: “{quote.columns}”)" if quote.columns else ""
    return f"“{quote.text}”{columns} [{quote.ref_id}]"
