"""Choose, of the rows of some documents, those that give what a question asks for: by concept, or by their labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from apps.corpus.terms import terms
from apps.retrieval.contracts import AskedFigures

_ROWS_OF_A_CONCEPT: Final = 2
"""Of a concept and a document: the statement's row, and one more, such as that of a note with further years."""
_MOST_LABELS: Final = 6
_ROWS_OF_A_LABEL: Final = 3
"""Of a label and a document: the same segment has a row in the table of revenue and in that of results."""
_LEAST_SHARE: Final = 0.75
"""So much of a label, by the weight of its words, must be named by the question."""


class FactRow(NamedTuple):
    """A row that gives figures of a document. start, end: within the document's text, in characters.

    concept: of the vocabulary; empty for others. in_statement: whether it stands in a financial statement. undivided:
    whether no figure of it is of a segment or the like. doubt: which sum does not hold.
    """

    document_id: UUID
    page: int
    start: int
    end: int
    label: str
    concept: str
    in_statement: bool
    undivided: bool
    doubt: str


def choose_rows(rows: Sequence[FactRow], asked: AskedFigures) -> list[FactRow]:
    """Return the rows of the concepts asked for, and those whose labels the question names, each once."""
    own = {row.label: _terms_of(row.label, asked) for row in rows}
    return list(dict.fromkeys((*_by_concept(rows, own, asked), *_by_label(rows, own, asked))))


def _terms_of(label: str, asked: AskedFigures) -> frozenset[str]:
    return frozenset(term for term in terms(label, asked.language) if not term[0].isdigit()) - asked.plain


def _by_concept(rows: Sequence[FactRow], own: Mapping[str, frozenset[str]], asked: AskedFigures) -> Iterator[FactRow]:
    for document in dict.fromkeys(row.document_id for row in rows):
        of_document = [row for row in rows if row.document_id == document]
        for concept in asked.concepts:
            of_it = [row for row in of_document if row.concept == concept] or _called(of_document, own, concept, asked)
            # The sort is stable: of equal rows the first of the document comes first.
            yield from sorted(of_it, key=lambda row: (not row.in_statement, not row.undivided))[:_ROWS_OF_A_CONCEPT]


def _called(
    rows: Sequence[FactRow], own: Mapping[str, frozenset[str]], concept: str, asked: AskedFigures
) -> list[FactRow]:
    """Return the rows whose label holds a name of a concept with the fewest words beside it.

    "Expenditure on mining properties, plant and equipment" is no label of the vocabulary.
    """
    named: dict[int, list[FactRow]] = {}
    names = [name for name in asked.called.get(concept, ()) if len(name) > 1]
    for row in rows:
        of_label = own[row.label]
        if not row.concept and (held := [name for name in names if name <= of_label]):
            named.setdefault(len(of_label) - max(map(len, held)), []).append(row)
    return named[min(named)] if named else []


def _by_label(rows: Sequence[FactRow], own: Mapping[str, frozenset[str]], asked: AskedFigures) -> Iterator[FactRow]:
    """Yield the rows whose labels the question names best, by how rare the words are in the labels."""
    if not asked.words:
        return
    by_label: dict[frozenset[str], list[FactRow]] = {}
    for row in rows:
        by_label.setdefault(own[row.label], []).append(row)
    held = Counter(term for label in by_label for term in label)
    weights = {term: math.log(1 + len(by_label) / count) for term, count in held.items()}
    rated: list[tuple[float, float, int, list[FactRow]]] = []
    for place, (label, of_label) in enumerate(by_label.items()):
        # fsum gives the same in whatever order a set has its terms.
        whole, named = (math.fsum(weights[term] for term in each) for each in (label, label & asked.words))
        if named and named / whole >= _LEAST_SHARE:
            rated.append((-named, -named / whole, place, of_label))
    for *_, of_label in sorted(rated)[:_MOST_LABELS]:
        for document in dict.fromkeys(row.document_id for row in of_label):
            yield from [row for row in of_label if row.document_id == document][:_ROWS_OF_A_LABEL]
