"""Read what a question calls the figures that it asks for: concepts of the vocabulary, and words of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.corpus.terms import terms
from apps.filings.vocabulary.concepts import Concept, concepts, find_by_name, find_in_text
from apps.retrieval.contracts import AskedFigures, QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_names import plain_terms
from apps.retrieval.stages.figures.calculating.definitions import read_definition
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.figures.line_items import PARTS, asks_for_a_reason

_MOST_CONCEPTS: Final = 16


def find_asked_figures(analysis: QueryAnalysis) -> AskedFigures:
    """Return what the rows are called from which the question's figures are read.

    Returns: nothing for a question that asks for no figure, or for a reason, which is answered in words.
    """
    forms = read_forms(analysis)
    calculates = len(forms) > 1 or bool(forms and read_definition(analysis.text))
    if asks_for_a_reason(analysis) or not (calculates or analysis.wants_number or analysis.expansions):
        return AskedFigures()
    language = analysis.language
    companies = terms(" ".join(analysis.companies_named), language)
    asked = tuple(dict.fromkeys(_named(analysis)))[:_MOST_CONCEPTS]
    return AskedFigures(
        concepts=asked,
        called={name: _terms_of(concepts()[name], language) for name in asked},
        words=frozenset(terms(analysis.text, language)).difference(companies, plain_terms(language)),
        plain=plain_terms(language),
        language=language,
    )


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


def _terms_of(concept: Concept, language: str) -> frozenset[frozenset[str]]:
    names = (concept.name, *concept.labels, *concept.asked)
    return frozenset(frozenset(terms(name, language)) for name in names)
