"""Check a sentence that states no figure: it must nearly quote one sentence or row of a passage (alignment.py)."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.contracts import Finding, FindingType, Passage
from apps.retrieval.stages.grounding.alignment import nearly_quotes, telling_words
from apps.retrieval.stages.grounding.evidence import Evidence
from apps.retrieval.stages.grounding.moving_words import direction_of
from apps.retrieval.stages.grounding.wording import word_terms
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_NOT: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|without|except|unless|nicht|kein\w*|nie|au\u00dfer|ohne)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_OPPOSITES: Final = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        (r"earlier|ahead|before", r"later|behind|after"),
        (r"more\s+than|over|at\s+least|mehr\s+als|\u00fcber", r"less\s+than|under|at\s+most|weniger\s+als|unter"),
        (r"first|erste\w*", r"last|letzte\w*"),
        (r"above", r"below"),
    )
)
_AND: Final = re.compile(r",?\s+(?:and|but|while|whereas|so|which|und|aber)\s+|;\s*")
_FEWEST_OF_A_PART: Final = 2
_NOT_A_QUOTE: Final = "no sentence of a cited passage says it so"
_OPPOSITE: Final = "the passage says the opposite"


def check_statement(sentence: str, written: str, evidence: Evidence) -> Finding | None:
    """Check one sentence by its words.

    Args:    sentence: quotations and marks blanked.
             written: the sentence as it stands in the answer, for the finding.
    Returns: None for a sentence that says nothing by itself.
    """
    if not telling_words(sentence, evidence.analysis.language):
        return None
    source, note = find_source(sentence, evidence)
    return Finding(
        type=FindingType.STATEMENT,
        value=written,
        supported=source is not None,
        ref_id=source.ref_id if source is not None else "",
        note=note,
    )


def find_source(sentence: str, evidence: Evidence) -> tuple[Passage | None, str]:
    """Return the passage that says it, and how; None and the reason if none does. Its parts may be of several."""
    worst = _NOT_A_QUOTE
    for parts in ([sentence], _parts(sentence, evidence.analysis.language)):
        found = [_source_of_part(part, evidence) for part in parts]
        if found and all(passage is not None for passage, _ in found):
            return found[0][0], "nearly word for word"
        worst = next((note for passage, note in found if passage is None and note != _NOT_A_QUOTE), worst)
    return None, worst


def says_otherwise(sentence: str, piece: str) -> bool:
    """Return whether a sentence denies what a source does not deny, or says up for down, or more for less."""
    if bool(_NOT.search(sentence)) != bool(_NOT.search(piece)):
        return True
    said, told = direction_of(sentence), direction_of(piece)
    if said != 0 and told == -said:
        return True
    return any(
        (one.search(sentence) and other.search(piece) and not one.search(piece))
        or (other.search(sentence) and one.search(piece) and not other.search(piece))
        for one, other in _OPPOSITES
    )


def _parts(sentence: str, language: str) -> list[str]:
    parts = [part for part in _AND.split(sentence) if part.strip()]
    told = [len(telling_words(part, language)) for part in parts]
    return parts if len(parts) > 1 and min(told) >= _FEWEST_OF_A_PART else []


def _source_of_part(part: str, evidence: Evidence) -> tuple[Passage | None, str]:
    language, note = evidence.analysis.language, _NOT_A_QUOTE
    for passage in evidence.passages:
        around = evidence.sources.around(passage)
        elsewhere = frozenset(word_terms(passage.text, passage.chunk.language))
        for piece in quotable_pieces(passage):
            if not nearly_quotes(part, piece.text, language, around, elsewhere):
                continue
            if says_otherwise(part, piece.text):
                note = _OPPOSITE
                continue
            return passage, "nearly word for word"
    return None, note
