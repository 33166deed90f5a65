"""Tell which of the statements that a page prints a table is of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.corpus.extraction import Block, BlockKind
from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import FactUnit
from apps.filings.reading.layout import Table
from apps.filings.reading.naming import find_concept
from apps.filings.reading.rows import read_row

_TITLES: Final = {
    Statement.BALANCE_SHEET: re.compile(
        r"balance\s*sheet|financial\s+(?:position|condition)|bilanz(?!ier)", re.IGNORECASE
    ),
    Statement.CASH_FLOW_STATEMENT: re.compile(r"cash\s*flow|kapitalfluss", re.IGNORECASE),
    Statement.INCOME_STATEMENT: re.compile(
        r"statements?\s+of\s+.{0,30}(?:income|operations|earnings|profit)|income\s+statement|results\s+of\s+operations"
        r"|gewinn-\s*und\s+verlust",
        re.IGNORECASE,
    ),
}
_OTHER: Final = re.compile(
    r"comprehensive|(?:share|stock)holders['\u2019]?\s+equity$|changes\s+in\s+.{0,30}equity|reconciliation|supplement"
    r"|selected|segment|\bnotes?\s+\d|eigenkapitalver\u00e4nderung|gesamtergebnis|non-gaap",
    re.IGNORECASE,
)
_ADJUSTED: Final = re.compile(
    r"\bimpact\b|\badjustments?\b|\beffects?\s+of\b|previously\s+reported|\bpro\s+forma\b|\banpassung", re.IGNORECASE
)
_PART: Final = re.compile(
    r"\bassets\b|\bliabilit|\bequity\b|\bcapitali[sz]ation\b|\bactivities\b|\bper\s+(?:\w+\s+)?share\b|\bshares\b|\baktiva\b"
    r"|\bpassiva\b|t\u00e4tigkeit|\bunaudited\b|\bmillions\b|\bthousands\b|\bcontinued\b|\bfortsetzung\b|\bended\b",
    re.IGNORECASE,
)
_LONGEST_TITLE: Final = 120
_LONGEST_PROSE: Final = 160
_SAMPLE_ROWS: Final = 12


def statement_of(table: Table, printed: Sequence[Statement], before: str) -> str:
    """Return the value of the statement that a table is of, or "".

    Args: printed: the statements on its page. before: the statement of the table before it on the page.
    """
    if not printed or any(_ADJUSTED.search(each.text) for each in table.headers):
        return ""
    if table.between is not None and (named := _after_another(table.between, printed, before)) is not None:
        return named
    for title in (*table.titles, *table.head):
        if named := _named(title, printed):
            return named
        if _OTHER.search(title):
            return ""
    if len(printed) == 1:
        return printed[0].value
    return _by_rows(table, printed)


def _named(title: str, printed: Sequence[Statement]) -> str:
    if len(title) > _LONGEST_TITLE:
        return ""
    return next((each.value for each in printed if _TITLES[each].search(title)), "")


def _after_another(between: Sequence[Block], printed: Sequence[Statement], before: str) -> str | None:
    """Return the statement of a table that follows another on its page: the same one, if nothing else begins there.

    Returns: None if what stands between them does not say.
    """
    for block in reversed(between):
        if named := _named(block.text, printed):
            return named
        is_prose = len(block.text) > _LONGEST_PROSE and block.kind is not BlockKind.HEADING
        if is_prose or (block.kind is BlockKind.HEADING and not _PART.search(block.text)):
            return ""
    return before or None


def _by_rows(table: Table, printed: Sequence[Statement]) -> str:
    """Return the statement to which most of the first rows belong."""
    counts = dict.fromkeys(printed, 0)
    for line in table.lines[:_SAMPLE_ROWS]:
        label = read_row(line.block, decimal_comma=False).label
        concept = find_concept(label, "", statement="", unit=FactUnit.MONEY)
        if concept is not None and concept.statement in counts:
            counts[concept.statement] += 1
    best = max(counts, key=lambda each: counts[each])
    return best.value if counts[best] else ""
