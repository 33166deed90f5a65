"""The figures of a passage with their row label, column, scale and currency. Claims are checked against them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.columns import columns_above, heading_in_table, years_in_headings
from apps.filings.text.numbers import (
    Number,
    NumberUnit,
    currencies_in,
    find_stated_scale,
    read_numbers,
    units_in,
)
from apps.retrieval.contracts import Passage, Quote
from apps.retrieval.stages.figures.number_matching import Stated
from apps.retrieval.stages.figures.periods import claimed_years
from apps.retrieval.stages.ranking.quotable import quotable_pieces
from apps.retrieval.stages.ranking.units import split_units

YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d{2}(?![\d%]|[.,]\d)")
PER_SHARE: Final = re.compile(
    r"\bper\s+(?:\w+\s+){0,2}?(?:share|unit)\b|\bEPS\b|\bje\s+(?:Aktie|Anteil)\b|\bcps\b", re.IGNORECASE
)
_PER_UNIT: Final = re.compile(
    r"\b(?:per|pro|je)\s+(?:day|night|month|tonne?|ton|barrel|ounce|mwh|kwh|litre|liter|vessel|customer|employee|tag|kunde|stunde)\b",
    re.IGNORECASE,
)
# "In millions, except per share data" says that the other rows are not per share.
_EXCEPT: Final = re.compile(r"\b(?:except|excluding|ausgenommen|au\u00dfer)\b[^)\n]*", re.IGNORECASE)
_CELL: Final = re.compile(r"\|\s*([^|:\n]{1,80}):\s*([^|\n]*)")
_ENTRY: Final = re.compile(r"\W*([^\W\d_][^:\n.;]{1,60}):\s*(?=[^\w\s]*\d|[A-Z]{3}\s?\d)")
_FURTHEST_HEADING_LINES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number of a passage.

    piece: the sentence or row in which it stands; `at` is where that begins in the chunk.
    label: terms of the row's label, empty in prose. column: the heading of its cell; empty if it has none.
    years: the years of its column, or those that its sentence gives it; empty if the passage does not say.
    per_share: whether its row or heading says that it is per share.
    """

    number: Number
    ref_id: str
    piece: str
    at: int
    label: frozenset[str]
    label_text: str
    heading: str
    column: str
    years: frozenset[int]
    stated: Stated
    per_share: bool

    @property
    def is_cell(self) -> bool:
        return bool(self.label_text)


def read_figures(passage: Passage, *, asked_exponent: int | None, page: Sequence[str] = ()) -> tuple[Figure, ...]:
    """Return all figures that a passage shows, in order.

    Args: page: what else its page and document show, the nearest first. Captions there count if the passage itself
        states no scale or currency.
    """
    rows = {(unit.start, unit.end): unit.is_row for unit in split_units(passage.chunk.text)}
    said = _Said(passage, page)
    return tuple(
        figure
        for piece in quotable_pieces(passage)
        for figure in _read_piece_figures(
            passage, piece, rows.get((piece.start, piece.end), False), asked_exponent, said
        )
    )


def read_piece(passage: Passage, piece: Quote) -> tuple[Figure, ...] | None:
    """Return the figures of one row of a table; None if the piece is prose."""
    is_row = any(unit.is_row and unit.start == piece.start for unit in split_units(passage.chunk.text))
    return tuple(_read_piece_figures(passage, piece, True, None, _Said(passage, ()))) if is_row else None


def read_rows(passage: Passage, page: Sequence[str] = ()) -> Iterator[tuple[Quote, tuple[Figure, ...]]]:
    """Yield the rows of a passage's tables with their figures, in order.

    Args: page: as in read_figures.
    """
    rows = {unit.start for unit in split_units(passage.chunk.text) if unit.is_row}
    said = _Said(passage, page)
    for piece in quotable_pieces(passage):
        if piece.start in rows:
            yield piece, tuple(_read_piece_figures(passage, piece, True, None, said))


class _Said:
    """What a passage says of its figures elsewhere than beside them: above a row, on its page, in its headings."""

    def __init__(self, passage: Passage, page: Sequence[str]) -> None:
        chunk = passage.chunk
        self._lines: list[tuple[int, int | None, frozenset[str]]] = []
        position = 0
        for line in chunk.text.split("\n"):
            scale, currencies = find_stated_scale(line), currencies_in(line)
            if scale is not None or currencies:
                self._lines.append((position, scale, currencies))
            position += len(line) + 1
        around = (f"{chunk.context_header}\n{chunk.section}", *page)
        self._scale = next((found for text in around if (found := find_stated_scale(text)) is not None), None)
        self._currencies = next((named for text in around if (named := currencies_in(text))), frozenset())

    def scale(self, position: int) -> int | None:
        """Return the scale that the nearest line above states, or else any line of the passage, or its page."""
        told = [(at, scale) for at, scale, _ in self._lines if scale is not None]
        above = [scale for at, scale in told if at < position]
        return next(iter((*reversed(above), *(scale for _, scale in told))), self._scale)

    def currencies(self, position: int) -> frozenset[str]:
        """Return the currencies that the nearest line above names, or else any line of the passage, or its page."""
        told = [(at, named) for at, _, named in self._lines if named]
        above = [named for at, named in told if at < position]
        return next(iter((*reversed(above), *(named for _, named in told))), self._currencies)


