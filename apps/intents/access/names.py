"""Compare a name as people write it with the names of an account. Nothing here reads the database.

Case, accents, surplus blanks, hyphens, commas and the order of words do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Final

from rapidfuzz import fuzz

Word = frozenset[str]
"""A word in its usual spellings without accents: "Müller" is muller and mueller."""
Words = tuple[Word, ...]

_WORD: Final = re.compile(r"[^\W_]+")
_APOSTROPHE: Final = re.compile("['\u2019\u2018`\u00b4]")
_WRITTEN_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
# Letters that Unicode does not divide into a letter and its accent.
_PLAIN: Final = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"})


def folded(text: str) -> str:
    """Return a text in lower case and NFKC, without invisible characters, and with single blanks."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(each for each in plain if unicodedata.category(each) != "Cf").split())


def words(name: str) -> Words:
    """Return the words of a name; of an address, those before the @."""
    small = _APOSTROPHE.sub("", folded(name).partition("@")[0])
    spellings = (_WORD.findall(_without_accents(each)) for each in (small, small.translate(_WRITTEN_OUT)))
    return tuple(frozenset(each) for each in zip(*spellings, strict=True))


def is_whole(typed: Words, name: Words) -> bool:
    """Return whether both have the same words, in any order."""
    return len(typed) == len(name) and _fits(typed, name, lambda one, other: not one.isdisjoint(other))


def is_part(typed: Words, name: Words) -> bool:
    """Return whether each typed word begins a word of the name, and no two of them the same one."""
    return bool(typed) and _fits(typed, name, _begins)


def is_initials(typed: Words, name: Words) -> bool:
    """Return whether one typed word is the initials of a name of several words: ml is Maria Lindqvist."""
    if len(typed) != 1 or len(name) < 2:
        return False
    return any(
        len(letters) == len(name)
        and all(
            any(spelling.startswith(letter) for spelling in word) for letter, word in zip(letters, name, strict=True)
        )
        for letters in typed[0]
    )


def likeness(typed: Words, name: Words) -> float:
    """Return how alike a typed name and a name are, 0..100: the mean over the typed words of the best match of each."""
    if not typed or not name:
        return 0.0
    return sum(max(_ratio(word, each) for each in name) for word in typed) / len(typed)


def addresses(typed: str) -> tuple[str, ...]:
    """Return the ways in which an account may hold an address: as typed, in small letters, with capital initials."""
    mailbox, at, domain = "".join(folded(typed).split()).rpartition("@")
    if not mailbox or not domain:
        return ()
    as_typed = unicodedata.normalize("NFKC", typed).strip().rpartition("@")[0]
    return tuple(dict.fromkeys(f"{each}{at}{domain}" for each in (as_typed, mailbox, mailbox.title())))


def _fits(typed: Words, name: Words, fit: Callable[[Word, Word], bool]) -> bool:
    left = list(name)
    # The longest first: it fits the fewest words, so a shorter one does not take the only word that it fits.
    for word in sorted(typed, key=_length, reverse=True):
        place = next((place for place, each in enumerate(left) if fit(word, each)), None)
        if place is None:
            return False
        del left[place]
    return True


def _begins(typed: Word, word: Word) -> bool:
    return any(spelling.startswith(beginning) for spelling in word for beginning in typed)


def _length(word: Word) -> int:
    return max(map(len, word))


def _ratio(one: Iterable[str], other: Iterable[str]) -> float:
    return max(fuzz.ratio(mine, theirs) for mine in one for theirs in other)


def _without_accents(text: str) -> str:
    divided = unicodedata.normalize("NFD", text.translate(_PLAIN))
    return "".join(letter for letter in divided if not unicodedata.combining(letter))
