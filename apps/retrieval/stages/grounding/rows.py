"""Whether the words beside a figure name the row in which it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.filings.text.numbers import Number
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.periods import is_duration
from apps.retrieval.stages.grounding.clauses import Clause, clause_words, clauses_of
from apps.retrieval.stages.grounding.evidence import Evidence, rows_named
from apps.retrieval.stages.grounding.labels import Label, Naming, lines_named, measures_in
from apps.retrieval.stages.grounding.moving_words import calculated_terms, moving_terms
from apps.retrieval.stages.grounding.paraphrase import find_word, telling_words
from apps.retrieval.stages.grounding.spoken import (
    Bound,
    Spoken,
)
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms

_AT_ANOTHER_TIME: Final = re.compile(
    r"\b(?:compared|against|from|to|after|versus|vs|earlier|before|previous|prior|nach|von|auf|gegen\u00fcber|vorjahr\w*|zuvor)\b",
    re.IGNORECASE,
)
_CLASS: Final = re.compile(r"\b(?:[Cc]lass|[Tt]ranche|[Ss]eries|(?:Anteil)?[Kk]lasse)\s+([A-Z]\d?)\b")
_LETTER: Final = re.compile(r"\b[A-Z]\d?\b")
_WORD: Final = re.compile(r"[^\W\d_][\w&'\u2019.-]*")


def is_of_another_row(number: Number, figure: Figure, spoken: Spoken, before: Sequence[Bound]) -> bool:
    """Return whether the words beside a number name something else than what stands beside it in the source."""
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    said = clause_words(spoken.clauses[number], language)
    around = evidence.sources.around(evidence.by_ref[figure.ref_id])
    telling = said - plain_terms(language) - moving_terms(language) - calculated_terms(language)
    if not figure.is_cell:
        return is_told_of_another(spoken.clauses[number], figure, spoken)
    if _is_of_another_column(figure, spoken) or _is_of_another_class(figure, spoken):
        return True
    label = evidence.sources.label(figure)
    if _is_named_around(number, label, said, spoken):
        return False
    said |= frozenset(word_terms(spoken.quoted, language))
    own = label.named_by(said)
    if own.full or (telling and own.named):
        return names_better(own, said, figure, evidence)
    if _is_short_for(telling - around, figure, evidence):
        return False
    if telling - around - label.vocabulary or lines_named(telling, language) or measures_in(telling, language):
        return not own.named
    return not _is_carried(number, figure, spoken, before)


def _is_of_another_column(figure: Figure, spoken: Spoken) -> bool:
    """Return whether the sentence, or else the question, names another column of a row: "Personal Lines 2024"."""
    language = spoken.evidence.analysis.language
    own = frozenset(word_terms(figure.column, language))
    columns = {frozenset(word_terms(each.column, language)) for each in spoken.evidence.row_of(figure)}
    for text in (spoken.text, spoken.evidence.analysis.text):
        said = frozenset(word_terms(text, language))
        named = {each for each in columns if each and each <= said}
        if named:
            return bool(own) and own not in named
    return False


def _is_of_another_class(figure: Figure, spoken: Spoken) -> bool:
    """Return whether a sentence names a class by a letter that the row does not have: "class I"."""
    named = set(_CLASS.findall(spoken.text))
    held = set(_LETTER.findall(figure.label_text))
    return bool(named and held) and not named & held


def _is_named_around(number: Number, label: Label, said: frozenset[str], spoken: Spoken) -> bool:
    """Return whether the sentence, or the question, names a row of which only the heading stands beside a number.

    "Thermal Management contributed 22 %, on segment sales of 932": the heading is "Net sales". What stands in brackets
    is of what is named before them: "gross profit was 34 % of sales (1,434 on 4,219)".
    """
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    told = frozenset(word_terms(blank_places(spoken.text), language))
    if label.core and label.heading and label.heading <= said and label.core <= told | evidence.asked_words:
        return True
    opening = spoken.text.rfind("(", 0, number.start + 1)
    if opening < 0 or spoken.text.rfind(")", 0, number.start) > opening:
        return False
    inside = telling_words(spoken.text[opening : number.start], language)
    before = frozenset(word_terms(blank_places(spoken.text[:opening]), language))
    if not rows_named(evidence, before):
        before |= evidence.asked_words
    return not inside and label.named_by(before).full


def _is_short_for(said: frozenset[str], figure: Figure, evidence: Evidence) -> bool:
    """Return whether words are a part of the name of this row alone: "the allowance"."""
    if not said or not said <= evidence.sources.label(figure).all:
        return False
    others = (row[0] for row in evidence.rows if row[0].label_text != figure.label_text)
    return not any(said & evidence.sources.label(each).vocabulary for each in others)


def is_told_of_another(clause: Clause, figure: Figure, spoken: Spoken) -> bool:
    """Return whether the words beside a number stand, in its sentence of a source, rather beside another figure."""
    language = spoken.evidence.analysis.language
    said = frozenset(telling_words(clause.text, language)) or frozenset(telling_words(spoken.text, language))
    clauses = clauses_of(figure.piece, language)
    own = next((each for each in clauses if each.text == figure.number.text), None)
    if own is None:
        return False
    shared = {each: _shared(said, telling_words(beside.text, language), language) for each, beside in clauses.items()}
    return any(
        shared[each] > shared[own]
        for each in clauses
        if each.text != own.text and _may_be_taken_for(each, own, figure.piece, language)
    )


def _may_be_taken_for(one: Number, other: Number, piece: str, language: str) -> bool:
    """Return whether two figures of a sentence are of one kind, and not of one thing at two times."""
    first, second = sorted((one, other), key=lambda each: each.start)
    clauses = clauses_of(piece, language)
    named = all(telling_words(clauses[each].behind, language) for each in (one, other))
    kinds = [(each.unit, each.currency, is_duration(piece, each)) for each in (one, other)]
    return kinds[0] == kinds[1] and (named or _AT_ANOTHER_TIME.search(piece[first.end : second.start]) is None)


def _shared(said: frozenset[str], told: Sequence[str], language: str) -> int:
    return sum(find_word(word, told, language) >= 0 for word in said)


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
