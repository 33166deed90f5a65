"""Check a sentence that states no figure: it must nearly quote one sentence or row of a passage.

"Nearly" is decided by the words that say something: each must stand in the source, in the same order. A passive is
read as its active form, and what stands before a comma at the beginning may stand at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from apps.retrieval.contracts import Finding, FindingType, Passage
from apps.retrieval.stages.grounding.evidence import Evidence
from apps.retrieval.stages.grounding.moving_words import direction_of, moving_terms
from apps.retrieval.stages.grounding.wording import filling_terms, word_terms
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_NOT: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|cannot|without|except|unless|nicht|kein\w*|nie|au\u00dfer|ohne)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_PASSIVE: Final = re.compile(
    r"^(?P<what>.+?)\b(?P<is>(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?)(?P<verb>\w+(?:ed|en|wn|ght|ld|pt|de))\s+by\s+"
    r"(?P<who>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FURTHER: Final = re.compile(r"\s(?:for|in|on|at|from|with|to|during|after|before|under)\b|,", re.IGNORECASE)
_FRONTED: Final = re.compile(
    r"^\W*(?P<first>(?:in|at|on|for|under|during|according|as|by|with|from|within|bei|im|am)\b[^,]{1,80}),\s*(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_AND: Final = re.compile(r",?\s+(?:and|but|while|whereas|und|aber)\s+|;\s*")
_COMMA: Final = re.compile(r",\s|;|\s\u2013\s|\u2014|\b(?:and|while|und)\b")
_FEWEST_OF_A_PART: Final = 2
_NOT_A_QUOTE: Final = "no sentence of a cited passage says it so"


def check_statement(sentence: str, written: str, evidence: Evidence) -> Finding | None:
    """Check one sentence by its words.

    Args:    sentence: quotations and marks blanked.
             written: the sentence as it stands in the answer, for the finding.
    Returns: None for a sentence that says nothing by itself.
    """
    if not _told(sentence, evidence.analysis.language, frozenset()):
        return None
    source, note = _source(sentence, evidence)
    return Finding(
        type=FindingType.STATEMENT,
        value=written,
        supported=source is not None,
        ref_id=source.ref_id if source is not None else "",
        note=note,
    )


def follows_order(sentence: str, piece: str, language: str) -> bool:
    """Return whether the words of each part of a sentence stand in a source in the same order."""
    moving = moving_terms(language)
    told = list(_pieces_told(piece, language))
    for part in _COMMA.split(sentence):
        readings = [tuple(term for term in _told(text, language, moving)) for text in _orders(part)]
        held = [tuple(term for term in words if any(term in each for each in told)) for words in readings]
        if len(held[0]) > _FEWEST_OF_A_PART and not any(
            _aligned(words, each, frozenset()) for words in held for each in told
        ):
            return False
    return True


def _source(sentence: str, evidence: Evidence) -> tuple[Passage | None, str]:
    """Return the passage that says it, and how; None and the reason if none does."""
    worst = _NOT_A_QUOTE
    for part_of in ([sentence], _parts(sentence, evidence.analysis.language)):
        found = [_source_of_part(part, evidence) for part in part_of]
        if found and all(passage is not None for passage, _ in found):
            return found[0][0], "nearly word for word"
        worst = next((note for passage, note in found if passage is None and note != _NOT_A_QUOTE), worst)
    return None, worst


def _parts(sentence: str, language: str) -> list[str]:
    parts = _AND.split(sentence)
    told = [len(_told(part, language, frozenset())) for part in parts]
    return parts if len(parts) > 1 and min(told) >= _FEWEST_OF_A_PART else []


def _source_of_part(part: str, evidence: Evidence) -> tuple[Passage | None, str]:
    language, note = evidence.analysis.language, _NOT_A_QUOTE
    for passage in evidence.passages:
        around = evidence.sources.around(passage)
        readings = [words for text in _orders(part) if (words := _told(text, language, frozenset()))]
        for piece in quotable_pieces(passage):
            for told in _pieces_told(piece.text, passage.chunk.language):
                if not any(_aligned(words, told, around) for words in readings):
                    continue
                if bool(_NOT.search(part)) != bool(_NOT.search(piece.text)) or _opposite(part, piece.text):
                    note = "the passage says the opposite"
                    continue
                return passage, "nearly word for word"
    return None, note


def _opposite(part: str, piece: str) -> bool:
    said, told = direction_of(part), direction_of(piece)
    return said != 0 and told == -said


def _pieces_told(piece: str, language: str) -> Iterator[tuple[str, ...]]:
    for text in _orders(piece):
        yield word_terms(text, language)


def _told(text: str, language: str, known: frozenset[str]) -> tuple[str, ...]:
    plain = filling_terms(language)
    return tuple(term for term in word_terms(text, language) if term not in plain and term not in known)


def _orders(text: str) -> Iterator[str]:
    """Yield the text as it stands, or its active form if it is a passive; then with its beginning at its end."""
    text = _in_active(text)
    yield text
    if fronted := _FRONTED.match(text):
        yield f"{_in_active(fronted['rest']).rstrip().rstrip('.')} {fronted['first']}"


def _in_active(text: str) -> str:
    passive = _PASSIVE.match(text.strip().rstrip("."))
    if passive is None:
        return text
    who, rest = passive["who"], ""
    if further := _FURTHER.search(who):
        who, rest = who[: further.start()], who[further.start() :]
    return f"{who} {passive['verb']} {passive['what']} {rest}"


def _aligned(words: Sequence[str], told: Sequence[str], around: frozenset[str]) -> bool:
    """Return whether all words stand in the source in the same order. Names of its headings may be added."""
    position = 0
    for word in words:
        try:
            position = told.index(word, position) + 1
        except ValueError:
            if word not in around or word in told:
                return False
    return any(word in told for word in words)
