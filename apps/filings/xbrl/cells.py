"""Where in its row or paragraph a fact is printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from apps.corpus.extraction.contracts import Block, BlockKind
from apps.corpus.extraction.numerals import is_amount
from apps.corpus.extraction.tables import SEPARATOR
from apps.filings.xbrl.kept_text import KeptText, keep_all, keep_values
from apps.filings.xbrl.marks import Mark
from apps.filings.xbrl.source import Unit

_LONGEST_LABEL: Final = 500
_CURRENCY_SIGNS: Final = "$€£¥"
_TABLE_KINDS: Final = frozenset({BlockKind.TABLE_ROW, BlockKind.TABLE_GROUP, BlockKind.TABLE_HEADER})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCell:
    """start, end: of the figure in its block's text. shown: what the element itself shows, without blanks.

    label: of its row; empty in running text. is_value: it fills a cell of its own, under the heading of a column.
    name: where the row names that column before the figure.
    """

    start: int
    end: int
    shown: str
    label: str
    is_value: bool
    is_percent: bool
    name: tuple[int, int] | None


def place_cells(unit: Unit, block: Block) -> Iterator[tuple[Mark, PlacedCell]]:
    """Yield the facts of a unit with where they stand in its block. What lies outside of the kept text is left out."""
    text = block.text
    in_table = unit.kind in _TABLE_KINDS
    kept = keep_values(text) if in_table else keep_all(text)
    label = _label(text, kept) if in_table else ""
    marks = [mark for mark in unit.marks if 0 <= mark.start < mark.end <= len(kept.squeezed)]
    parts = {id(mark): _part_of(kept, kept.at[mark.start]) for mark in marks}
    shared = Counter((parts[id(mark)]) for mark in marks if not _is_nested(mark))
    for mark in marks:
        start, end = kept.at[mark.start], kept.at[mark.end - 1] + 1
        part = parts[id(mark)]
        whole = text[part[0] : part[1]].strip()
        is_value = in_table and shared[part] <= 1 and is_amount(whole)
        if is_value:
            begins = part[0] + text[part[0] : part[1]].index(whole)
            start, end = begins, begins + len(whole)
        else:
            start, end = _with_signs(text, start, end)
        following = text[kept.at[mark.end - 1] + 1 : kept.at[mark.end - 1] + 4].lstrip(" )")
        yield (
            mark,
            PlacedCell(
                start=start,
                end=end,
                shown=kept.squeezed[mark.start : mark.end],
                label=label,
                is_value=is_value,
                is_percent=following.startswith("%"),
                name=_name_of(text, part[0]) if in_table else None,
            ),
        )


def _label(row: str, kept: KeptText) -> str:
    """Return what a row is called: its first part, and further words before its first figure ("Americas | Sales")."""
    first = row.split(SEPARATOR, 1)[0]
    if is_amount(first.rpartition(": ")[2]):
        return ""
    further = takewhile(lambda value: not is_amount(value), (row[start:end].strip() for start, end in kept.parts[1:]))
    return " ".join([first, *(value for value in further if value)])[:_LONGEST_LABEL]


def _name_of(row: str, value_start: int) -> tuple[int, int] | None:
    """Return the span of a column's name, which stands between the separator and the value."""
    start = row.rfind(SEPARATOR, 0, value_start)
    start = start + len(SEPARATOR) if start >= 0 else 0
    end = value_start - len(": ")
    return (start, end) if end > start else None


def _part_of(kept: KeptText, position: int) -> tuple[int, int]:
    return next(part for part in kept.parts if part[0] <= position < part[1])


def _is_nested(mark: Mark) -> bool:
    parent = mark.element.getparent()
    return parent is not None and parent.tag == mark.element.tag


def _with_signs(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a number in running text by its currency sign and its brackets."""
    if text[start - 1 : start] and text[start - 1] in _CURRENCY_SIGNS:
        start -= 1
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        start, end = start - 1, end + 1
    return start, end
