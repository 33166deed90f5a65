"""Write the facts of a document, with one INSERT statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import connection

from apps.corpus.models import Document
from apps.filings.contracts import ReadFact
from apps.filings.reading.checks import check_facts
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_TEXT_CHARS: Final = 300

# The columns after number, in the order of store.sql.
_COLUMNS: Final[tuple[Callable[[ReadFact], Any], ...]] = (
    lambda fact: fact.concept,
    lambda fact: fact.tag,
    lambda fact: fact.label[:_TEXT_CHARS],
    lambda fact: fact.column[:_TEXT_CHARS],
    lambda fact: fact.group[:_TEXT_CHARS],
    lambda fact: fact.dimension[:_TEXT_CHARS],
    lambda fact: fact.value,
    lambda fact: fact.printed,
    lambda fact: fact.exponent,
    lambda fact: fact.decimals,
    lambda fact: fact.unit.value,
    lambda fact: fact.currency,
    lambda fact: fact.starts_on,
    lambda fact: fact.ends_on,
    lambda fact: fact.fiscal_year,
    lambda fact: fact.fiscal_quarter,
    lambda fact: fact.months,
    lambda fact: fact.statement,
    lambda fact: fact.consolidated,
    lambda fact: fact.restated,
    lambda fact: fact.page,
    lambda fact: fact.row.start,
    lambda fact: fact.row.end,
    lambda fact: fact.cell.start,
    lambda fact: fact.cell.end,
    lambda fact: fact.heading and fact.heading.start,
    lambda fact: fact.heading and fact.heading.end,
    lambda fact: fact.how_read.value,
    lambda fact: fact.confidence,
    lambda fact: fact.check.value,
    lambda fact: fact.check_detail[:_TEXT_CHARS],
)


def store_facts(document: Document, facts: Sequence[ReadFact] | None) -> None:
    """Replace the facts of an earlier reading. Needs an open scope and its transaction.

    Args: facts: None if this reading gave none.
    """
    own = [document.tenant_id, document.scope_id, document.id]
    # Here and not where the file is read: nobody vouches there for what proves a figure, or turns its sign.
    held = check_facts(facts or ())
    with connection.cursor() as cursor:
        cursor.execute(_SQL["forget"], own)
        if held:
            columns = [[read(fact) for fact in held] for read in _COLUMNS]
            cursor.execute(
                _SQL["facts"],
                [*own, document.kind, document.company, list(range(1, len(held) + 1)), *columns],
            )
