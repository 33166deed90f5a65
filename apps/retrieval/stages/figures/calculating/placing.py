"""Take the figures of a row that are of the time asked for, by their facts or else by the headings over them.

The period, scale and currency of a fact were read from its whole page when the document was taken in. A passage may not
hold the heading that says them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from apps.filings.text.dates import MONTH_NAME
from apps.retrieval.contracts import FactCell, Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.calculating.days import asked_day, is_near
from apps.retrieval.stages.figures.calculating.quarters import asked_quarter, is_of_quarter
from apps.retrieval.stages.figures.calculating.row_words import is_expected
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.periods import span_of

_A_YEAR: Final = frozenset({"year"})
_SAYS_A_PERIOD: Final = re.compile(
    rf"\b(?:{MONTH_NAME}|as|at|of|the|on|end(?:ed|ing|e)?|for|fiscal|gesch\u00e4ftsjahr|weeks?|wochen|months?|monate?|days?|quarters?|quartal|years?|jahr"
    r"|one|two|three|six|nine|twelve|thirteen|drei|sechs|neun|zw\u00f6lf|first|second|third|fourth|(?:un)?audited|zum|bis|vom|\d+\w{0,2})\b[.,]?",
    re.IGNORECASE,
)
"""What a column is called by, where a fact says its period: "Three months ended March 31, 2024"."""
_OF_A_QUARTER: Final = (0, 3)
_LAST_QUARTER: Final = 4
_BARE_YEAR: Final = re.compile(r"(?:FY\s?)?(?:19|20)\d\d", re.IGNORECASE)


def figures_of_asked_time(
    figures: Iterable[Figure], piece: Quote, passage: Passage, over: Sequence[str], analysis: QueryAnalysis
) -> list[Figure]:
    """Return those figures of a row that are of the day, quarter or year asked for, as their facts have them.

    Args: over: the headings above the row's table, the nearest last.
    """
    question, quarter = analysis.text, asked_quarter(analysis)
    day, document = asked_day(question), passage.chunk.document
    found = []
    for each in figures:
        if is_expected(each.column) and not is_expected(question):
            continue
        cell = cell_of(each, piece, passage)
        if cell and day and cell.ends_on and not cell.months:
            is_asked = is_near(cell.ends_on, day)
        elif cell and not _is_open(cell, each) and _says_its_time(cell, quarter, question):
            is_asked = cell.fiscal_quarter == (quarter or 0)
        else:
            cell = None
            is_asked = (
                is_of_quarter(each, over, quarter, (document.fiscal_year, document.fiscal_quarter))
                if quarter
                else _is_of_asked_time((each.column, each.heading, *over), question)
            )
        if is_asked:
            found.append(_as_in_fact(each, cell) if cell else each)
    return found


def cell_of(figure: Figure, piece: Quote, passage: Passage) -> FactCell | None:
    """Return the fact that is a figure of a row; None if there is none."""
    start, end = piece.start + figure.number.start, piece.start + figure.number.end
    return next((each for each in passage.chunk.facts if each.start < end and start < each.end), None)


def _as_in_fact(figure: Figure, cell: FactCell) -> Figure:
    """Return a figure with the period, scale and currency that were read when its document was taken in."""
    stated = replace(
        figure.stated,
        exponent=figure.stated.exponent if cell.exponent is None else cell.exponent,
        currencies=frozenset({cell.currency}) if cell.currency else figure.stated.currencies,
    )
    column = f"{_SAYS_A_PERIOD.sub(' ', figure.column)} {cell.dimension}".strip()
    return replace(figure, years=frozenset({cell.fiscal_year}), column=column, stated=stated)


def _is_open(cell: FactCell, figure: Figure) -> bool:
    """Return whether a figure may as well be of the year: "2024" in a report of the fourth quarter."""
    return cell.fiscal_quarter == _LAST_QUARTER and _BARE_YEAR.fullmatch(figure.column.strip()) is not None


def _says_its_time(cell: FactCell, quarter: int | None, question: str) -> bool:
    """Return whether the period of a fact tells if its figure is of the year or the quarter that is asked for.

    That of other spans, such as half a year, and of a day within the year is read from the headings.
    """
    if quarter:
        return cell.months in _OF_A_QUARTER
    return span_of(question) <= _A_YEAR and (cell.months > 0 or not cell.fiscal_quarter)


def _is_of_asked_time(headings: Iterable[str], question: str) -> bool:
    """Return whether figures under these headings are of whole years, or else of such times as the question names."""
    spans = frozenset[str]().union(*map(span_of, headings))
    asked = span_of(question) or _A_YEAR
    return bool(spans & asked) if spans else asked == _A_YEAR