def _read_piece_figures(
    passage: Passage, piece: Quote, is_row: bool, asked_exponent: int | None, said: _Said
) -> Iterator[Figure]:
    chunk = passage.chunk
    numbers = read_numbers(piece.text, chunk.language)
    if not is_row:
        # Brackets in prose are no sign: "net debt (20%)".
        numbers = tuple(replace(each, negative=False) if each.text.startswith("(") else each for each in numbers)
    if not numbers:
        return
    headings = columns_above(chunk.text, piece.start) if is_row else ()
    heading = (heading_in_table(chunk.text, piece.start) or heading_above(chunk.text, piece.start)) if is_row else ""
    label = _label(piece.text, numbers) if is_row else ""
    # A caption tells the scale of most rows, and that some are per share: "in EUR million, earnings per share in EUR".
    above = "" if find_stated_scale(heading) is not None else _EXCEPT.sub("", heading)
    per_share = PER_SHARE.search(f"{label or piece.text}\n{above}") is not None
    corner = headings[0] if headings else ""
    beside = "\n".join((piece.text, piece.columns, corner, heading))
    exponent = None
    if is_row and not per_share and not _PER_UNIT.search(f"{label}\n{corner}"):
        exponent = find_stated_scale(beside)
        exponent = said.scale(piece.start) if exponent is None else exponent
    stated = Stated(
        exponent=exponent,
        currencies=currencies_in(beside) or said.currencies(piece.start),
        units=units_in(beside) if is_row else frozenset(),
        asked_exponent=asked_exponent,
    )
    columns = [_column(piece, numbers, index, headings) if is_row else "" for index in range(len(numbers))]
    years = years_in_headings(columns, chunk.document.fiscal_year)
    for number, column, of_column in zip(numbers, columns, years, strict=True):
        offset, called, text = (0, label, piece.text) if is_row else _entry_of(piece.text, number)
        yield Figure(
            number=number,
            ref_id=passage.ref_id,
            piece=text,
            at=piece.start + offset,
            label=frozenset(term for term in terms(called, chunk.language) if not term[0].isdigit()),
            label_text=called,
            heading=heading,
            column=column,
            years=of_column if is_row else _years_in_prose(passage, text, number),
            stated=stated if number.unit is NumberUnit.PLAIN else _drop_scale(stated),
            per_share=per_share,
        )


def _years_in_prose(passage: Passage, text: str, number: Number) -> frozenset[int]:
    own = passage.chunk.document.fiscal_year
    numbers = read_numbers(text, passage.chunk.language)
    same = next((each for each in numbers if each.text == number.text), None)
    if same is None:
        return frozenset()
    told = claimed_years(text, numbers, same, frozenset() if own is None else frozenset({own}))
    # In an entry that gives the year before in brackets, the other figure is of the year of the report.
    entry = _ENTRY.match(text) is not None
    return told or (frozenset({own}) if entry and own is not None else frozenset())


def _drop_scale(stated: Stated) -> Stated:
    return Stated(currencies=stated.currencies, units=stated.units, asked_exponent=stated.asked_exponent)


def _column(piece: Quote, numbers: tuple[Number, ...], index: int, above: tuple[str, ...]) -> str:
    """Return the heading of a number's column: the name in its cell, or the year in its place above the row."""
    number = numbers[index]
    for cell in _CELL.finditer(piece.text):
        if cell.start(2) <= number.end and number.start < cell.end(2):
            return cell[1].strip()
    if "|" in piece.text and _CELL.search(piece.text):
        return ""
    at = piece.text[: number.end].count("|")
    if 0 < at < len(above) and above[at]:
        return above[at]
    headings, cells = piece.columns.split("|"), piece.text.split("|")
    if len(headings) == len(cells) > 1:
        return str(headings[at]).strip()
    columns = YEAR.findall(piece.columns)
    label_end = _label_end(piece.text, numbers)
    figures = [each for each in numbers if each.start >= label_end]
    if columns and len(columns) == len(figures) and number in figures:
        return str(columns[figures.index(number)])
    return ""


def _label(row: str, numbers: tuple[Number, ...]) -> str:
    return row[: _label_end(row, numbers)].strip(" |:$€£(-")


def _entry_of(text: str, number: Number) -> tuple[int, str, str]:
    """Return the entry of a list in which a figure stands: where it begins, its label, and its text; else the text.

    "- Net debt: 714.8 million (2023: 826.1 million)" calls its figures as a row of a table does.
    """
    start = text.rfind("\n", 0, number.start) + 1
    end = text.find("\n", number.end)
    line = text[start : end if end >= 0 else len(text)]
    entry = _ENTRY.match(line)
    if entry is None or number.start < start + entry.end() - 1:
        return 0, "", text
    return start, entry[1].strip(), line


def _label_end(row: str, numbers: tuple[Number, ...]) -> int:
    """Return where a row's label ends: at the first cell border after a word, or else at the first number after one."""
    border = row.find("|", 1)
    if border > 0 and re.search(r"[^\W\d_]", row[:border]):
        return border
    words = re.search(r"[^\W\d_]{2,}", row)
    if words is None:
        return 0
    return next((number.start for number in numbers if number.start >= words.end()), len(row))


def heading_above(text: str, position: int) -> str:
    """Return the nearest line above a row that holds words and no figure, such as "Earnings per share:"; else ""."""
    lines = text[:position].rstrip("\n").split("\n")
    for line in reversed(lines[-_FURTHEST_HEADING_LINES:]):
        if line.strip() and not re.search(r"\d", line):
            return line if line.rstrip().endswith(":") or len(line) <= 60 else ""
    return ""
