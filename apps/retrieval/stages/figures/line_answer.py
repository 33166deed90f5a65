"""Answer with the rows of statements that were asked for, each from the document with the most of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.mentions import word_set
from apps.retrieval.contracts import ContextBlock, DocumentId, FoundLine, Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.answerable import asks_for_a_figure, is_of_period
from apps.retrieval.stages.figures.in_passages import Figure, read_piece
from apps.retrieval.stages.figures.line_items import PARTS, find_asked_items
from apps.retrieval.stages.figures.lines import row_label
from apps.retrieval.stages.ranking.quotable import quotable_pieces

# Words beside a figure's name that do not make it another figure. Any other word must stand in the row.
_PLAIN_WORDS: Final = word_set(
    "ratio margin profile business positive negative healthy improving fixed amount value level position percent less "
    "plus minus year end based data annual total net reported"
)
_ONE_OF_SEVERAL: Final = re.compile(
    r"\b(?:which|whose|segments?|regions?|geograph\w+|categor\w+|products?|by\s+type|welche[rsn]?|segmente?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """A row that is quoted for a line.

    item: the line's name. passage: where the row stands. figures: what the row gives.
    """

    item: str
    quote: Quote
    passage: Passage
    figures: tuple[Figure, ...]

    @property
    def document_id(self) -> DocumentId:
        return self.passage.chunk.document.document_id

    @property
    def years(self) -> frozenset[int]:
        return frozenset(year for figure in self.figures for year in figure.years)


def line_rows(analysis: QueryAnalysis, context: ContextBlock) -> tuple[LineRow, ...]:
    """Return the rows that answer a question for a figure of a statement, or for a measure calculated from figures.

    Lines do not answer a question that asks for one of several (the segment with the highest revenue), for a figure of
    another sort (adjusted, organic), for a name that no statement has, or whether something is so.

    Returns: for each line the row of each period, in the order of the question; empty if no row is of a line asked for.
    """
    if not _is_for_lines(analysis):
        return ()
    rows = [row for passage in context.passages for row in _rows(passage, analysis)]
    if not rows or not _names_them(analysis, rows):
        return ()
    chosen: list[LineRow] = []
    for item in find_asked_items(analysis):
        chosen.extend(
            _pick_for_each_period([row for row in _order_by_document(rows) if row.item == item.name], analysis)
        )
    return tuple(chosen)


def names_a_measure(quote: Quote, analysis: QueryAnalysis) -> bool:
    """Return whether a piece names a measure asked for: the document then gives its own figure of it."""
    held = frozenset(terms(f"{quote.text} {quote.columns}", analysis.language))
    return any(
        held.issuperset(terms(each.trigger, analysis.language)) for each in analysis.expansions if each.label in PARTS
    )


def _is_for_lines(analysis: QueryAnalysis) -> bool:
    if analysis.names or _ONE_OF_SEVERAL.search(analysis.text):
        return False
    is_measure = any(each.label in PARTS for each in analysis.expansions)
    return is_measure or asks_for_a_figure(analysis)


def _rows(passage: Passage, analysis: QueryAnalysis) -> Iterator[LineRow]:
    by_start: dict[int, FoundLine] = {line.start: line for line in passage.lines if line.item}
    for piece in quotable_pieces(passage):
        line = by_start.get(piece.start)
        if line is None:
            continue
        figures = read_piece(passage, piece)
        if figures and is_of_period(piece, passage, analysis):
            yield LineRow(item=line.item, quote=piece, passage=passage, figures=figures)


def _names_them(analysis: QueryAnalysis, rows: Sequence[LineRow]) -> bool:
    """Return whether every word beside the figures' names is a plain word or stands in a row's label."""
    plain = {term for word in _PLAIN_WORDS for term in terms(word, analysis.language)}
    held = {term for row in rows for term in terms(row_label(row.quote.text), analysis.language)}
    return all(term in plain | held for figure in analysis.figures for term in figure.terms)


def _order_by_document(rows: Sequence[LineRow]) -> list[LineRow]:
    """Return the rows of the document with the most lines first, so that related figures come from one document."""
    lines: dict[DocumentId, set[str]] = {}
    for row in rows:
        lines.setdefault(row.document_id, set()).add(row.item)
    return sorted(rows, key=lambda row: -len(lines[row.document_id]))


def _pick_for_each_period(rows: Sequence[LineRow], analysis: QueryAnalysis) -> Iterator[LineRow]:
    wanted = {period.fiscal_year for period in analysis.periods}
    if not wanted:
        yield from rows[:1]
        return
    for row in rows:
        if wanted & row.years or not row.years:
            yield row
            wanted -= row.years
            if not wanted or not row.years:
                return
