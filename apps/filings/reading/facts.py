"""Read all facts of a file: those of its tables, and those that inline XBRL states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from apps.corpus.extraction.contracts import ExtractedDocument, MediaType
from apps.filings.contracts import ReadFact
from apps.filings.reading.checks import check_facts
from apps.filings.reading.tables import read_table_facts
from apps.filings.xbrl.inline import read_inline_facts


def read_facts(
    content: bytes,
    document: ExtractedDocument,
    *,
    fiscal_year: int | None,
    fiscal_quarter: int | None,
    language: str,
) -> tuple[ReadFact, ...]:
    """Return the facts of a file as read_printed_facts does, with what their sums show."""
    return check_facts(
        read_printed_facts(content, document, fiscal_year=fiscal_year, fiscal_quarter=fiscal_quarter, language=language)
    )


def read_printed_facts(
    content: bytes,
    document: ExtractedDocument,
    *,
    fiscal_year: int | None,
    fiscal_quarter: int | None,
    language: str,
) -> tuple[ReadFact, ...]:
    """Return the facts of a file in the order of its pages. Of one cell there is one fact.

    Args: fiscal_year, fiscal_quarter: of the document, where they are known.
    """
    tables = read_table_facts(document, fiscal_year=fiscal_year, fiscal_quarter=fiscal_quarter, language=language)
    stated: tuple[ReadFact, ...] = ()
    if document.media_type is MediaType.HTML:
        stated = read_inline_facts(content, document, fiscal_year=fiscal_year)
    return _join(tables, stated)


def _join(tables: Iterable[ReadFact], stated: Iterable[ReadFact]) -> tuple[ReadFact, ...]:
    """Return the facts of both. What XBRL states of a cell counts, under the row and column that the table gives it."""
    of_cells = {(fact.page, fact.cell): fact for fact in tables}
    for fact in stated:
        read = of_cells.get((fact.page, fact.cell))
        of_cells[fact.page, fact.cell] = (
            fact
            if read is None
            else replace(
                fact,
                concept=fact.concept or read.concept,
                # A cost in brackets is positive in XBRL: the sign is the page's, as in documents without XBRL.
                value=abs(fact.value).copy_sign(read.value),
                label=read.label,
                column=read.column,
                group=read.group,
                row=read.row,
                heading=read.heading,
                statement=fact.statement or read.statement,
            )
        )
    return tuple(sorted(of_cells.values(), key=lambda fact: (fact.page, fact.cell.start)))
