"""Whether the words beside a figure name the row in which it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.numbers import Number
from apps.retrieval.stages.grounding.alignment import same_stem
from apps.retrieval.stages.grounding.clauses import clause_words, words_beside
from apps.retrieval.stages.grounding.evidence import Evidence
from apps.retrieval.stages.grounding.labels import Naming, lines_named, measures_in
from apps.retrieval.stages.grounding.moving_words import calculated_terms, moving_terms
from apps.retrieval.stages.grounding.spoken import (
    Bound,
    Spoken,
)
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms

_WORD: Final = re.compile(r"[^\W\d_][\w&'\u2019.-]*")


def is_of_another_row(number: Number, figure: Figure, spoken: Spoken, before: Sequence[Bound]) -> bool:
    """Return whether the words beside a number name something else than what stands beside it in the source."""
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    said = clause_words(spoken.clauses[number], language)
    around = evidence.sources.around(evidence.by_ref[figure.ref_id])
    telling = said - plain_terms(language) - moving_terms(language) - calculated_terms(language)
    if not figure.is_cell:
        alone = len(evidence.piece_of(figure)) == 0
        beside = (
            frozenset(word_terms(figure.piece, language))
            if alone
            else words_beside(figure.piece, figure.number.text, language)
        ) - plain_terms(language)
        return bool(telling - around and beside) and not any(
            same_stem(one, other) for one in telling for other in beside
        )
    label = evidence.sources.label(figure)
    own = label.named_by(said)
    if own.full or (telling and own.named):
        return names_better(own, said, figure, evidence)
    if telling - around - label.vocabulary or lines_named(telling, language) or measures_in(telling, language):
        return not own.named
    return not _is_carried(number, figure, spoken, before)


def names_better(own: Naming, said: frozenset[str], figure: Figure, evidence: Evidence) -> bool:
    """Return whether the words name another row of the passages in full, and this one only in part."""
    for row in evidence.rows:
        if (row[0].ref_id, row[0].at) == (figure.ref_id, figure.at):
            continue
        other = evidence.sources.label(row[0]).named_by(said)
        if other.full and (not own.full or own.words < other.words):
            return True
    return False


def _is_named_next(number: Number, figure: Figure, last: Figure, spoken: Spoken) -> bool:
    """Return whether a row is named behind another: "X was lower than Y (5 against 7)", "X and Y were 5 and 7"."""
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    own, other = (evidence.sources.label(each) for each in (figure, last))
    text = spoken.text
    said = frozenset(word_terms(text, language))
    named, before = own.named_by(said), other.named_by(said)
    if not named.full or not before.full or names_better(named, said, figure, evidence):
        return False
    first, second = (
        _first_place(text, words, language) for words in (before.words - named.words or before.words, named.words)
    )
    behind = _first_place(text, named.words - before.words or named.words, language)
    return first < max(second, behind)


def _first_place(text: str, words: frozenset[str], language: str) -> int:
    return min(
        (match.start() for match in _WORD.finditer(text) if words & set(word_terms(match.group(), language))),
        default=-1,
    )


def _is_carried(number: Number, figure: Figure, spoken: Spoken, before: Sequence[Bound]) -> bool:
    """Return whether a figure that is not named is of the row that was named last, or else of what is asked for."""
    rows = [each.figure for each in before if each.figure is not None]
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    label = evidence.sources.label(figure)
    if rows:
        return any(each.label_text == figure.label_text for each in rows) or _is_named_next(
            number, figure, rows[-1], spoken
        )
    # "Premiums earned grew 7 % to 3.11 billion": named before a figure that is no cell.
    said = frozenset(word_terms(blank_places(spoken.text[: number.start]), language))
    around = evidence.sources.around(evidence.by_ref[figure.ref_id])
    if said - plain_terms(language) - moving_terms(language) - calculated_terms(language) - around:
        own = label.named_by(said)
        return own.named and not names_better(own, said, figure, evidence)
    lines = lines_named(said, language)
    if lines and not lines & label.items and not label.named_by(said).named:
        return False
    if spoken.said.rows:
        return any(each.label_text == figure.label_text for each in spoken.said.rows)
    asked = evidence.asked_words
    return not asked or not names_better(label.named_by(asked), asked, figure, evidence)
