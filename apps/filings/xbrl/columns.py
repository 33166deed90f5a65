"""The headings of the columns of a table, and the lines that its rows have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from apps.corpus.extraction.contracts import BlockKind, Page
from apps.corpus.extraction.numerals import is_unit
from apps.corpus.extraction.tables import SEPARATOR
from apps.filings.contracts import TextSpan
from apps.filings.xbrl.marks import Mark
from apps.filings.xbrl.source import Unit

_CLOSES: Final = re.compile(r"(?:total|summe|sum)\b|\w[\w\s-]*\bgesamt$", re.IGNORECASE)
_MOST_COLUMNS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A cell of a table's header: the one at `at` of the unit's cells."""

    unit: Unit
    at: int

    @property
    def text(self) -> str:
        return self.unit.cells[self.at].text


@dataclass(slots=True)
class TableState:
    """What stands above the row that is being read: the headings in force, and the group."""

    table: int = -1
    group: str = ""
    headings: list[Unit] = field(default_factory=list)
    _in_headings: bool = False

    def enter(self, unit: Unit) -> None:
        """Take in a unit, before its facts are read."""
        if unit.table != self.table:
            self.table, self.group, self.headings, self._in_headings = unit.table, "", [], False
        if unit.kind is BlockKind.TABLE_HEADER:
            if not self._in_headings:
                self.headings = []
            if len(unit.cells) <= _MOST_COLUMNS:
                self.headings.append(unit)
        elif unit.kind is BlockKind.TABLE_GROUP:
            self.group = unit.text
        self._in_headings = unit.kind is BlockKind.TABLE_HEADER

    def leave(self, unit: Unit) -> None:
        """Close the group behind its total."""
        if unit.kind is BlockKind.TABLE_ROW and _CLOSES.match(unit.text):
            self.group = ""

    def headings_over(self, mark: Mark) -> tuple[Heading, ...]:
        """Return the heading cells over a fact, from the top down."""
        found: dict[str, Heading] = {}
        for unit in self.headings:
            over = [
                (min(mark.right, cell.column + cell.width) - max(mark.left, cell.column), at)
                for at, cell in enumerate(unit.cells)
                if not is_unit(cell.text)
            ]
            overlap, at = max(over, key=lambda each: each[0], default=(0, 0))
            if overlap > 0:
                found.setdefault(unit.cells[at].text, Heading(unit=unit, at=at))
        return tuple(found.values())


def find_heading(page: Page, row: TextSpan, over: Sequence[Heading]) -> TextSpan | None:
    """Return where on the row's page the lowest heading over a fact is printed; None if it is on none of its lines."""
    above = [block for block in page.blocks if block.char_end <= row.start and block.kind is BlockKind.TABLE_HEADER]
    for heading in reversed(over):
        line = heading.unit.text
        block = next((each for each in reversed(above) if each.text == line), None)
        cells = [cell.text for cell in heading.unit.cells]
        if block is not None and SEPARATOR.join(cells) == line:
            start = block.char_start + sum(len(cell) + len(SEPARATOR) for cell in cells[: heading.at])
            return TextSpan(start=start, end=start + len(cells[heading.at]))
        if block is not None and line.split(SEPARATOR).count(cells[heading.at]) == 1:
            start = block.char_start + f"{SEPARATOR}{line}{SEPARATOR}".index(SEPARATOR + cells[heading.at] + SEPARATOR)
            return TextSpan(start=start, end=start + len(cells[heading.at]))
    return None
