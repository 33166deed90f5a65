"""Score how many of a question's keywords a passage holds: words, protected words, figures, years, fiscal periods.

Embedding models treat "net revenue of 2023" and "gross revenue of 2022" as nearly the same. The words that distinguish
two figures are written in the question, and are counted here.

Measured: the first page is right more often on both sets, but fewer answers on the filings pass. With the adaptive cut
    (`cut_adaptive_uncalibrated`) .463 of the filings' questions pass. With its cut by share alone, as many pass as
    without the adaptive cut.

    filings: recall@1 .512, @5 .784, @10 .881, MRR .696, context .813, passed .507
    own set: recall@5 .906, MRR .836, context .906, passed .727
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.mentions import word_set
from apps.filings.text.numbers import (
    Number,
    NumberUnit,
    currencies_in,
    find_stated_scale,
    read_numbers,
    units_in,
)
from apps.retrieval.contracts import Candidate, Concept, Period, QueryAnalysis, StoredChunk
from apps.retrieval.optional.rerankers.hybrid import passage_text, rank_hybrid, search_scores
from apps.retrieval.stages.figures.number_matching import Stated, match_number

PROTECTED_WEIGHT: Final = 1.5
FIGURE_WEIGHT: Final = 2.0
PERIOD_WEIGHT: Final = 2.0
NAMED_BY_ANOTHERS_REPORT: Final = 0.5
"""What a period counts that a passage names, where its document is the report of another one: a comparison column."""

STOP_WORDS: Final[frozenset[str]] = word_set(
    """
    annual basis business companies company consolidated corporation document documents entity filing filings financial
    form fund funds group inc item items management note notes page pages period periods plc policies policy
    presented section sections statement statements table tables
    abschnitt bericht fonds geschäft gesellschaft jahr konzern quartal seite tabelle unternehmen
    """
)
"""Words that stand on nearly every page of a financial report, and so tell none from another."""

PROTECTED: Final[frozenset[str]] = word_set(
    """
    accrued adjusted after basic before contingent current deferred diluted excluding external fixed floating gross
    impaired including internal long net no non not operating organic other overdue realised realized recurring
    restricted secured senior short subordinated total unadjusted undrawn unrealised unrealized unsecured variable
    weighted without
    bereinigt brutto gesamt kurzfristig langfristig nach netto nicht ohne sonstige unverwässert verwässert vor
    """
)
"""Words that say which of two figures of one name is meant. They count also where a search leaves them out, as it does
with "no", "not" and "other"."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_SMALLEST_BARE: Final = 100
"""Bare numbers below it count things ("the two largest") more often than they are figures of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords:
    """The keywords of a question. `periods` are alternatives: the report of either of two years can answer for both."""

    concepts: tuple[Concept, ...]
    protected: tuple[str, ...]
    figures: tuple[Number, ...]
    periods: tuple[Period, ...]
    language: str


def question_keywords(analysis: QueryAnalysis) -> Keywords:
    """Return the keywords of a question: concepts, words, amounts, percentages, years and fiscal periods.

    Words that stand everywhere are left out; words that distinguish figures are included.
    """
    language = analysis.language
    words = {word.lower() for word in _WORD.findall(analysis.text)}
    protected = tuple(sorted({_key(word, language) for word in words & PROTECTED}))
    figures = tuple(number for number in read_numbers(analysis.text, language) if _is_figure(number))
    left_out = {
        *(_key(word, language) for word in STOP_WORDS - PROTECTED),
        *protected,
        *(term for figure in figures for term in terms(figure.text, language)),
    }
    named = {period.fiscal_year for period in analysis.periods}
    return Keywords(
        concepts=tuple(
            concept
            for concept in analysis.concepts
            if concept.is_name or not (_is_word(concept) and concept.label in left_out)
        ),
        protected=protected,
        figures=figures,
        periods=(*analysis.periods, *(Period(fiscal_year=year) for year in analysis.years if year not in named)),
        language=language,
    )


def keyword_score(keywords: Keywords, chunk: StoredChunk) -> float:
    """Return the share of the question's keywords, by weight, that a passage with its heading holds.

    A concept has the weight that the analysis gave it (a name 3, a figure of the glossary 2, a word 1) and counts by
    the best of its wordings: the share of that wording's terms that is found. A figure is found in any spelling of the
    same amount, with the scale and unit of the table's heading.

    Returns: 0 (none of them, or a question without any) to 1 (all).
    """
    found = list(_matches(keywords, chunk))
    total = sum(weight for weight, _ in found)
    return sum(weight * match for weight, match in found) / total if total else 0.0


class KeywordReranker:
    """Orders passages by the search's own score and by the keywords that they hold."""

    name = "keyword"

    def __init__(self, *, keyword_weight: float) -> None:
        self._weight = keyword_weight

    @property
    def note(self) -> str:
        return (
            f"{1 - self._weight:.2f} x the search's score as a share of the best one + {self._weight:.2f} x keywords."
        )

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        return rank_hybrid(
            candidates,
            model_scores=search_scores(candidates),
            keyword_scores=keyword_scores(analysis, candidates),
            keyword_weight=self._weight,
            calibrated=False,
        )


def keyword_scores(analysis: QueryAnalysis, candidates: Sequence[Candidate]) -> tuple[float, ...]:
    """Return the keyword_score of each candidate, in their order."""
    keywords = question_keywords(analysis)
    return tuple(keyword_score(keywords, candidate.chunk) for candidate in candidates)


def _matches(keywords: Keywords, chunk: StoredChunk) -> Iterator[tuple[float, float]]:
    """Yield the weight and the match (0 to 1) of each keyword."""
    text = passage_text(chunk)
    held = frozenset(terms(text, keywords.language)) | {word.lower() for word in _WORD.findall(text)}
    for concept in keywords.concepts:
        shares = (sum(term in held for term in each) / len(each) for each in concept.alternatives if each)
        yield concept.weight, max(shares, default=0.0)
    for word in keywords.protected:
        yield PROTECTED_WEIGHT, float(word in held)
    if keywords.figures:
        numbers = read_numbers(text, chunk.language)
        stated = Stated(exponent=find_stated_scale(text), currencies=currencies_in(text), units=units_in(text))
        for figure in keywords.figures:
            yield FIGURE_WEIGHT, float(match_number(figure, numbers, stated=stated) is not None)
    if keywords.periods:
        yield PERIOD_WEIGHT, max(_match_period(period, chunk, held) for period in keywords.periods)


def _match_period(period: Period, chunk: StoredChunk, held: frozenset[str]) -> float:
    document = chunk.document
    if document.fiscal_year == period.fiscal_year and (
        not period.fiscal_quarter or document.fiscal_quarter == period.fiscal_quarter
    ):
        return 1.0
    year = str(period.fiscal_year)
    term = f"q{period.fiscal_quarter}{year}" if period.fiscal_quarter else year
    if term not in held:
        return 0.0
    return 1.0 if document.fiscal_year is None else NAMED_BY_ANOTHERS_REPORT


def _key(word: str, language: str) -> str:
    """Return the word's stem, or the word itself if a search leaves it out."""
    return next(iter(terms(word, language)), word)


def _is_word(concept: Concept) -> bool:
    """Return whether the concept is one plain word of the question, and not an entry of the glossary."""
    return concept.alternatives == ((concept.label,),)


def _is_figure(number: Number) -> bool:
    if number.unit is not NumberUnit.PLAIN or number.currency or number.exponent or number.decimals:
        return True
    is_year = number.text.isdigit() and 1900 <= number.value < 2100
    return number.value >= _SMALLEST_BARE and not is_year
