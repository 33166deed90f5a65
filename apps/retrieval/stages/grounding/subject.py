"""Check, before anything is written, whether the context is about the names and periods that the question is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.territories import in_force
from apps.retrieval.contracts import ContextBlock, Passage, Period, QueryAnalysis
from apps.retrieval.stages.figures.answerable import is_of_period
from apps.retrieval.stages.question.jurisdiction_names import code_of, read_names
from apps.retrieval.stages.question.names import bare_name
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_SHORTEST_INITIALS: Final = 3


def unknown_names(analysis: QueryAnalysis, context: ContextBlock) -> tuple[str, ...]:
    """Return the question's names that no passage of the context is about.

    Returns: the names in the question's spelling.
    """
    return tuple(
        name
        for name in analysis.names
        if not any(speaks_of(name, passage, analysis.language) for passage in context.passages)
    )


def unknown_periods(analysis: QueryAnalysis, context: ContextBlock) -> tuple[Period, ...]:
    """Return the question's periods if no passage of the context is of any of them; else none."""
    if not analysis.periods or any(
        is_of_period(piece, passage, analysis) for passage in context.passages for piece in quotable_pieces(passage)
    ):
        return ()
    return analysis.periods


def list_held_periods(passages: Iterable[Passage]) -> tuple[str, ...]:
    """Return the periods of the passages' documents, oldest first."""
    facts = [passage.chunk.document for passage in passages]
    periods = {
        Period(fiscal_year=each.fiscal_year, fiscal_quarter=each.fiscal_quarter or 0)
        for each in facts
        if each.fiscal_year is not None
    }
    return tuple(period.label for period in sorted(periods))


def speaks_of(name: str, passage: Passage, language: str) -> bool:
    """Return whether a passage's chunk, heading or document mentions a name.

    A name of several words, or an abbreviation, must stand there with its capitals (the company "Block" is not any
    block); a name of one word may have any spelling. A long form counts for its initials, a country for its adjective,
    and the jurisdiction that a document states for a country.
    """
    document = passage.chunk.document
    code = code_of(name)
    if code and any(in_force(code, stated) for stated in document.jurisdictions):
        return True
    text = "\n".join((passage.chunk.text, passage.chunk.context_header, document.title, document.company))
    if code and any(each.code == code for each in read_names(text)):
        return True
    words = bare_name(name)
    if len(words) == 1 and words[0].istitle():
        return bool(frozenset(terms(text, language)).issuperset(terms(words[0], language)))
    if all(_stands(word, text) for word in words) or (len(words) > 1 and " ".join(words).lower() in text.lower()):
        return True
    return len(words) == 1 and words[0].isupper() and _has_initials(words[0], text)


def _stands(word: str, text: str) -> bool:
    spellings = "|".join(re.escape(each) for each in dict.fromkeys((word, word.upper())))
    return re.search(rf"(?<!\w)(?:{spellings})(?!\w)", text) is not None


def _has_initials(letters: str, text: str) -> bool:
    if len(letters) < _SHORTEST_INITIALS or not letters.isalpha():
        return False
    pattern = r"[\s\-]+(?:(?:of|and|the|to|for)\s+)?".join(rf"{letter}[a-z]{{2,}}" for letter in letters)
    return re.search(rf"\b{pattern}\b", text, re.IGNORECASE) is not None
