"""Measure how much of a question its candidates cover, and put what they lack in words. Deterministic."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Candidate, Concept, QueryAnalysis, StoredChunk
from apps.retrieval.stages.ranking.relevance import HELD, Piece, concept_matches
from apps.retrieval.stages.ranking.units import split_units, surroundings_of

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019&.\-][^\W_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of a question the candidates cover.

    share: share of the question's concepts, by weight, that the candidates hold together, 0 to 1.
    missing: the concepts that none of them holds, those with the greatest weight first.
    """

    share: float
    missing: tuple[Concept, ...]


def coverage_of(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> Coverage:
    """Return how much of the question the candidates cover, each concept by the passage that holds it best.

    A question without concepts is covered, because nothing can be missing.
    """
    if not analysis.concepts:
        return Coverage(share=1.0, missing=())
    rows = concept_matches([_pieces(each.chunk) for each in candidates], analysis)
    best = [max((row[index] for row in rows), default=0.0) for index in range(len(analysis.concepts))]
    pairs = list(zip(analysis.concepts, best, strict=True))
    share = sum(concept.weight * match for concept, match in pairs) / sum(concept.weight for concept, _ in pairs)
    missing = [concept for concept, match in pairs if match < HELD]
    return Coverage(share=share, missing=tuple(sorted(missing, key=lambda concept: -concept.weight)))


def keep_holding(
    candidates: Sequence[Candidate], missing: Collection[Concept], analysis: QueryAnalysis
) -> tuple[Candidate, ...]:
    """Return the candidates that hold at least one of the missing concepts, in their order."""
    wanted = [index for index, concept in enumerate(analysis.concepts) if concept in missing]
    rows = concept_matches([_pieces(each.chunk) for each in candidates], analysis)
    return tuple(
        each for each, row in zip(candidates, rows, strict=True) if any(row[index] >= HELD for index in wanted)
    )


def phrases_for(concept: Concept, analysis: QueryAnalysis) -> tuple[str, ...]:
    """Return the ways to ask for a concept: first in the question's words, then in the words of the glossary."""
    for expansion in analysis.expansions:
        if expansion.label == concept.label:
            return tuple(dict.fromkeys((expansion.trigger, *expansion.phrases)))
    # The label of a plain word is its stem, which embedding models do not know.
    wanted = {term for alternative in concept.alternatives for term in alternative}
    words = (match.group() for match in _WORD.finditer(analysis.search_text))
    return tuple(dict.fromkeys(word for word in words if wanted & set(terms(word, analysis.language)))) or (
        concept.label,
    )


def _pieces(chunk: StoredChunk) -> list[Piece]:
    """Return the sentences and rows of a passage, with their headings."""
    units = split_units(chunk.text)
    surroundings = surroundings_of(chunk, units)
    return [Piece(text=chunk.text[unit.start : unit.end], surroundings=surroundings) for unit in units]
