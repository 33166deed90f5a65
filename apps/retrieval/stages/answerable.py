"""Whether one sentence or row can be the answer at all: it names the figure, gives one, and is of the period asked for.

These are reasons of structure, not of degree: a piece may share most words with a question and be of another year.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import AskedFigure, Certainty, FilterField, Passage, Period, QueryAnalysis, Quote
from apps.retrieval.stages.bindings import years_of
from apps.retrieval.stages.figures import heading_above, read_piece
from apps.retrieval.stages.period_mentions import read_period_mentions
from apps.retrieval.stages.relax import period_matches
from apps.retrieval.stages.relevance import holds_number

_HEADING_LONGEST_CHARS: Final = 90


class Lack(StrEnum):
    """What keeps a piece from being the answer."""

    PERIOD = "period"
    FIGURE = "figure"
    NUMBER = "number"


def lack_of(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> Lack | None:
    """What a piece lacks to be the answer; None where nothing speaks against it."""
    if not names_what_is_asked(piece, passage, analysis):
        return Lack.FIGURE
    if not is_of_period(piece, passage, analysis):
        return Lack.PERIOD
    if analysis.wants_number and not holds_number(piece.text):
        return Lack.NUMBER
    return None


def names_what_is_asked(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> bool:
    """Whether the piece itself, its columns or the heading of its rows names one of the figures asked for."""
    if not analysis.figures:
        return True
    above = heading_above(passage.chunk.text, piece.start)
    found = frozenset(terms(f"{piece.text}\n{piece.columns}\n{above}", analysis.language))
    return any(_names(figure, found, analysis) for figure in analysis.figures)


def is_of_period(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> bool:
    """Whether the piece is of a period asked for: its document is, or it says so itself.

    A document that states no period (a rule, a method) holds for any. A bare year, which may be anything, is also met
    by a passage that mentions it elsewhere.
    """
    periods, document = analysis.periods, passage.chunk.document
    if not periods or document.fiscal_year is None:
        return True
    if any(period_matches(period, document.fiscal_year, document.fiscal_quarter) for period in periods):
        return True
    row = read_piece(passage, piece)
    if row is not None:
        own = frozenset(year for figure in row for year in figure.years)
    else:
        own = years_of("\n".join((piece.text, passage.chunk.section, _headings(passage.chunk.text[: piece.start]))))
    if any(_covers(period, own, piece, passage) for period in periods):
        return True
    return _is_loose(analysis) and any(
        period.fiscal_year in years_of(f"{passage.chunk.text}\n{document.title}") for period in periods
    )


def _covers(period: Period, years: frozenset[int], piece: Quote, passage: Passage) -> bool:
    if period.fiscal_year not in years:
        return False
    if not period.fiscal_quarter:
        return True
    # "2023" beside "2024" in a report of the fourth quarter is the fourth quarter of 2023.
    same_quarter = passage.chunk.document.fiscal_quarter == period.fiscal_quarter
    named = read_period_mentions(f"{piece.text}\n{piece.columns}").named
    return same_quarter or period in {each.period for each in named}


def _is_loose(analysis: QueryAnalysis) -> bool:
    found = [each for each in analysis.filters if each.field is FilterField.PERIOD]
    return bool(found) and all(each.certainty is Certainty.LIKELY for each in found) and not analysis.relaxed


def _headings(text: str) -> str:
    """Lines above a piece that are no sentences."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if len(line) <= _HEADING_LONGEST_CHARS and not line.rstrip().endswith("."))


def _names(figure: AskedFigure, found: frozenset[str], analysis: QueryAnalysis) -> bool:
    if not found.issuperset(figure.terms):
        return False
    held = {
        concept.label
        for concept in analysis.concepts
        if any(found.issuperset(alternative) for alternative in concept.alternatives)
    }
    return held.issuperset(figure.concepts)
