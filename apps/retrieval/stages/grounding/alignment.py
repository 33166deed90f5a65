"""Whether one sentence nearly quotes another: its words, and in what order they stand."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from apps.retrieval.stages.figures.bindings import years_of
from apps.retrieval.stages.grounding.moving_words import moving_terms
from apps.retrieval.stages.grounding.wording import filling_terms, word_terms

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
_CODE: Final = re.compile(r"\b(?!Q[1-4]\b|FY|H[12]\b)[A-Z]{1,5}-?\d+[A-Z]?\b")
_NAME: Final = re.compile(r"(?<=\s)[A-Z][\w&.-]*(?:\s+[A-Z][\w&.-]*)*")
_IN_ORDER: Final = 0.75
_LOOSELY_IN_ORDER: Final = 0.6
_FEWEST_FOR_ONE_MORE: Final = 7
_FEWEST_BEFORE: Final = 2
_STEM_CHARS: Final = 5
_SHORT_STEM_CHARS: Final = 4
# Words that say how something is, or was before: another one of them says another thing.
_TURNING: Final = frozenset(
    [
        "lost",
        "lose",
        "win",
        "won",
        "rais",
        "lower",
        "reduc",
        "cut",
        "new",
        "old",
        "former",
        "later",
        "earli",
        "less",
        "more",
        "first",
        "last",
        "best",
        "worst",
        "better",
        "wors",
        "open",
        "close",
        "begin",
        "end",
        "start",
        "stop",
        "never",
        "increas",
        "decreas",
        "push",
        "sold",
        "bought",
        "acquir",
        "sell",
        "buy",
    ]
)


def nearly_quotes(
    sentence: str, piece: str, language: str, around: Collection[str], elsewhere: Collection[str]
) -> bool:
    """Return whether all that a sentence says stands in one sentence or row of a source.

    All its words must stand there, or a word of the same stem, mostly in the same order; two names must stand in the
    same order. A passive is read as its active form. Of seven words or more one may be another, unless it compares,
    turns the sense, is a name, or stands elsewhere in the passage.

    Args: around: the words of the headings and of the document's company, which may be added.
          elsewhere: the other words of the passage.
    """
    if not _same_codes_and_years(sentence, piece):
        return False
    for told in map(tuple, _told(piece, language)):
        for text in _orders(sentence):
            words = [word for word in _words(text, language) if word not in around or word in told]
            if words and _aligned(words, told, text, language, elsewhere):
                return True
    return False


def _same_codes_and_years(sentence: str, piece: str) -> bool:
    """Return whether a sentence has no code (VX-310) and no year that the source does not have beside others."""
    if not {each.lower() for each in _CODE.findall(sentence)} <= {each.lower() for each in _CODE.findall(piece)}:
        return False
    told = years_of(piece)
    return not told or years_of(sentence) <= told


def follows_order(sentence: str, piece: str, language: str) -> bool:
    """Return whether those words of a sentence that stand in a source stand there mostly in the same order."""
    told = [tuple(each) for each in _told(piece, language)]
    for text in _orders(sentence):
        words = [word for word in _words(text, language) if word not in moving_terms(language)]
        for each in told:
            held = [place for word in words if (place := _place(word, each)) >= 0]
            if len(held) <= 2 or _longest_run(held) >= _LOOSELY_IN_ORDER * len(held):
                return True
    return False


def telling_words(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a sentence that say something."""
    return tuple(_words(text, language))


def _aligned(words: Sequence[str], told: Sequence[str], text: str, language: str, elsewhere: Collection[str]) -> bool:
    places = [_place(word, told) for word in words]
    held = [place for place in places if place >= 0]
    missing = [word for word, place in zip(words, places, strict=True) if place < 0]
    if missing and not _may_differ(missing, words, text, language, elsewhere):
        return False
    if not held:
        return False
    run = _longest_run(held) / len(held)
    if run >= _IN_ORDER or len(held) == 1:
        return True
    several_names = language == "en" and len(_names(text, told)) > 1
    return run >= _LOOSELY_IN_ORDER if several_names or language != "en" else True


def _may_differ(
    missing: Sequence[str], words: Sequence[str], text: str, language: str, elsewhere: Collection[str]
) -> bool:
    if len(missing) > 1 or len(words) < _FEWEST_FOR_ONE_MORE:
        return False
    (word,) = missing
    if words.index(word) < _FEWEST_BEFORE or word in elsewhere or word in moving_terms(language) or word in _TURNING:
        return False
    return not any(word in word_terms(name, language) for name in _NAME.findall(f" {text}"))


def _names(text: str, told: Sequence[str]) -> list[str]:
    return [name for name in _NAME.findall(text) if set(word_terms(name, "en")) & set(told)]


def _place(word: str, told: Sequence[str]) -> int:
    """Return where a word, or one of the same stem, stands; -1 if it does not."""
    if word in told:
        return told.index(word)
    return next((place for place, other in enumerate(told) if same_stem(word, other)), -1)


def same_stem(one: str, other: str) -> bool:
    """Return whether two words are one, or of one stem: "insolvent" and "insolvency"."""
    if one == other:
        return True
    shorter = min(len(one), len(other))
    common = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return common >= _STEM_CHARS or (common >= _SHORT_STEM_CHARS and common >= shorter - 1)


def _longest_run(places: Sequence[int]) -> int:
    """Return how many of the places rise, at most."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


def _told(piece: str, language: str) -> Iterator[tuple[str, ...]]:
    for text in _orders(piece):
        yield word_terms(text, language)


def _words(text: str, language: str) -> list[str]:
    filling = filling_terms(language)
    return [term for term in word_terms(text, language) if term not in filling]


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
