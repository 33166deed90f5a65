"""Find the series that a part of a question names, by the terms of its row, its columns and what stands above them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Concept, QueryAnalysis
from apps.retrieval.stages.figures.calculating.form_words import NAMES_NO_FIGURE
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.line_items import ITEMS
from apps.retrieval.stages.figures.measures import MEASURES

NAMED_SHARE: Final = 0.75
"""Of the weight of what is asked for, a series must be called at least this share."""
LABEL_SHARE: Final = 0.5
"""Of the terms of a row's label, the question must name at least this share."""
_IN_HEADING: Final = 0.9
_ABOVE: Final = 0.8
"""What stands right above a row, or further up, and not in it, counts this much: "Revenue" above "Cranes"."""
_PIECE: Final = re.compile(r"(?<=[.?!:;])\s+|\s[\u2013\u2014-]\s")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Plain words that part one line of a statement from another: current assets are not all assets.
_PARTING: Final = frozenset({"current", "period", "half", "quarter"})
# What stands beside a figure's name in a question, and in a label, without making it another figure.
_PLAIN: Final = """
    total net consolidated company year years end full fiscal reported amount amounts figure figures value values
    number level overall annual group
    s go goes went come came do people much many first latest recent current period time times half quarter
    gesamt summe konzern jahr jahre wert betrag viel viele million millionen milliarden euro erst welch gegenuber hohe
    report reports filing statement statements based show work out calculate please compare compared relative
    million billion thousand dollars pounds usd eur gbp chf percent per cent percentage
    absolute terms position item line row cell sheet comparing comparison take each yearly tell two
    ggu absolut zeile posten bilden nennen schnitt jahrlich bereich
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A series that a question names. named: the share of the question's words that it holds. label: the share of its
    own label that the question names."""

    series: Series
    named: float
    label: float

    @property
    def score(self) -> tuple[float, float]:
        return (round(self.named, 3), round(self.label, 3))


def find_series(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> list[Match]:
    """Return the series that a part of the question names, best first; empty if it names none well enough."""
    wanted = wanted_terms(part, analysis, among)
    if not wanted:
        return []
    plain = _plain(analysis.language)
    found = [_match(each, wanted, plain, analysis.language) for each in among]
    near = [each for each in found if each.named >= NAMED_SHARE and each.label >= LABEL_SHARE]
    return sorted(near, key=lambda each: each.score, reverse=True)


Wanted = tuple[tuple[tuple[frozenset[str], ...], float], ...]


def wanted_terms(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> Wanted:
    """Return what a part of the question names: for each concept its alternatives and its weight.

    Words of a company's name, and those of sentences that only lead up to the question, name no row.
    """
    language = analysis.language
    told = _telling(part, analysis)
    said, kept = frozenset(terms(told, language)), frozenset(terms(NAMES_NO_FIGURE.sub(" ", told), language))
    companies = {each.passage.chunk.document.company for each in among}
    plain = _plain(language).union(*(terms(company, language) for company in companies))
    triggers = {each.label: frozenset(terms(each.trigger, language)) for each in analysis.expansions}
    wanted = []
    for concept in analysis.concepts:
        own = triggers.get(concept.label)
        alternatives = _names_of(concept, own, language)
        if not (own <= said if own else any(each <= kept for each in alternatives)):
            continue
        has_digits = any(term[0].isdigit() for each in alternatives for term in each)
        if has_digits or all(each <= plain for each in alternatives):
            continue
        wanted.append((alternatives, concept.weight))
    return tuple(wanted)


def _names_of(concept: Concept, trigger: frozenset[str] | None, language: str) -> tuple[frozenset[str], ...]:
    if trigger and concept.label in MEASURES:
        # A row of a margin is called a margin: the other names are of its parts, and only widen the search.
        return (trigger,)
    labels = ITEMS[concept.label].labels if concept.label in ITEMS else ()
    return (*map(frozenset, concept.alternatives), *(frozenset(terms(each, language)) for each in labels))


def _telling(part: str, analysis: QueryAnalysis) -> str:
    """Return those pieces of a text, between full stops and colons, that hold a year or a name of the glossary."""
    pieces = _PIECE.split(part)
    names = [each.trigger.lower() for each in analysis.expansions]
    telling = [each for each in pieces if _YEAR.search(each) or any(name in each.lower() for name in names)]
    return " ".join(telling) or part


def _match(series: Series, wanted: Wanted, plain: frozenset[str], language: str) -> Match:
    row = series.own | series.column
    near, around = row | series.heading_terms, row | series.heading_terms | series.above
    total = sum(weight for _, weight in wanted)
    held, explained = 0.0, frozenset[str]()
    for alternatives, weight in wanted:
        in_row = [each for each in alternatives if each <= row]
        if in_row:
            held += weight
            explained = explained.union(*in_row)
        elif any(each <= near for each in alternatives):
            held += weight * _IN_HEADING
        elif any(each <= around for each in alternatives):
            held += weight * _ABOVE
    own = series.own - (plain - _PARTING) or series.own
    label = len(own & explained) / len(own) if own else 0.0
    return Match(series=series, named=held / total, label=label)


@lru_cache(maxsize=8)
def _plain(language: str) -> frozenset[str]:
    return frozenset(terms(_PLAIN, language)) | frozenset(_PLAIN.split())


def find_tables(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> list[list[Series]]:
    """Return the tables, or those of their columns, whose headings name what a part of the question asks for.

    The rows of a table have names of their own, so what stands above them must be called so.
    """
    wanted = wanted_terms(part, analysis, among)
    tables: dict[tuple[object, ...], list[Series]] = {}
    for each in among:
        tables.setdefault((each.table, each.heading, each.column, each.unit), []).append(each)
    total = sum(weight for _, weight in wanted) or 1.0
    named = []
    for table in tables.values():
        around = table[0].above | table[0].heading_terms | table[0].column
        held = sum(weight for alternatives, weight in wanted if any(each <= around for each in alternatives))
        named.append((held / total, table))
    near = [each for each in named if each[0] >= NAMED_SHARE and len(each[1]) > 1]
    return [table for _, table in sorted(near, key=lambda each: -each[0])]


def same_figures(matches: Sequence[Match]) -> bool:
    """Return whether several series give the same figures: the table stands twice, or in two reports."""
    first = matches[0].series
    return all(
        {year: figure.number.value for year, figure in each.series.by_year.items() if year in first.by_year}
        == {year: figure.number.value for year, figure in first.by_year.items() if year in each.series.by_year}
        for each in matches[1:]
    )
