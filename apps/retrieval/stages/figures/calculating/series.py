"""Read the rows of the tables in the context as series: what a row and its columns are called, and a figure a year."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.bindings import years_of
from apps.filings.text.mentions import blank_mentions, mentions_of
from apps.filings.text.numbers import NumberUnit, currencies_in
from apps.filings.text.period_mentions import name_split_years_by_their_end
from apps.filings.vocabulary.concepts import concepts, find_by_name
from apps.retrieval.contracts import ContextBlock, Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.answerable import is_of_company
from apps.retrieval.stages.figures.calculating.form_words import GROUPS, MONEY_ASKED, PERCENT
from apps.retrieval.stages.figures.calculating.placing import cell_of, figures_of_asked_time
from apps.retrieval.stages.figures.calculating.qualifiers import qualifiers_in
from apps.retrieval.stages.figures.calculating.row_words import (
    is_part_of_cash_flows,
    is_period,
    is_title_of_a_statement,
    names_a_result,
)
from apps.retrieval.stages.figures.in_passages import Figure, read_rows
from apps.retrieval.stages.ranking.units import split_units, surroundings_of

_LONGEST_TITLE_CHARS: Final = 120
_LONGEST_HEADING_CHARS: Final = 80
# "Income (loss) from operations", "Operating profit/(loss)": the same line, whatever its sign.
_OR_THE_OPPOSITE: Final = re.compile(
    r"/?\s*\((?:loss(?:es)?|deficit|expenses?|benefits?|decrease|increase|outflow|verlust|fehlbetrag)\)", re.IGNORECASE
)
_WHOLE: Final = 100
_IN_BRACKETS: Final = re.compile(r"\([^()]*\)")
_CASH_FLOWS: Final = re.compile(r"cash\s?flow|kapitalflussrechnung", re.IGNORECASE)
_LETTER: Final = re.compile(r"[^\W\d_]{2}")
_NO_MEMBER: Final = re.compile(
    r"%|\b(?:notes?|anhang|chang\w*|ver\u00e4nderung\w*|variance|abweichung)\b", re.IGNORECASE
)
_FEWEST_MEMBERS: Final = 2
_PER_MEASURE: Final = re.compile(r"\b(?:per|a|je|pro)\s+(?:pound|lb)s?\b|\bcents?\b", re.IGNORECASE)
"""A pound is a weight where something is priced by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A row of a table, or that part of it whose columns differ only in the year.

    Where columns name segments and the table is of one year, each column of a row counts as a row under its label.

    label: what the row is called. own: the terms of its label. concepts: those whose name it is, with or without what
    stands in brackets: "Betriebsergebnis (EBIT)" names two.
    heading: the line above it that names what the rows under it have in common. heading_terms: those of that line and
    of the table's title.
    column: the terms of its columns, without years.
    title: what stands above its table. qualifiers: those of its label and column (qualifiers.py).
    above: the terms of the headings, caption and section above it. table: rows of one table have the same one.
    by_year: year -> figure. unit: of every figure.
    is_whole: whether its figures are facts of the whole group. False for a segment's, and where that is not known.
    """

    passage: Passage
    quote: Quote
    label: str
    own: frozenset[str]
    concepts: frozenset[str]
    column: frozenset[str]
    above: frozenset[str]
    table: tuple[str, int]
    heading: str
    heading_terms: frozenset[str]
    title: str
    qualifiers: frozenset[str]
    by_year: dict[int, Figure]
    unit: NumberUnit
    per_share: bool
    is_whole: bool = False

    @property
    def of_cash_flows(self) -> bool:
        """Whether it stands in a cash flow statement, where a line of the balance sheet is its change."""
        chunk = self.passage.chunk
        return _CASH_FLOWS.search("\n".join((chunk.section, self.title))) is not None

    @property
    def of_statement(self) -> bool:
        """Whether it is the row of a financial statement that comes nearest to a line asked for, and no note's."""
        return any(line.item and line.start == self.quote.start for line in self.passage.lines)

    @property
    def columns(self) -> tuple[object, ...]:
        """What rows share that stand in one table, under one heading, in the same columns."""
        return (self.table, self.heading, self.column, self.unit)

    @property
    def is_base_of_shares(self) -> bool:
        """Whether it is the row of 100 in a table that gives the others in per cent of it."""
        return len(self.by_year) > 1 and all(each.number.value == _WHOLE for each in self.by_year.values())

    @property
    def is_outflow(self) -> bool:
        """Whether its figures are negative throughout because it is a cost, and not because it is a loss."""
        title = "" if is_title_of_a_statement(self.title) else self.title
        heading = "" if is_part_of_cash_flows(self.heading) else self.heading
        named = f"{self.label}\n{title}\n{heading}"
        return all(each.number.negative for each in self.by_year.values()) and not names_a_result(named)


