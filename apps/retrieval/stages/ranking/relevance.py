"""Rate how relevant a sentence or row is to the question. Deterministic; used to trim passages and to quote them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Concept, QueryAnalysis

CONTEXT_SHARE: Final = 0.4
"""What a concept counts that stands only in the heading above a piece, not in the piece itself. A proper name counts
whole there: a document about a fund need not repeat the fund's name in each row."""
HELD: Final = 0.5
"""From this match on, a piece counts as holding a concept."""
NUMBER_BONUS: Final = 0.10
NO_NUMBER_PENALTY: Final = 0.30
YEAR_BONUS: Final = 0.05
# A label that consists of the question's words ranks above a sentence that mentions them among many others.
FOCUS_SHARE: Final = 0.15

_NUMBER: Final = re.compile(r"\d")
_YEAR_OR_ORDINAL: Final = re.compile(r"\b(?:19|20)\d{2}\b|\bQ[1-4]\b|\b\d+(?:st|nd|rd|th)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A sentence or row with the words above it (headings, context header, table caption)."""

    text: str
    surroundings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How relevant a piece is to the question.

    coverage: share of the question's concepts, by weight, that the piece and its surroundings hold, 0 to 1.
    own_coverage: the share that the piece itself holds.
    subject_coverage: the share without proper names (of all concepts, for a question that has only names). It is 0 for
        a piece about the right fund or company but a different thing.
    said_coverage: the share without proper names that the piece itself holds, if all names stand in it or above it;
        else own_coverage. A piece that repeats the names says no more than one that stands under them.
    score: orders pieces; may exceed 1.
    """

    coverage: float
    own_coverage: float
    subject_coverage: float
    said_coverage: float
    score: float


def rate_pieces(pieces: Sequence[Piece], analysis: QueryAnalysis) -> tuple[Relevance, ...]:
    """Rate pieces against the question's concepts.

    A concept's match in a piece is that of its best alternative: the share of the alternative's terms that are found,
    weighted by inverse document frequency, and squared, so that half a phrase counts a quarter. The weight of a concept
    is its own weight times its rarity among the pieces (a piece holds a concept from a match of a half).

    Args:    pieces: all pieces that compete, since frequencies are counted over them.
             analysis: the question.
    Returns: one rating per piece, in their order; all zero for a question without concepts.
    """
    words = [frozenset(terms(piece.text, analysis.language)) for piece in pieces]
    around = {each: frozenset(terms(each, analysis.language)) for each in {piece.surroundings for piece in pieces}}
    matching = _Matching(analysis.concepts, words)
    own = [matching.of(found) for found in words]
    weights = [
        concept.weight * _rarity(sum(row[index] >= HELD for row in own), len(pieces))
        for index, concept in enumerate(analysis.concepts)
    ]
    total = sum(weights) or 1.0
    subject = [index for index, each in enumerate(analysis.concepts) if not each.is_name] or range(len(weights))
    subject_total = sum(weights[index] for index in subject) or 1.0
    ratings = []
    for piece, found, row in zip(pieces, words, own, strict=True):
        both = matching.with_context(found, around[piece.surroundings])
        own_coverage = sum(weight * match for weight, match in zip(weights, row, strict=True)) / total
        coverage = sum(weight * match for weight, match in zip(weights, both, strict=True)) / total
        subject_coverage = sum(weights[index] * both[index] for index in subject) / subject_total
        own_subject = sum(weights[index] * row[index] for index in subject) / subject_total
        held = all(both[index] >= HELD for index, each in enumerate(analysis.concepts) if each.is_name)
        bonus = _bonus(piece.text, analysis) + FOCUS_SHARE * _focus(found, matching.wanted)
        ratings.append(
            Relevance(
                coverage=coverage,
                own_coverage=own_coverage,
                subject_coverage=subject_coverage,
                said_coverage=own_subject if held else own_coverage,
                score=coverage + bonus * own_coverage,
            )
        )
    return tuple(ratings)


def concept_matches(groups: Sequence[Sequence[Piece]], analysis: QueryAnalysis) -> tuple[tuple[float, ...], ...]:
    """Return how far each group of pieces holds each concept of the question, 0 to 1: the match of its best piece.

    As in rate_pieces, a concept that occurs only above a piece counts CONTEXT_SHARE, and a proper name counts in full
    there.

    Args:    groups: such as the pieces of one passage each; frequencies are counted over all of them.
    Returns: one row per group, in their order, with one match per concept, in the order of the analysis.
    """
    words = [[frozenset(terms(piece.text, analysis.language)) for piece in group] for group in groups]
    matching = _Matching(analysis.concepts, [found for group in words for found in group])
    rows = []
    for group, found_in in zip(groups, words, strict=True):
        around = {each: frozenset(terms(each, analysis.language)) for each in {piece.surroundings for piece in group}}
        matches = [
            matching.with_context(found, around[piece.surroundings])
            for piece, found in zip(group, found_in, strict=True)
        ]
        rows.append(tuple(max((row[index] for row in matches), default=0.0) for index in range(len(analysis.concepts))))
    return tuple(rows)


def inverse_frequency(holding: int, count: int) -> float:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)), where n of N pieces hold the term.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; the 1 inside the
            logarithm keeps it positive.
    """
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))


