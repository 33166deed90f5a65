"""Which quarter a question asks for, and which figures are of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.periods import span_of

_YEAR: Final = "year"
_QUARTER: Final = "quarter"
_LONGER: Final = frozenset({"half", "nine months"})
_SO_FAR: Final = re.compile(r"\b(?:year[\s-]to[\s-]date|YTD|so\s+far|bisher\w*)\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"\bQ([1-4])\b|\b([1-4])Q(?=\d|\b)", re.IGNORECASE)
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "final": 4}
_SPELLED: Final = re.compile(rf"\b({'|'.join(_ORDINALS)})[\s-]quarter\b", re.IGNORECASE)


def asked_quarter(analysis: QueryAnalysis) -> int | None:
    """Return the quarter of every period that a question names; 0 for whole years; None if they differ."""
    quarters = {period.fiscal_quarter or 0 for period in analysis.periods} or {0}
    # A half-year is reported with its second quarter (period_mentions.py), and its figures are not that quarter's.
    longer = _LONGER & span_of(analysis.text) or _SO_FAR.search(analysis.text)
    return None if len(quarters) > 1 or (quarters != {0} and longer) else next(iter(quarters))


def are_said_to_be_of_years(figures: Iterable[Figure], heading: str) -> bool:
    """Return whether the columns or the heading of a row say that its figures are of whole years: "52 weeks ended"."""
    columns = {span for each in figures for span in span_of(each.column)}
    return (columns or span_of(heading)) == {_YEAR}


def says_no_time(figure: Figure) -> bool:
    """Return whether a figure's column names no year, quarter or length of time."""
    return not figure.years and not _quarters_in(figure.column) and not span_of(figure.column)


def is_of_quarter(figure: Figure, headings: Sequence[str], quarter: int, own: tuple[int | None, int | None]) -> bool:
    """Return whether a figure is of a quarter, by its column, or else by what stands above it.

    Args: headings: above its table, the nearest last. own: the fiscal year and quarter of its report.
    """
    year, quarter_of_report = own
    for text in (figure.column, figure.heading, *reversed(headings)):
        if named := _quarters_in(text):
            return named == {quarter}
        if spans := span_of(text):
            # The columns of three months and of the year so far stand beside each other.
            return spans == {_QUARTER} and quarter_of_report == quarter
    # A balance of a report's last day; the other column may be the end of the year before.
    return quarter_of_report == quarter and figure.years == frozenset({year})


def _quarters_in(text: str) -> set[int]:
    named = {int(one or other) for one, other in _NAMED.findall(text)}
    return named | {_ORDINALS[word.lower()] for word in _SPELLED.findall(text)}
