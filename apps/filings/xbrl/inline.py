"""Read the facts of a file of inline XBRL, each with its place in the text of its extraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from apps.corpus.extraction.contracts import Block, BlockKind, ExtractedDocument, Limits, MediaType, Page
from apps.corpus.extraction.statements import Statement
from apps.corpus.extraction.xbrl_instances import name_in_words
from apps.filings.contracts import HowRead, ReadFact, TextSpan
from apps.filings.vocabulary.concepts import find_by_tag
from apps.filings.xbrl.alignment import align
from apps.filings.xbrl.cells import PlacedCell, place_cells
from apps.filings.xbrl.columns import TableState, find_heading
from apps.filings.xbrl.figures import Figure, InlineFile, is_hidden, read_file
from apps.filings.xbrl.fiscal import FiscalCalendar, months_of, read_calendar
from apps.filings.xbrl.markup import parse_inline
from apps.filings.xbrl.source import Unit, cut_units, read_units
from apps.filings.xbrl.table_statements import name_tables

_CONFIDENCE: Final = Decimal("0.99")
_LONGEST_COLUMN: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineReading:
    """The facts of a file. unplaced: how many facts that the file shows could not be placed for certain."""

    facts: tuple[ReadFact, ...]
    unplaced: int


_NOTHING: Final = InlineReading(facts=(), unplaced=0)


def read_inline_facts(content: bytes, document: ExtractedDocument, *, fiscal_year: int | None) -> tuple[ReadFact, ...]:
    """Return the facts of a file of inline XBRL in their order; none for any other file.

    Args: content: the file's bytes. document: what extraction made of them. fiscal_year: that the file is known to be
        about; its own statement on the cover counts first.
    """
    return read_inline(content, document, fiscal_year=fiscal_year).facts


def read_inline(content: bytes, document: ExtractedDocument, *, fiscal_year: int | None) -> InlineReading:
    """Return the facts of a file of inline XBRL, and how many had no certain place."""
    root = parse_inline(content) if document.media_type is MediaType.HTML else None
    if root is None:
        return _NOTHING
    file = read_file(root)
    elements = [each for each in root.iter(*file.fact_tags) if not is_hidden(each)]
    contexts = [context for each in elements if (context := file.context_of(each)) is not None]
    calendar = read_calendar(root, file.contexts, file.prefixes, contexts, fiscal_year)
    if calendar is None:
        return _NOTHING
    units = list(cut_units(read_units(root, file.fact_tags), Limits().logical_page_characters))
    placed = [(page, block) for page in document.pages for block in page.blocks]
    pairs = align([unit.text for unit in units], [block for _, block in placed])
    facts: list[tuple[int, ReadFact]] = []
    state = TableState()
    for unit, pair in zip(units, pairs, strict=True):
        state.enter(unit)
        if pair is not None and unit.marks:
            page, block = placed[pair]
            facts.extend((unit.table, fact) for fact in _facts_of(unit, page, block, file, calendar, state))
        state.leave(unit)
    readable = sum(file.figure_of(each, "".join(each.itertext())[:200], percent=False) is not None for each in elements)
    named = name_tables(units, document.pages, [(table, fact.page, _statement_of(fact)) for table, fact in facts])
    return InlineReading(
        facts=tuple(replace(fact, statement=named[table].value) if table in named else fact for table, fact in facts),
        unplaced=max(readable - len(facts), 0),
    )


def _statement_of(fact: ReadFact) -> Statement | None:
    concept = find_by_tag(fact.tag)
    return concept.statement if concept is not None else None


def _facts_of(
    unit: Unit, page: Page, block: Block, file: InlineFile, calendar: FiscalCalendar, state: TableState
) -> Sequence[ReadFact]:
    found: list[ReadFact] = []
    row = TextSpan(start=block.char_start, end=block.char_end)
    for mark, cell in place_cells(unit, block):
        figure = file.figure_of(mark.element, cell.shown, percent=cell.is_percent)
        if figure is None:
            continue
        over = state.headings_over(mark) if unit.kind is BlockKind.TABLE_ROW and cell.is_value else ()
        found.append(
            _make_fact(
                figure,
                calendar,
                page=page,
                row=row,
                cell=cell,
                column=" ".join(heading.text for heading in over)[:_LONGEST_COLUMN] or _name_of(cell, block),
                heading=find_heading(page, row, over) or _name_before(cell, row),
                group=state.group if unit.kind is BlockKind.TABLE_ROW else "",
            )
        )
    return found


def _name_of(cell: PlacedCell, block: Block) -> str:
    return block.text[slice(*cell.name)] if cell.is_value and cell.name is not None else ""


def _name_before(cell: PlacedCell, row: TextSpan) -> TextSpan | None:
    """Return where the row itself names the column, as "2024" in "2024: 1,577"; None if it does not."""
    if not cell.is_value or cell.name is None:
        return None
    start, end = cell.name
    return TextSpan(start=row.start + start, end=row.start + end)


def _make_fact(
    figure: Figure,
    calendar: FiscalCalendar,
    *,
    page: Page,
    row: TextSpan,
    cell: PlacedCell,
    column: str,
    heading: TextSpan | None,
    group: str,
) -> ReadFact:
    concept = find_by_tag(figure.tag)
    period = calendar.period_of(figure.context)
    return ReadFact(
        concept=concept.name if concept is not None else "",
        tag=figure.tag,
        label=cell.label or name_in_words(figure.tag).capitalize(),
        column=column,
        group=group,
        value=figure.value,
        printed=page.text[row.start + cell.start : row.start + cell.end],
        exponent=figure.exponent,
        decimals=figure.decimals,
        unit=figure.unit,
        currency=figure.currency,
        starts_on=figure.context.starts_on,
        ends_on=figure.context.ends_on,
        fiscal_year=period.fiscal_year,
        fiscal_quarter=period.fiscal_quarter,
        months=months_of(figure.context),
        statement="",
        dimension=figure.context.dimension,
        consolidated=figure.context.consolidated,
        restated=figure.context.restated,
        page=page.number,
        row=row,
        cell=TextSpan(start=row.start + cell.start, end=row.start + cell.end),
        heading=heading,
        how_read=HowRead.XBRL,
        confidence=_CONFIDENCE,
    )
