"""Check a sentence that states no figure: one sentence or row of a passage must say the same (alignment.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from apps.retrieval.contracts import Finding, FindingType, Passage
from apps.retrieval.stages.grounding.alignment import clauses_told, says_the_same
from apps.retrieval.stages.grounding.evidence import Evidence
from apps.retrieval.stages.grounding.logic import turns_the_sense
from apps.retrieval.stages.grounding.moving_words import direction_of, moving_terms
from apps.retrieval.stages.grounding.paraphrase import find_word, rephrase, same_words, tell, telling_words
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
_REASON: Final = re.compile(
    r"\b(?:because|since|as|due|owing|thanks|reasons?|led|lead|caus\w+|driv\w+|drove|result\w*|after|so|therefore|attribut\w+|reflect\w*|weil|da|wegen|aufgrund|infolge"
    r"|grund|durch|deshalb|f\u00fchrte)\b",
    re.IGNORECASE,
)
_WHY: Final = re.compile(
    r"\b(?:why|reasons?|explain\w*|what\s+(?:drove|caused|explains|led)|warum|weshalb|grund|gr\u00fcnde|wieso)\b",
    re.IGNORECASE,
)
_BECAUSE: Final = re.compile(
    r"^\W*(?:because|since|due\s+to|owing\s+to|weil|da|wegen)\b|\b(?:explain\w*|reasons?|begr\u00fcnde\w*|grund|gr\u00fcnde)\b",
    re.IGNORECASE,
)
_MOST_OF_BARE: Final = 6
_FRAGMENT: Final = re.compile(
    r"\W*(?:while|when|if|unless|once|after|before|until|because|since|by|in|for|wenn|solange|weil|sobald|bis)\b[^,;]*$",
    re.IGNORECASE,
)
_REFERS_BACK: Final = re.compile(r"\s*(?:it|its|this|these|those|they|such|he|she|dies\w*|er|sie|es)\b", re.IGNORECASE)
_SMALL: Final = re.compile(r"\b[^\W\dA-Z\u00c4\u00d6\u00dc]\w+")
_AND: Final = re.compile(r",?\s+(?:and|but|while|whereas|so|which|und|aber)\s+|;\s*")
_FEWEST_OF_A_PART: Final = 2
_NOT_A_QUOTE: Final = "no sentence of a cited passage says it so"
_OPPOSITE: Final = "the passage says the opposite"
_OTHERWISE: Final = "the passage says it otherwise"


def check_statement(sentence: str, written: str, evidence: Evidence, *, first: bool) -> Finding | None:
    """Check one sentence by its words.

    Args:    sentence: quotations and marks blanked.
             written: the sentence as it stands in the answer, for the finding.
             first: whether it begins the answer.
    Returns: None for a sentence that says nothing by itself.
    """
    if not telling_words(sentence, evidence.analysis.language):
        return None
    source, note = find_source(sentence, evidence, first=first)
    return Finding(
        type=FindingType.STATEMENT,
        value=written,
        supported=source is not None,
        ref_id=source.ref_id if source is not None else "",
        note=note,
    )


def find_source(sentence: str, evidence: Evidence, *, first: bool = False) -> tuple[Passage | None, str]:
    """Return the passage that says it, and how; None and the reason if none does. Its parts may be of several."""
    worst = _NOT_A_QUOTE
    for parts in ([sentence], _parts(sentence, evidence.analysis.language)):
        found = [_source_of_part(part, evidence, first=first) for part in parts]
        if found and all(passage is not None for passage, _ in found):
            return found[0][0], "nearly word for word"
        worst = next((note for passage, note in found if passage is None and note != _NOT_A_QUOTE), worst)
    return None, worst


def says_otherwise(sentence: str, piece: str, language: str) -> bool:
    """Return whether a sentence denies what a source does not deny, or says up for down, or more for less."""
    sentence, piece = rephrase(sentence, language), rephrase(piece, language)
    denied = _NOT.search(clauses_told(sentence, piece, language))
    if (_NOT.search(sentence) is None and denied) or (_NOT.search(sentence) and not _NOT.search(piece)):
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
    parts: list[str] = []
    for part in _AND.split(sentence):
        if parts and not names_more(part, language):
            # A name alone says nothing: it belongs to what stands before it.
            parts[-1] += f", {part}"
        elif part.strip():
            parts.append(part)
    told = [len(telling_words(part, language)) for part in parts]
    return parts if len(parts) > 1 and min(told) >= _FEWEST_OF_A_PART else []


def names_more(text: str, language: str) -> bool:
    """Return whether a text says more than names: a word without a capital that says something."""
    return any(telling_words(word, language) for word in _SMALL.findall(text))


def needs_topic(text: str, evidence: Evidence, *, first: bool) -> bool:
    """Return whether a text says only why, when or on what condition: then the question says of what.

    To "why", the short text with which an answer begins is such a reason, too.
    """
    asked = _WHY.search(evidence.analysis.text) is not None
    bare = first and len(telling_words(text, evidence.analysis.language)) <= _MOST_OF_BARE
    return _is_fragment(text) or (asked and (bare or _BECAUSE.search(text) is not None))


def is_on_topic(piece: str, evidence: Evidence) -> bool:
    """Return whether a sentence of a source speaks of what the question asks about."""
    language = evidence.analysis.language
    names = frozenset[str]().union(*(evidence.sources.around(each) for each in evidence.passages))
    moving = same_words(moving_terms(language), language)
    asked = {word for word in telling_words(evidence.analysis.text, language) if word not in names | moving}
    told = tell(piece, language)
    return not asked or 2 * sum(find_word(word, told, language) >= 0 for word in asked) >= len(asked)


def _is_whole(text: str, piece: str, language: str) -> bool:
    """Return whether a text tells all of a sentence: then it is no bare reason, whatever was asked."""
    said = tell(text, language)
    return not _is_fragment(text) and all(
        find_word(word, said, language) >= 0 for word in telling_words(piece, language)
    )


def _is_fragment(part: str) -> bool:
    """Return whether a text is no sentence of its own, so that the question says the rest of it."""
    return _FRAGMENT.match(part) is not None


def _source_of_part(part: str, evidence: Evidence, *, first: bool) -> tuple[Passage | None, str]:
    language, note = evidence.analysis.language, _NOT_A_QUOTE
    asked = evidence.analysis.text if _is_fragment(part) else ""
    for passage in evidence.passages:
        around = evidence.sources.around(passage)
        for piece in _told_together(passage, part):
            if not says_the_same(part, piece, language, around):
                continue
            if (
                needs_topic(part, evidence, first=first)
                and not _is_whole(part, piece, language)
                and not is_on_topic(piece, evidence)
            ):
                continue
            if says_otherwise(f"{asked} {part}", piece, language):
                note = _OPPOSITE
                continue
            if turns_the_sense(part, piece, language, evidence.analysis.text):
                note = _OTHERWISE
                continue
            return passage, "nearly word for word"
    return None, note


def _told_together(passage: Passage, part: str) -> Iterator[str]:
    """Yield the sentences of a passage, then each with one that refers back to it: "It", "This".

    Which of two sentences says why the other is so, is not ours to guess.
    """
    pieces = [piece.text for piece in quotable_pieces(passage)]
    yield from pieces
    for first, second in pairwise(pieces):
        if _REFERS_BACK.match(second) and not _REASON.search(part):
            yield f"{first} ; {second}"
