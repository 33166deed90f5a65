"""Which concepts of the vocabulary a question of figures asks for: by name, or as parts of a measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.filings.vocabulary.concepts import Concept, concepts, find_by_name, find_in_text
from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.figures.line_items import PARTS, asks_for_a_reason

_MOST_CONCEPTS: Final = 16


def find_asked_concepts(analysis: QueryAnalysis) -> tuple[str, ...]:
    """Return the concepts from whose rows the question's figures are read, in the order of the question.

    Returns: nothing for a question that asks for no figure, or for a reason, which is answered in words.
    """
    calculates = len(read_forms(analysis)) > 1
    if asks_for_a_reason(analysis) or not (calculates or analysis.wants_number or analysis.expansions):
        return ()
    return tuple(dict.fromkeys(_named(analysis)))[:_MOST_CONCEPTS]


def _named(analysis: QueryAnalysis) -> Iterator[str]:
    for found in find_in_text(analysis.text):
        yield from _with_parts(found.concept)
    for expansion in analysis.expansions:
        for name in PARTS.get(expansion.label, (expansion.label,)):
            concept = find_by_name(name)
            if concept is not None:
                yield from _with_parts(concept)


def _with_parts(concept: Concept) -> Iterator[str]:
    yield concept.name
    yield from (part for part in concept.parts if part in concepts())