def read_series(context: ContextBlock, analysis: QueryAnalysis) -> tuple[Series, ...]:
    """Return the series of every table of the company asked about, in the order of the context.

    Their terms are those of the question's language: a question may be taken for English and name a German row.
    """
    passages = [passage for passage in context.passages if is_of_company(passage, analysis)]
    held = [
        series
        for passage in passages
        for series in _of_passage(passage, _beside(passage, passages), analysis)
        if not series.is_base_of_shares
    ]
    asked = _currencies_asked(analysis.text, held)
    in_money = MONEY_ASKED.search(analysis.text) is not None and PERCENT.search(analysis.text) is None
    return tuple(
        each for each in held if _may_be_in(asked, each) and not (in_money and each.unit is NumberUnit.PERCENT)
    )


def _currencies_asked(question: str, held: Sequence[Series]) -> frozenset[str]:
    """Return the currencies in which a question wants its figures: none that a row is called by, or a price is per."""
    text = _PER_MEASURE.sub(" ", question)
    for label in {each.label for each in held if currencies_in(each.label)}:
        text = blank_mentions(text, mentions_of(label, text))
    return currencies_in(text)


def _may_be_in(asked: frozenset[str], series: Series) -> bool:
    """Return whether the figures may be in a currency that the question names; nothing is converted."""
    stated = frozenset[str]().union(*(each.stated.currencies for each in series.by_year.values()))
    return not asked or not stated or series.unit is not NumberUnit.PLAIN or bool(asked & stated)


def _headings_of(title: str) -> list[str]:
    """Return the lines of what stands above a table that are headings, and no prose."""
    lines = (each.strip() for each in title.split("\n") if "|" not in each)
    return [
        each for each in lines if len(each) <= _LONGEST_HEADING_CHARS and "|" not in each and not each.endswith(".")
    ]


