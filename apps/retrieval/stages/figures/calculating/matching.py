"""Find the series that a part of a question names, by the terms of its row, its columns and what stands above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.numbers import NumberUnit
from apps.filings.vocabulary.concepts import Period, find_in_text
from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_names import Wanted, asked_names, plain_terms
from apps.retrieval.stages.figures.calculating.qualifiers import qualifiers_in
from apps.retrieval.stages.figures.calculating.row_words import is_total
from apps.retrieval.stages.figures.calculating.series import Series

NAMED_SHARE: Final = 0.75
NAMED_SHARE_OF_A_WHOLE_LABEL: Final = 0.7
"""Of the weight of what is asked for, a series must hold this share; the second, if its whole label is named."""
LABEL_SHARE: Final = 0.6
"""Of the terms of a row's label, the question must name at least this share."""
_IN_HEADING: Final = 0.9
_ABOVE: Final = 0.8
"""What stands right above a row, or further up, and not in it, counts this much: "Revenue" above "Cranes"."""
_FEWEST_LEADING: Final = 2
_UNIT_IN_BRACKETS: Final = re.compile(r"\([^()]*\)$")
"""The unit of a row at the end of its label: "Leakage (megalitres a day)"."""
# Plain words that part one line of a statement from another: current assets are not all assets.
_PARTING: Final = frozenset({"current", "period", "half", "quarter", "chang"})
_KINDS_OF_AMOUNT: Final = frozenset({"net", "gross", "total"})
# Stop words of the search that make another line, and lines that are themselves changes.
_ANOTHER_LINE: Final = re.compile(
    r"\b(?:other|non|sonstige\w*|\u00fcbrige\w*|(?:change|increase|decrease|movement)s?\s+(?:in|of)|ver\u00e4nderung(?:en)?\s+(?:de[rs]|von))\b",
    re.IGNORECASE,
)
_IS_A_CHANGE: Final = re.compile(r"\W*(?:net\s+)?(?:change|increase|decrease|movement|ver\u00e4nderung)", re.IGNORECASE)
# What follows says of what a figure is: "capital expenditure on aircraft and other fixed assets".
_OF_WHAT: Final = re.compile(r"(?<=\w)\s(?:on|of|for|to|from|f\u00fcr|von|aus)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A series that a question names.

    named: the share of the question's words that it holds. label: the share of its own label that the question names.
    word_for_word: the same, with the plain words of the label. parted: how many of the words net, gross and total both
    have. same_concept: whether its whole label names a concept that the question names. foreign: how many words of its
    columns the question does not name.
    """

    series: Series
    named: float
    label: float
    word_for_word: float
    parted: int = 0
    same_concept: bool = False
    foreign: int = 0

    @property
    def score(self) -> tuple[float, bool, float, float, int, bool]:
        return (
            round(self.named, 3),
            self.same_concept,
            round(self.label, 3),
            round(self.word_for_word, 3),
            self.parted,
            # Beside an amount, a share of another row is the lesser known figure of the same name.
            self.series.unit is not NumberUnit.PERCENT,
        )

    @property
    def is_near(self) -> bool:
        if self.same_concept:
            return self.named >= NAMED_SHARE_OF_A_WHOLE_LABEL
        least = NAMED_SHARE_OF_A_WHOLE_LABEL if self.label == 1.0 else NAMED_SHARE
        return self.named >= least and self.label >= LABEL_SHARE


def find_series(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> list[Match]:
    """Return the series that a part of the question names, best first; empty if it names none well enough."""
    wanted = asked_names(part, analysis, among)
    if not wanted:
        return []
    said = _others_in(part)
    asked = qualifiers_in(part)
    of_the_line = [
        each for each in among if said.issuperset(_others_in(_head_of(each.label))) and _is_qualified(each, asked)
    ]
    words = frozenset(terms(part, analysis.language))
    named = [each.concept for each in find_in_text(part)]
    concepts = {each.name for each in named}
    balances = {each.name for each in named if each.period is Period.INSTANT and "cash" not in each.name}
    of_the_line = [each for each in of_the_line if not each.of_cash_flows or balances.isdisjoint(each.concepts)]
    found = [
        replace(match_of(each, wanted, words, analysis.language), same_concept=not concepts.isdisjoint(each.concepts))
        for each in of_the_line
        if not (concepts and each.concepts and concepts.isdisjoint(each.concepts)) or _is_headed(each, wanted)
    ]
    return sorted((each for each in found if each.is_near), key=lambda each: each.score, reverse=True)


def _is_headed(series: Series, wanted: Wanted) -> bool:
    """Return whether the line above a row calls it what is asked for, so that its own name is that of a part."""
    near = series.own | series.column | series.heading_terms
    return any(each <= near for names, weight in wanted if weight > 1 for each in names)


def _head_of(label: str) -> str:
    """Return a label up to the words that say of what its figure is; whole, if it is a change in or of something."""
    of_what = _OF_WHAT.search(label)
    return label[: of_what.start()] if of_what and not _IS_A_CHANGE.match(label) else label


def _is_qualified(series: Series, asked: frozenset[str]) -> bool:
    """Return whether a row is qualified as is asked: it is neither adjusted without that word, nor the other way."""
    own = series.qualifiers
    return own <= asked <= own | qualifiers_in(f"{series.title}\n{series.heading}")


def match_of(series: Series, wanted: Wanted, words: frozenset[str], language: str) -> Match:
    """Return how well a series is called what is asked for."""
    row = series.own | series.column
    near = row | series.heading_terms
    around = near | series.above
    held, explained = 0.0, frozenset[str]()
    called = [frozenset(terms(name, language)) for name in series.concepts]
    for names, weight in wanted:
        if any(each in names for each in called):
            # The row is known to be this line of a statement, whatever its label says.
            held += weight
            explained |= series.own
            continue
        in_row = [each for each in names if each <= row]
        if in_row:
            held += weight
            explained = explained.union(*in_row)
        elif any(each <= near for each in names):
            held += weight * _IN_HEADING
        elif any(each <= around for each in names):
            held += weight * _ABOVE
    company = frozenset(terms(series.passage.chunk.document.company, language))
    own = series.own - (plain_terms(language) - _PARTING) - company or series.own
    if in_brackets := frozenset(terms(" ".join(_UNIT_IN_BRACKETS.findall(series.label)), language)):
        own = own - in_brackets or own
    if _goes_on(series.label, wanted, language):
        own &= explained | words
    total = sum(weight for _, weight in wanted)
    return Match(
        series=series,
        named=held / total,
        label=len(own & (explained | words)) / len(own) if own else 0.0,
        word_for_word=len(series.own & (explained | words)) / len(series.own) if series.own else 0.0,
        parted=len(series.own & words & _KINDS_OF_AMOUNT),
        foreign=len(series.column - explained - words),
    )


def _goes_on(label: str, wanted: Wanted, language: str) -> bool:
    """Return whether a label begins with all that is asked for: "net expense from reinsurance contracts held"."""
    asked = frozenset[str]().union(*(name for names, _ in wanted for name in names))
    lead = [term for term in terms(label, language) if term not in plain_terms(language)]
    return len(wanted) >= _FEWEST_LEADING and asked == frozenset(lead[: len(asked)])


def find_named_rows(part: str, series: Sequence[Series], analysis: QueryAnalysis) -> list[Series]:
    """Return rows of one table whose whole labels a text names, if they are called by all that it names.

    Of several tables that hold them, it is the one with the most, or else the first.
    """
    words = frozenset(terms(part, analysis.language))
    plain = plain_terms(analysis.language)
    asked = {found.concept.name for found in find_in_text(part)}
    tables: dict[tuple[object, ...], dict[str, Series]] = {}
    for each in series:
        own = each.own - plain
        if not is_total(each.label) and ((own and own <= words) or not asked.isdisjoint(each.concepts)):
            tables.setdefault(each.columns, {}).setdefault(each.label, each)
    most = max(map(len, tables.values()), default=0)
    rows = list(next((table for table in tables.values() if len(table) == most), {}).values())
    if not rows:
        return []
    held = frozenset[str]().union(*(each.own | each.column | each.heading_terms | each.above for each in rows))
    named = asked_names(part, analysis, series)
    return rows if all(any(name <= held for name in names) for names, _ in named) else []


def find_tables(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> list[list[Series]]:
    """Return the tables, or those of their columns, whose headings name what a part of the question asks for.

    The rows of a table have names of their own, so what stands above them must be called so.
    """
    wanted = asked_names(part, analysis, among) or asked_names(part, analysis, among, groups=True)
    tables: dict[tuple[object, ...], list[Series]] = {}
    for each in among:
        tables.setdefault(each.columns, []).append(each)
    near = [
        each
        for each in tables.values()
        if len(each) > 1 and _is_table_called(each, wanted) and _table_share(each, wanted) >= NAMED_SHARE
    ]
    # Of several tables that give the figure, the one whose rows are called of the sort that is asked for.
    grouped = asked_names(part, analysis, among, groups=True)
    shares = [_table_share(each, grouped) for each in near]
    best = [table[0] for table, share in zip(near, shares, strict=True) if share == max(shares)]
    words = frozenset(terms(part, analysis.language))
    named = [each for each in best if words.issuperset(terms(each.heading, analysis.language))]
    # Rows under several headings of one passage: each is a part of what is asked for, unless one heading is named.
    if not named and any(each.table[0] == best[0].table[0] and each.heading != best[0].heading for each in best):
        return []
    said = _others_in(part)
    held = [each for each in near if _others_in(each[0].heading) <= said]
    return sorted(held, key=lambda table: -_table_share(table, grouped))


def _others_in(text: str) -> frozenset[str]:
    return frozenset(each.lower() for each in _ANOTHER_LINE.findall(text))


def names_table(part: str, row: Series, analysis: QueryAnalysis, among: Sequence[Series]) -> bool:
    """Return whether a part of the question names no more than what stands above a row."""
    wanted = asked_names(part, analysis, among)
    return not wanted or _table_share([row], wanted) >= NAMED_SHARE


def _is_table_called(rows: Sequence[Series], wanted: Wanted) -> bool:
    """Return whether a heading, a column or a total of a table has one of the names, and not only its page."""
    near = rows[0].heading_terms | rows[0].column
    near = near.union(*(each.own for each in rows if is_total(each.label)))
    return not wanted or any(each <= near for names, _ in wanted for each in names)


def _table_share(rows: Sequence[Series], wanted: Wanted) -> float:
    # "Total turnover by type of housing" names the table of which it is the total.
    totals = (each.own for each in rows if is_total(each.label))
    near = (rows[0].heading_terms | rows[0].column).union(*totals)
    around = near | rows[0].above
    total = sum(weight for _, weight in wanted) or 1.0
    held = sum(
        weight * (1.0 if any(each <= near for each in names) else _ABOVE)
        for names, weight in wanted
        if any(each <= around for each in names)
    )
    return held / total
