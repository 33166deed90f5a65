"""Read a row of a table as label, columns and values, with the unit that the table states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.retrieval.contracts import Passage, Quote, QuotedRow, RowCell

_CAPTION: Final = re.compile(
    r"\b(?:in|all\s+figures\s+in|amounts\s+in|angaben\s+in|betr\u00e4ge\s+in)\s+[^|\n]{0,40}?\b(?:thousands?|millions?|billions?|mn|bn|m|k|tsd|mio|mrd|teur|teuro"
    r"|eur|usd|gbp|chf|euros?|dollars?|per\s*cent|percent|prozent|%)[^|\n]{0,60}|\(\s*(?:%|per\s*cent|percent|prozent|TEUR|EUR|USD|GBP|CHF|\$|\u20ac)[^)\n]{0,40}\)",
    re.IGNORECASE,
)
_LONGEST_CAPTION_CHARS: Final = 120
_BORDER: Final = "|"
# The figures at the end of a row without borders.
_VALUES: Final = re.compile(r"(?:\s+[($\u20ac\u00a3+\-\u2212]*\d[\d,.]*[)%]*|\s+[\u2014\u2013-])+$")
_YEAR: Final = re.compile(r"\b(?:19|20)\d{2}\b")


def with_row(quote: Quote, passage: Passage) -> Quote:
    """Return the quote with its row, where it is one."""
    row = read_row(quote, passage)
    return replace(quote, row=row) if row is not None else quote


def read_row(quote: Quote, passage: Passage) -> QuotedRow | None:
    """Return a row as label, cells and caption; None if it has no cells.

    A cell that names its own column ("2024: 389") has it from there, another one from the line of column headings, if
    that has as many.
    """
    if _BORDER in quote.text:
        parts = [part.strip() for part in quote.text.split(_BORDER)]
        headings = [part.strip() for part in quote.columns.split(_BORDER)] if quote.columns else []
        if len(headings) == len(parts):
            headings = headings[1:]
    else:
        found = _VALUES.search(quote.text)
        if found is None:
            return None
        parts = [quote.text[: found.start()].strip(), *found.group().split()]
        headings = _YEAR.findall(quote.columns)
    label, values = parts[0], parts[1:]
    cells = tuple(_cell(value, index, len(values), headings) for index, value in enumerate(values))
    return QuotedRow(label=label, cells=cells, caption=find_caption(quote, passage))


def _cell(value: str, index: int, count: int, headings: Sequence[str]) -> RowCell:
    column, mark, rest = value.partition(": ")
    if mark and rest.strip():
        return RowCell(column=column.strip(), value=rest.strip())
    return RowCell(column=headings[index] if len(headings) == count else "", value=value)


def find_caption(quote: Quote, passage: Passage) -> str:
    """Return what the nearest text above a row, or else its heading, says of unit and scale; else ""."""
    chunk = passage.chunk
    above = chunk.text[: quote.start].split("\n")
    for text in (*reversed(above), chunk.context_header, chunk.section):
        if len(text) > _LONGEST_CAPTION_CHARS and text in above:
            continue
        if found := _CAPTION.search(text):
            return found.group().strip(" ()\u00b7,")
    return ""


def is_table_header(quote: Quote, following: Quote | None) -> bool:
    """Return whether a row only names the columns of the row that follows."""
    if following is None or _BORDER not in quote.text or _BORDER not in following.text:
        return False
    cells = {part.strip() for part in quote.text.split(_BORDER)}
    columns = [part.partition(": ")[0].strip() for part in following.text.split(_BORDER)[1:]]
    return bool(columns) and sum(column in cells for column in columns) >= max(1, len(columns) - 1)
