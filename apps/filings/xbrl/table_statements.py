"""Which of a document's tables is a statement: it stands on the statement's page, and its facts are of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from apps.corpus.extraction.contracts import Page
from apps.corpus.extraction.statements import Statement, recognise_statements

_FEWEST_FACTS: Final = 4


def name_tables(pages: Sequence[Page], facts: Iterable[tuple[int, int, Statement | None]]) -> Mapping[int, Statement]:
    """Return the statement of each table that is one.

    A statement may go on overleaf, without its title: its whole table counts. A note that shares a page with it does
    not: of the tables on the page, the one counts that has most facts of the statement.

    Args: facts: for each its table, its page, and the statement that its concept belongs to, if known.
    """
    on_pages = recognise_statements(pages)
    votes: defaultdict[int, Counter[Statement | None]] = defaultdict(Counter)
    tables_on: defaultdict[int, set[int]] = defaultdict(set)
    for table, page, statement in facts:
        if table >= 0:
            votes[table][statement] += 1
            tables_on[page].add(table)
    named: dict[int, Statement] = {}
    for page, statements in sorted(on_pages.items()):
        for statement in statements:
            best = max(sorted(tables_on[page]), key=lambda table: votes[table][statement], default=None)
            if best is None or best in named:
                continue
            count = votes[best]
            known = sum(number for each, number in count.items() if each is not None)
            if count[statement] >= _FEWEST_FACTS and 2 * count[statement] > known:
                named[best] = statement
    return named
