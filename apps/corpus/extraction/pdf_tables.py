"""Write the tables of a PDF page: each row with its label and the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence

from apps.corpus.extraction.cells import Cell, Column, find_columns
from apps.corpus.extraction.contracts import BlockKind
from apps.corpus.extraction.numerals import is_amount, is_period, is_unit, unit_in
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.pdf_cells import TableLine
from apps.corpus.extraction.pdf_regions import Frame, Table, header_rows
from apps.corpus.extraction.table_headers import Header, name_columns
from apps.corpus.extraction.tables import context_of, header_drafts, render_row


class TableWriter:
    """Writes the tables of one page; a table cut in two by a line of prose goes on with the names it had."""

    def __init__(self) -> None:
        self._columns: list[Column] = []
        self._frame: Frame | None = None
        self._header = Header((), "")
        self._context = ""
        self._caption_unit = ""

    def write(self, lines: Sequence[TableLine], table: Table, *, caption: str) -> list[BlockDraft]:
        """The header lines and rows of a table as drafts. `caption` is the text above it, which may name the unit."""
        self._caption_unit = unit_in(caption)
        rows = lines[table.first_row : table.end]
        data = [row for row in rows if row.data]
        columns = find_columns([row.cells for row in data], amounts_only=True)
        headings = header_rows(lines[table.start : table.first_row])
        drafts: list[BlockDraft] = []
        fits = self._fits(columns)
        self._columns = columns
        self._frame = Frame(data, columns) if columns else None
        if headings or not fits:
            self._name(headings, self._frame)
            drafts = header_drafts(headings, context=self._context)
        drafts.extend(self._rows(rows))
        return drafts

    def _name(self, headings: list[list[Cell]], frame: Frame | None) -> None:
        edge = frame.edge if frame else 0.0
        over = [[cell for cell in row if cell.x0 >= edge and not is_unit(cell.text)] for row in headings]
        units = [cell.text for row in headings for cell in row if is_unit(cell.text) and unit_in(cell.text)]
        self._header = name_columns([row for row in over if row], self._columns)
        self._context = context_of(self._header.shared, *(units or [self._caption_unit]))

    def _fits(self, columns: Sequence[Column]) -> bool:
        """Do the columns stand where those of the table before stood?"""
        return len(columns) == len(self._columns) and all(
            mine.x0 < other.x1 and other.x0 < mine.x1 for mine, other in zip(columns, self._columns, strict=True)
        )

    def _rows(self, rows: Sequence[TableLine]) -> list[BlockDraft]:
        drafts: list[BlockDraft] = []
        waiting: list[TableLine] = []  # words that may begin the label of the next row
        position = 0
        while position < len(rows):
            row = rows[position]
            if row.data:
                drafts.extend(self._row(waiting, row))
                waiting = []
            elif _is_period_row(row) and not waiting:
                ends = position + 1
                while ends < len(rows) and not rows[ends].data and rows[ends].heading:
                    ends += 1
                headings = header_rows(rows[position:ends])
                self._name(headings, self._frame)
                drafts.extend(header_drafts(headings, context=self._context))
                position = ends
                continue
            elif not waiting and drafts and drafts[-1].kind is BlockKind.TABLE_ROW and _goes_on(rows, position):
                drafts[-1] = _with_longer_label(drafts[-1], row.line.text)
            else:
                waiting.append(row)
            position += 1
        drafts.extend(self._groups(waiting))
        return drafts

    def _row(self, waiting: Sequence[TableLine], row: TableLine) -> list[BlockDraft]:
        groups = self._groups(waiting)
        cells = row.cells
        text = render_row(cells, self._columns, self._header)
        if groups and waiting and _is_wrapped(waiting[-1], row, self._columns):
            text = f"{groups.pop().text} {text}"
        return [*groups, BlockDraft(BlockKind.TABLE_ROW, text, context=self._context)]

    def _groups(self, waiting: Sequence[TableLine]) -> list[BlockDraft]:
        """Lines of words inside a table, a wrapped one joined to where it began."""
        texts: list[str] = []
        for row in waiting:
            text = row.line.text
            if texts and text[:1].islower():
                texts[-1] = f"{texts[-1]} {text}"
            else:
                texts.append(text)
        return [BlockDraft(BlockKind.TABLE_GROUP, text, context=self._context) for text in texts]


def _is_period_row(row: TableLine) -> bool:
    return any(is_period(cell.text) for cell in row.cells[1:]) or (len(row.cells) == 1 and is_period(row.cells[0].text))


def _goes_on(rows: Sequence[TableLine], position: int) -> bool:
    """Does a line of words in small letters end the label of the row before rather than begin the next?"""
    text = rows[position].line.text
    if not text[:1].islower() or len(rows[position].cells) > 1:
        return False
    following = rows[position + 1].line.text if position + 1 < len(rows) else ""
    return not following[:1].islower()


def _with_longer_label(draft: BlockDraft, more: str) -> BlockDraft:
    label, separator, values = draft.text.partition(" | ")
    return BlockDraft(draft.kind, f"{label} {more}{separator}{values}", context=draft.context)


def _is_wrapped(before: TableLine, row: TableLine, columns: Sequence[Column]) -> bool:
    """Is the line of words before a row the first part of its label?"""
    if before.line.text.endswith(":") or len(before.cells) > 1:
        return False
    if is_amount(row.cells[0].text) and not is_period(row.cells[0].text):
        return False
    label = row.cells[0].text
    if label[:1].islower() or before.line.text.endswith((",", " and", " of", " the", " or", "—", "-")):
        return True
    edge = columns[0].x0 if columns else row.line.x1
    return before.line.x1 - before.line.x0 > 0.85 * (edge - before.line.x0) and not before.line.bold
