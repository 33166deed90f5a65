"""Which of a document's tables is a statement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from apps.corpus.extraction.contracts import BlockKind, Page
from apps.corpus.extraction.pages import BlockDraft, build_page
from apps.corpus.extraction.statements import Statement, recognise_statements
from apps.filings.xbrl.source import Unit

_FEWEST_FACTS: Final = 4
_LINES_ABOVE: Final = 6
_Votes = Mapping[int, Counter[Statement | None]]


def name_tables(
    units: Sequence[Unit], pages: Sequence[Page], facts: Iterable[tuple[int, int, Statement | None]]
) -> Mapping[int, Statement]:
    """Return the statement of each table that is one.

    A page of HTML ends after so many characters, often in the midst of a statement. So each table is looked at as a
    page of its own first, with the lines above it. Of statements that are not found so, because they stand in several
    tables, those tables of their pages count whose facts are of them.

    Args: facts: for each its table, its page, and the statement that its concept belongs to, if known.
    """
    votes: defaultdict[int, Counter[Statement | None]] = defaultdict(Counter)
    tables_on: defaultdict[int, set[int]] = defaultdict(set)
    for table, page, statement in facts:
        if table >= 0:
            votes[table][statement] += 1
            tables_on[page].add(table)
    named: dict[int, Statement] = {}
    for table, statements in recognise_statements(_pages_of_tables(units)).items():
        likely = [each for each in statements if _is_of(votes, table, each)]
        if likely:
            named[table] = max(likely, key=lambda each: votes[table][each])
    missing = set(Statement) - set(named.values())
    for page, statements in recognise_statements(pages).items():
        for statement in missing.intersection(statements):
            for table in tables_on[page]:
                if table not in named and _is_of(votes, table, statement):
                    named[table] = statement
    return named


def _is_of(votes: _Votes, table: int, statement: Statement) -> bool:
    """Return whether most of a table's facts, of those that the vocabulary knows, are of a statement."""
    count = votes.get(table, Counter())
    known = sum(number for each, number in count.items() if each is not None)
    return count[statement] >= _FEWEST_FACTS and 2 * count[statement] > known


def _pages_of_tables(units: Sequence[Unit]) -> list[Page]:
    above: list[BlockDraft] = []
    drafts: defaultdict[int, list[BlockDraft]] = defaultdict(list)
    for unit in units:
        draft = BlockDraft(unit.kind, unit.text)
        if unit.table < 0:
            above = [*above[1 - _LINES_ABOVE :], draft]
            continue
        if unit.table not in drafts:
            drafts[unit.table].extend(above)
            above = []
        drafts[unit.table].append(draft)
    return [build_page(number, each) for number, each in drafts.items() if _is_long(each)]


def _is_long(drafts: Sequence[BlockDraft]) -> bool:
    return sum(draft.kind is BlockKind.TABLE_ROW for draft in drafts) >= _FEWEST_FACTS
