"""The headings of a table's columns: of one line or of several, with years or with words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from apps.filings.text.bindings import years_of
from apps.filings.text.dates import read_dates
from apps.filings.text.mentions import Mention, blank_mentions
from apps.filings.text.period_mentions import name_split_years_by_their_end, read_period_mentions

_MOST_LINES: Final = 3
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_CLOSES: Final = re.compile(r"(?:total|summe|sum)\b|\w[\w\s-]*\bgesamt$", re.IGNORECASE)
_SPAN: Final = re.compile(r"\d{1,2}\.\d{1,2}\.?\s*[-\u2013]\s*(?=\d{1,2}\.\d{1,2}\.(?:19|20)\d\d)")
_LENGTH: Final = re.compile(r"\b\d{1,2}[\s-]*(?:weeks?|months?|wochen|monate|M)\b", re.IGNORECASE)


def columns_above(text: str, position: int) -> tuple[str, ...]:
    """Return the heading of each cell of the row at a position, the first being that above the labels.

    A heading over several columns counts for each: "Three months ended June 30" above "2024 | 2023".

    Returns: nothing if the row is in no table with cell borders, or the table has no line of headings.
    """
    lines = text[:position].split("\n")[:-1]
    above = list(takewhile(lambda line: "|" in line, reversed(lines)))[::-1]
    headings = list(takewhile(_is_heading, above[:_MOST_LINES]))
    if not headings:
        return ()
    parted = [[cell.strip() for cell in line.split("|")] for line in headings]
    width = max(map(len, parted))
    for number, cells in enumerate(parted):
        cells.extend([""] * (width - len(cells)))
        if number < len(parted) - 1:
            for at in range(2, width):
                cells[at] = cells[at] or cells[at - 1]
    return tuple(" ".join(dict.fromkeys(cells[at] for cells in parted if cells[at])) for at in range(width))


def heading_in_table(text: str, position: int) -> str:
    """Return the line of a table, above a row, that names what the rows under it have in common: "Net sales: | |"."""
    for line in takewhile(lambda line: "|" in line, reversed(text[:position].split("\n")[:-1])):
        first, *others = (cell.strip() for cell in line.split("|"))
        if first and _LETTER.search(first) and not any(others):
            return first
        if _CLOSES.match(first):
            return ""
    return ""


def years_in_headings(headings: Sequence[str], fiscal_year: int | None) -> list[frozenset[int]]:
    """Return the years of each column of a row: "2024", "1Q24", "30.06.2025".

    A report shows no balance of the year after its own: where the report of 2024 has a column of "February 1, 2025",
    that is the end of its fiscal year 2024, and the columns beside it are those of the years before.

    Args: fiscal_year: of the report, where it is known.
    """
    days = [[date.year for date in read_dates(_SPAN.sub("", each)) if date.year is not None] for each in headings]
    newest = max((year for of_column in days for year in of_column), default=None)
    if fiscal_year is None or newest != fiscal_year + 1:
        return [_years_in_heading(each) for each in headings]
    return [
        frozenset(year - 1 for year in of_column) or _years_in_heading(heading)
        for heading, of_column in zip(headings, days, strict=True)
    ]


def _years_in_heading(heading: str) -> frozenset[int]:
    heading = name_split_years_by_their_end(heading)
    named = {each.period.fiscal_year for each in read_period_mentions(heading).named}
    dated = {each.year for each in read_dates(_SPAN.sub("", heading)) if each.year is not None}
    return years_of(heading) | named | dated


def _is_heading(line: str) -> bool:
    """Return whether a line of a table holds words, years and dates, and no figure."""
    cells = [cell.strip() for cell in line.split("|")][1:]
    return (
        any(cells)
        and any(_LETTER.search(cell) or years_of(cell) for cell in cells)
        and not any(_DIGIT.search(_without_times(cell)) for cell in cells)
    )


def _without_times(cell: str) -> str:
    plain = _LENGTH.sub(" ", _SPAN.sub("", cell))
    dates = read_dates(plain)
    plain = blank_mentions(plain, (Mention(start=each.start, end=each.end, text=each.text) for each in dates))
    rest = str(read_period_mentions(plain).rest)
    return re.sub(r"\b(?:H[12]|Q[1-4]|9M|6M|3M|12M)\b", " ", rest)
