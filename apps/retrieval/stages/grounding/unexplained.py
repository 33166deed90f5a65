"""Check the words around a sentence's figures: each must come from where the figures stand, and name nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.grounding.alignment import follows_order
from apps.retrieval.stages.grounding.evidence import Evidence, Result
from apps.retrieval.stages.grounding.logic import turns_the_sense
from apps.retrieval.stages.grounding.moving_words import calculated_terms, cost_terms, moving_terms, paying_terms
from apps.retrieval.stages.grounding.paraphrase import find_word, same_words, tell, telling_words
from apps.retrieval.stages.grounding.spoken import OF_ANOTHER_COMPANY, OUTFLOW, Bound, Spoken
from apps.retrieval.stages.grounding.statements import (
    find_source,
    is_on_topic,
    names_more,
    needs_topic,
    says_otherwise,
)
from apps.retrieval.stages.grounding.wording import blank_periods, blank_places, plain_terms

# A row of these is no cost; of any other, "costs" or "expense" may be said.
_EARNED_OR_OWNED: Final = re.compile(
    r"\b(?:income|revenues?|sales|profit|earnings|assets|equity|debt|cash|margin|shares?|customers?|employees|premiums|deposits"
    r"|orders?|backlog|ertr\u00e4ge|\w*erl\u00f6se|\w*gewinn|\w*ergebnis|umsatz|\w*\u00fcberschuss)\b",
    re.IGNORECASE,
)
_NOT_BESIDE: Final = "not said where its figures stand"
_NOT: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|cannot|without|prohibited|forbidden|excluded|nicht|kein\w*|nie|verboten)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(
    r"[,;:]\s|\s\u2013\s|\u2014|\b(?:as|because|since|after|while|whereas|which|so|and|but|weil|da|nachdem|und|aber|denn)\b",
    re.IGNORECASE,
)
_CAPITAL: Final = re.compile(r"[^\W\d_a-z\u00e4\u00f6\u00fc\u00df][\w&.\-]*")


def vocabulary_of(figure: Figure, evidence: Evidence) -> frozenset[str]:
    """Return the words that may stand beside a figure: of its row or sentence, its headings, and its document."""
    passage = evidence.by_ref[figure.ref_id]
    language = passage.chunk.language
    columns = figure.column
    own = evidence.sources.words(f"{figure.piece}\n{figure.heading}\n{columns}", language) | frozenset(
        terms(columns, language)
    )
    found = own | evidence.sources.around(passage)
    if figure.is_cell and (figure.number.negative or OUTFLOW.search(figure.label_text)):
        found |= paying_terms(language)
    if figure.is_cell and not _EARNED_OR_OWNED.search(figure.label_text):
        found |= cost_terms(language)
    return found | evidence.sources.label(figure).vocabulary if figure.is_cell else found


def check_words(
    spoken: Spoken, bound: Sequence[Bound], results: Sequence[Result], rows: Sequence[Figure] = ()
) -> Iterator[Finding]:
    """Check the words of a sentence with figures.

    Args: bound: its figures. results: those that it calculates or repeats. rows: what else it may speak of.
    """
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    figures = [*(each.figure for each in bound if each.figure is not None), *rows]
    figures.extend(figure for each in results for figure in each.operands)
    if not figures:
        return
    known = plain_terms(language) | moving_terms(language)
    known = known.union(*(vocabulary_of(each, evidence) for each in dict.fromkeys(figures)))
    known = known.union(*(each.words for each in results))
    if results or any(each.number.percent for each in bound):
        known |= calculated_terms(language)
    said = _blank_numbers(spoken)
    known |= same_words(known, language)
    prose = tuple({word for each in figures if not each.is_cell for word in tell(each.piece, language)})
    left = [
        term
        for term in dict.fromkeys(telling_words(blank_places(said), language))
        if term not in known and find_word(term, prose, language) < 0
    ]
    if left and _is_told_elsewhere(said, frozenset(left), evidence):
        left = []
    if left:
        written = _written(said, frozenset(left), language)
        company = evidence.companies_named(written) or any(_is_a_name(word) for word in written.split()[:1])
        yield Finding(
            type=FindingType.COMPANY if company else FindingType.MEASURE,
            value=written,
            supported=False,
            ref_id="",
            note=OF_ANOTHER_COMPANY if company else _NOT_BESIDE,
        )
    elif _strays(spoken, figures) or _turned(spoken, figures) or (not results and _exchanges_roles(spoken, figures)):
        yield Finding(
            type=FindingType.STATEMENT,
            value=" ".join(spoken.text.split()),
            supported=False,
            ref_id="",
            note="the passage says it otherwise",
        )


def _is_told_elsewhere(said: str, left: frozenset[str], evidence: Evidence) -> bool:
    """Return whether each clause with a word that does not come from the figures nearly quotes a passage."""
    language = evidence.analysis.language
    clauses = [each for each in _CLAUSES.split(said) if left & set(tell(each, language))]
    # A name alone says nothing, wherever it stands.
    return all(names_more(each, language) and find_source(each, evidence)[0] is not None for each in clauses)


def _exchanges_roles(spoken: Spoken, figures: Sequence[Figure]) -> bool:
    """Return whether a sentence on a figure of one sentence of a source says its words in another order.

    Each part between commas is compared by itself. "A was acquired by B" is not "A acquired B".
    """
    if len({(each.ref_id, each.at) for each in figures}) != 1 or figures[0].is_cell:
        return False
    return not follows_order(_blank_numbers(spoken), figures[0].piece, spoken.evidence.analysis.language)


def _strays(spoken: Spoken, figures: Sequence[Figure]) -> bool:
    """Return whether a bare reason or condition comes from sentences that say nothing of what is asked."""
    pieces = [each.piece for each in figures if not each.is_cell]
    if (
        not pieces
        or len(pieces) < len(figures)
        or not needs_topic(spoken.text, spoken.evidence, first=spoken.said.first)
    ):
        return False
    return not any(is_on_topic(each, spoken.evidence) for each in pieces)


def _turned(spoken: Spoken, figures: Sequence[Figure]) -> bool:
    text, language = spoken.text, spoken.evidence.analysis.language
    prose = {each.piece for each in figures if not each.is_cell}
    if not prose and _NOT.search(text):
        return True
    if len(prose) != 1 or any(each.is_cell for each in figures):
        return False
    (piece,) = prose
    return says_otherwise(text, piece, language) or turns_the_sense(
        text, piece, language, spoken.evidence.analysis.text
    )


def _blank_numbers(spoken: Spoken) -> str:
    characters = list(blank_periods(spoken.text))
    for number in spoken.numbers:
        characters[number.start : number.end] = " " * (number.end - number.start)
    return "".join(characters)


def _written(text: str, left: frozenset[str], language: str) -> str:
    """Return the words as they stand in the sentence."""
    words = [word.strip(".,;:()'\"") for word in text.split()]
    return " ".join(dict.fromkeys(word for word in words if left & set(tell(word, language)))) or " ".join(sorted(left))


def _is_a_name(word: str) -> bool:
    return _CAPITAL.fullmatch(word) is not None
