"""Answer by quotation: quote the sentences and rows of the context that answer the question best.

This needs no model and no network. The same question and context give the same bytes. A sentence is quoted word for
word, and a row of a table as it was read. What is calculated from rows is shown with the calculation. Where no piece
clearly answers the question, the closest passages are quoted and nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.retrieval.contracts import (
    AnswerKind,
    ContextBlock,
    GeneratedAnswer,
    QueryAnalysis,
    Quote,
    Refusal,
    RefusalReason,
)
from apps.retrieval.generation.calls import UNNOTED, Calls
from apps.retrieval.stages.figures.calculating.left_out import lacks_what_is_calculated
from apps.retrieval.stages.figures.calculating.operands import Calculated
from apps.retrieval.stages.figures.calculating.work import (
    asks_for_a_calculation,
    asks_for_a_measure,
    calculate,
    find_value,
)
from apps.retrieval.stages.figures.line_answer import line_rows, names_a_measure
from apps.retrieval.stages.figures.line_items import PARTS
from apps.retrieval.stages.figures.measures import WorkedMeasure, work_out_measures
from apps.retrieval.stages.grounding.subject import unknown_names
from apps.retrieval.stages.question.answer_kind import read_answer_kind
from apps.retrieval.stages.quoting.choose import Chosen, choose
from apps.retrieval.stages.quoting.rate import RatedPiece, rate
from apps.retrieval.stages.quoting.rows import with_row

MOST_BESIDE_ROWS: Final = 1
CONFIDENCE_NEEDED: Final = 0.6
"""From this confidence on, the best piece is given as an answer."""
CLOSE_FROM: Final = 0.01
"""Below this rating of the best piece, nothing is near enough to the question to be worth showing."""
_GIVEN_BY_A_ROW: Final = (AnswerKind.NUMBER, AnswerKind.TEXT, AnswerKind.DEFINITION, AnswerKind.LIST)
_NOTHING: Final = (
    "The documents that this question may reach say nothing about it. Name the fund, company or rule and the period, "
    "or ask an officer whether the answer lies in a kind of document that this intent may not reach."
)
_CLOSEST: Final = "Nothing that was found clearly answers this question. These passages come closest."
_NOT_IN_THEM: Final = "They do not give {missing}."


class ExtractiveGenerator:
    """A generator that quotes up to `maximum_quotes` pieces, the best first.

    Args: confidence_needed: from which confidence on the best piece is an answer, 0 to 1.
          maximum_quotes: pieces in one answer.
    """

    name = "extractive"
    model = ""
    region = "local"

    def __init__(self, *, confidence_needed: float = CONFIDENCE_NEEDED, maximum_quotes: int = 3) -> None:
        self._confidence_needed = confidence_needed
        self._maximum_quotes = maximum_quotes

    def generate(self, analysis: QueryAnalysis, context: ContextBlock, calls: Calls = UNNOTED) -> GeneratedAnswer:
        """Quote the rows of the statements that were asked for, or the pieces that answer best, or the closest ones.

        A question for a line of a statement is answered by its row. A question for a measure is answered by the rows
        from which it is calculated, with the calculation; what the documents themselves say about the measure follows.
        """
        kind = read_answer_kind(analysis.text, wants_number=analysis.wants_number, language=analysis.language)
        rated = rate(analysis, context, kind)
        # What the documents do not speak of has no figures in them.
        if not unknown_names(analysis, context):
            if calculated := calculate(analysis, context):
                return self._from_calculation(calculated)
            value = find_value(analysis, context)
            if value and (value.lines or kind in _GIVEN_BY_A_ROW):
                return self._from_calculation(value)
        # Rows alone are no answer to a question for a change, a share or a comparison.
        alone = asks_for_a_calculation(analysis)
        if rows := self._from_rows(analysis, context, rated):
            if len(analysis.companies_named) > 1 or (alone and not rows.worked_out):
                return as_closest(rows)
            return rows if rows.worked_out or not asks_for_a_measure(analysis) else as_closest(rows)
        chosen = choose(rated, analysis, context, kind, most=self._maximum_quotes)
        if chosen is None or chosen.nearness < CLOSE_FROM:
            return self._answer((), "", refusal=Refusal(reason=RefusalReason.NOT_IN_CONTEXT, message=_NOTHING))
        answers = chosen.fits and chosen.confidence >= self._confidence_needed
        if alone and (
            all(each.row is not None for each in chosen.as_answer)
            or lacks_what_is_calculated("\n".join(each.text for each in chosen.as_answer), analysis)
        ):
            answers = False
        quotes = chosen.as_answer if answers else chosen.as_closest
        note = (
            f"{len(quotes)} of {len(rated)} sentences and rows quoted. Estimated probability that the best one "
            f"answers the question: {chosen.confidence:.0%}; at least {self._confidence_needed:.0%} is needed to give "
            "it as an answer."
        )
        lines = "\n".join(map(_line, quotes))
        if answers:
            return self._answer(quotes, lines, notes=(note,), missing=chosen.missing)
        text = f"{_lead(chosen)}\n{lines}"
        return self._answer(quotes, text, notes=(note,), closest=True, missing=chosen.missing)

    def _from_calculation(self, found: Calculated) -> GeneratedAnswer:
        quotes = tuple(with_row(quote, passage) for quote, passage in found.rows)
        text = "\n".join((*found.lines, *map(_line, quotes)))
        note = f"Calculations: {len(found.lines)}. Rows quoted: {len(quotes)}."
        return self._answer(quotes, text, notes=(note,), worked_out=len(found.lines))

    def _from_rows(
        self, analysis: QueryAnalysis, context: ContextBlock, rated: Sequence[RatedPiece]
    ) -> GeneratedAnswer | None:
        rows = line_rows(analysis, context)
        if not rows:
            return None
        worked = work_out_measures(analysis, rows)
        quotes = tuple(dict.fromkeys(with_row(row.quote, row.passage) for row in rows))
        if any(each.label in PARTS for each in analysis.expansions):
            told = [each.quote for each in rated if each.lack is None and not each.is_heading]
            further = [each for each in told if each not in quotes and names_a_measure(each, analysis)]
            quotes = (*quotes, *further[:MOST_BESIDE_ROWS])
        text = "\n".join((*map(_calculation, worked), *map(_line, quotes)))
        refs = tuple(ref for each in worked for ref in each.ref_ids)
        note = f"{len(rows)} rows of statements quoted, {len(worked)} measures worked out from them."
        return self._answer(quotes, text, notes=(note,), worked_out=len(worked), refs=refs)

    def _answer(
        self,
        quotes: tuple[Quote, ...],
        text: str,
        *,
        notes: tuple[str, ...] = (),
        refs: tuple[str, ...] = (),
        worked_out: int = 0,
        closest: bool = False,
        missing: tuple[str, ...] = (),
        refusal: Refusal | None = None,
    ) -> GeneratedAnswer:
        return GeneratedAnswer(
            text=text,
            ref_ids=tuple(dict.fromkeys((*refs, *(quote.ref_id for quote in quotes)))),
            quotes=quotes,
            generator=self.name,
            model=self.model,
            worked_out=worked_out,
            notes=notes,
            refusal=refusal,
            closest=closest,
            missing=missing,
        )


def as_closest(answer: GeneratedAnswer) -> GeneratedAnswer:
    """Return what an answer quotes as closest passages, without any claim; a refusal stays one."""
    if answer.closest or answer.refusal is not None:
        return answer
    lines = answer.text.split("\n")[answer.worked_out :]
    return replace(answer, text="\n".join((_CLOSEST, *lines)), closest=True, worked_out=0)


def _lead(chosen: Chosen) -> str:
    if not chosen.missing:
        return _CLOSEST
    return f"{_CLOSEST} {_NOT_IN_THEM.format(missing=' or '.join(chosen.missing))}"


def _calculation(worked: WorkedMeasure) -> str:
    return f"{worked.text} {' '.join(f'[{ref_id}]' for ref_id in worked.ref_ids)}"


def _line(quote: Quote) -> str:
    if quote.row is not None:
        cells = "; ".join(f"{cell.column}: {cell.value}" if cell.column else cell.value for cell in quote.row.cells)
        caption = f" ({quote.row.caption})" if quote.row.caption else ""
        return f"{quote.row.label}{caption} \u2013 {cells} [{quote.ref_id}]"
    columns = f" (columns: “{quote.columns}”)" if quote.columns else ""
    return f"“{quote.text}”{columns} [{quote.ref_id}]"