def _beside(passage: Passage, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Return the other passages of a document, the nearest first: a table may go on after its unit was stated."""
    own = passage.chunk
    others = [each.chunk for each in passages if each.chunk.document == own.document and each is not passage]
    return tuple(each.text for each in sorted(others, key=lambda other: abs(other.number - own.number)))


def _of_passage(passage: Passage, beside: Sequence[str], analysis: QueryAnalysis) -> Iterator[Series]:
    chunk, language = passage.chunk, analysis.language
    around = frozenset(terms(surroundings_of(chunk, split_units(chunk.text)), language))
    table, ends, title = 0, 0, ""
    for piece, figures in read_rows(passage, beside):
        # Rows that follow each other without a line between them are of one table; what stands between is its title.
        if between := chunk.text[ends : piece.start].strip():
            table, title = piece.start, between[-_LONGEST_TITLE_CHARS:]
        ends = piece.end
        over = _headings_of(title)
        wanted = figures_of_asked_time(figures, piece, passage, over, analysis)
        for group in _by_column(wanted, language):
            yield _series(passage, piece, group, around, (passage.ref_id, table), title, language)
        if members := _members(wanted):
            year = _year_above((*over[::-1], chunk.section))
            if year is None:
                continue
            for member in members:
                yield _member_series(passage, piece, member, around, (passage.ref_id, table), title, year, language)


def _by_column(figures: Iterable[Figure], language: str) -> Iterator[list[tuple[Figure, frozenset[str]]]]:
    """Yield the figures of one row whose columns are called the same but for the year."""
    groups: dict[tuple[frozenset[str], NumberUnit], list[tuple[Figure, frozenset[str]]]] = {}
    for figure in figures:
        if len(figure.years) != 1:
            continue
        column = frozenset(term for term in terms(figure.column, language) if not is_period(term))
        groups.setdefault((column, figure.number.unit), []).append((figure, column))
    yield from groups.values()


def _year_above(headings: Iterable[str]) -> int | None:
    """Return the one year that the nearest heading with a year names; None if it names several, or none does."""
    for heading in headings:
        if years := years_of(name_split_years_by_their_end(heading)):
            return next(iter(years)) if len(years) == 1 else None
    return None


def _members(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures of a row whose columns are called like rows elsewhere: "Copper | Iron ore | Gold"."""
    named = [
        each
        for each in figures
        if not each.years and _LETTER.search(each.column) and not _NO_MEMBER.search(each.column)
    ]
    return named if len({each.column for each in named}) >= _FEWEST_MEMBERS else []


def _concepts_of(label: str) -> frozenset[str]:
    names = (label, _IN_BRACKETS.sub(" ", label), *_IN_BRACKETS.findall(label))
    return frozenset(found.name for name in names if (found := find_by_name(name)) is not None)


def _member_series(
    passage: Passage,
    piece: Quote,
    figure: Figure,
    around: frozenset[str],
    table: tuple[str, int],
    title: str,
    year: int,
    language: str,
) -> Series:
    """Return a cell of a table of one year as a row would give it that is called like its column."""
    row = figure.label_text
    named = terms(GROUPS.sub(" ", figure.column), language) or terms(figure.column, language)
    return Series(
        passage=passage,
        quote=piece,
        label=figure.column,
        own=frozenset(term for term in named if not term[0].isdigit()),
        concepts=_concepts_of(figure.column),
        column=frozenset(terms(row, language)),
        above=around,
        table=table,
        heading=row,
        heading_terms=frozenset(terms(f"{title} {row}", language)),
        title=title,
        qualifiers=qualifiers_in(f"{row}\n{figure.column}"),
        by_year={year: figure},
        unit=figure.number.unit,
        per_share=figure.per_share,
    )


def _series(
    passage: Passage,
    piece: Quote,
    group: list[tuple[Figure, frozenset[str]]],
    around: frozenset[str],
    table: tuple[str, int],
    title: str,
    language: str,
) -> Series:
    first, column = group[0]
    by_year: dict[int, Figure] = {}
    for figure, _ in group:
        (year,) = figure.years
        by_year.setdefault(year, figure)
    heading = frozenset(terms(f"{title} {first.heading}", language))
    # "Nordic countries" is asked for as "the Nordic region".
    label = _OR_THE_OPPOSITE.sub(" ", first.label_text)
    named = terms(GROUPS.sub(" ", label), language) or terms(label, language)
    cells = [cell_of(each, piece, passage) for each in by_year.values()]
    # A concept may have had another name when the document was taken in.
    of_facts = frozenset(each.concept for each in cells if each and each.concept in concepts())
    return Series(
        passage=passage,
        quote=piece,
        label=first.label_text,
        own=frozenset(term for term in named if not term[0].isdigit()),
        concepts=_concepts_of(first.label_text) | of_facts,
        column=column,
        above=around,
        table=table,
        heading=first.heading,
        heading_terms=heading,
        title=title,
        qualifiers=qualifiers_in(f"{first.label_text}\n{first.column}"),
        by_year=by_year,
        unit=first.number.unit,
        per_share=first.per_share,
        is_whole=all(each is not None and not each.dimension for each in cells),
    )