def _rarity(holding: int, count: int) -> float:
    """Return a rarity between 0.5 and 1.5.

    Without this damping, a concept in few pieces would count ten times as much as one in all pieces, and a context that
    was chosen for the question would seem to lack the very thing it is full of.
    """
    return 0.5 + inverse_frequency(holding, count) / inverse_frequency(0, count)


def holds_number(text: str) -> bool:
    """Return whether the text holds a figure that is not just a year, a quarter or an ordinal."""
    return _NUMBER.search(_YEAR_OR_ORDINAL.sub(" ", text)) is not None


class _Matching:
    """Computes how far pieces hold each concept, and remembers the result by the terms that a piece holds.

    Most pieces of a passage hold the same few terms of the question, or none.
    """

    def __init__(self, concepts: Sequence[Concept], pieces: Sequence[frozenset[str]]) -> None:
        self.wanted = frozenset(
            term for concept in concepts for alternative in concept.alternatives for term in alternative
        )
        frequencies = Counter(term for found in pieces for term in found & self.wanted)
        idf = {term: inverse_frequency(frequencies[term], len(pieces)) for term in self.wanted}
        self._alternatives = [
            [[(term, idf[term]) for term in alternative] for alternative in concept.alternatives]
            for concept in concepts
        ]
        self._shares = [1.0 if concept.is_name else CONTEXT_SHARE for concept in concepts]
        self._known: dict[frozenset[str], tuple[float, ...]] = {}

    def of(self, found: frozenset[str]) -> tuple[float, ...]:
        """Return one match per concept, 0 to 1, for a piece with these terms."""
        held = found & self.wanted
        if held not in self._known:
            self._known[held] = tuple(_match(alternatives, held) for alternatives in self._alternatives)
        return self._known[held]

    def with_context(self, found: frozenset[str], around: frozenset[str]) -> tuple[float, ...]:
        """Return the same matches, with what stands above the piece counted by its share."""
        both = self.of(found | around)
        return tuple(
            max(match, share * together)
            for match, share, together in zip(self.of(found), self._shares, both, strict=True)
        )


def _match(alternatives: Sequence[Sequence[tuple[str, float]]], held: frozenset[str]) -> float:
    """Return the match of the best alternative, from its terms and their inverse document frequencies."""
    best = 0.0
    for alternative in alternatives:
        total = sum(weight for _, weight in alternative)
        share = sum(weight for term, weight in alternative if term in held) / total if total else 0.0
        best = max(best, share * share)
    return best


def _bonus(text: str, analysis: QueryAnalysis) -> float:
    bonus = YEAR_BONUS if any(str(year) in text for year in analysis.years) else 0.0
    if analysis.wants_number:
        bonus += NUMBER_BONUS if holds_number(text) else -NO_NUMBER_PENALTY
    return bonus


def _focus(piece_terms: frozenset[str], wanted: frozenset[str]) -> float:
    """Return the share of the piece's own words that belong to the question. Numbers do not count as words."""
    words = {term for term in piece_terms if not term[0].isdigit()}
    return len(words & wanted) / len(words) if words else 0.0
