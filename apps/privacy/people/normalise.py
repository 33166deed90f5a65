"""Letters as they are compared, and words with their places in the text as it stands.

Nothing is folded in place: words are found in the original, and each is folded by itself, so that a match's span always
points at the original characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Marks that stand upon a letter, and what is printed as nothing: soft hyphens, joiners, direction marks.
_MARKS = "\u0300-\u036f"
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff"
WORD = re.compile(rf"[^\W\d_]+(?:[{_MARKS}{_INVISIBLE}]+[^\W\d_]*)*")
_NOT_COMPARED = re.compile(f"[{_MARKS}{_INVISIBLE}]")
# What divides a word: a line's end, of which reading a file may have made a blank; or an apostrophe.
BREAK = re.compile(r"[-\u2010\u2011]\s+")
APOSTROPHE = re.compile(r"['\u2019\u2018`\u00b4]")
_DIVIDER = re.compile(f"{BREAK.pattern}|{APOSTROPHE.pattern}")
_LONGEST_WORD = 60
_WRITTEN_OUT = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "ø": "oe",
        "æ": "ae",
        "œ": "oe",
        "å": "aa",
        "ł": "l",
        "đ": "d",
        "ð": "d",
    }
)
_WITHOUT_MARKS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d"})
_UMLAUT_WRITTEN_OUT = re.compile(r"(?<![aeiouqy])([aou])e(?=.)")
_REDUCED_FROM = 5  # letters: "Doe" is no "Dö"


@dataclass(frozen=True, slots=True)
class Word:
    """text[start:end], as it is compared."""

    start: int
    end: int
    raw: str

    @property
    def is_capitalised(self) -> bool:
        return self.raw[0].isupper() or self.raw[0].istitle()

    @property
    def is_capitals(self) -> bool:
        return len(self.raw) > 1 and self.raw.isupper()


def word_set(words: str) -> frozenset[str]:
    """The words of a text, for lists that are easier to read as running text."""
    return frozenset(words.split())


def words(text: str) -> list[Word]:
    """The runs of letters of a text, in order; digits, points, hyphens and apostrophes divide them."""
    return [Word(match.start(), match.end(), match.group()) for match in WORD.finditer(text)]


def raw_words(text: str) -> set[str]:
    """The different words of a text in small letters, and what two make that something divides: for a quick look."""
    lowered = text.lower()
    found = set(WORD.findall(lowered))
    for divider in _DIVIDER.finditer(lowered):
        before = WORD.findall(lowered, max(0, divider.start() - _LONGEST_WORD), divider.start())
        after = WORD.match(lowered, divider.end())
        if before and after:
            found.add(before[-1] + after.group())
    return found


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """Small letters in their composed form, without what is not printed: the same letters, whoever typed them."""
    plain = unicodedata.normalize("NFKC", word)
    plain = unicodedata.normalize("NFC", plain.casefold().replace("\u0307", ""))
    return _NOT_COMPARED.sub("", plain) if not plain.isascii() else plain


@lru_cache(maxsize=65_536)
def writings(word: str) -> frozenset[str]:
    """How a word is written by who has no accents: "Müller" as mueller and muller, "Groß" as gross.

    Two words of which these overlap are taken for the same.
    """
    small = folded(_sharp(word))
    if small.isascii():
        return frozenset({small})
    return frozenset({without_marks(small), without_marks(small.translate(_WRITTEN_OUT))})


@lru_cache(maxsize=65_536)
def reduced(word: str) -> str:
    """One writing for all of an umlaut's: Müller, Mueller and Muller are muller."""
    small = without_marks(folded(_sharp(word)))
    return _UMLAUT_WRITTEN_OUT.sub(r"\1", small) if len(small) >= _REDUCED_FROM else small


def without_marks(word: str) -> str:
    if word.isascii():
        return word
    divided = unicodedata.normalize("NFD", word.translate(_WITHOUT_MARKS))
    return "".join(letter for letter in divided if not unicodedata.combining(letter))


def _sharp(word: str) -> str:
    """casefold() writes ß as ss, which is what is wanted; its capital does so too."""
    return word.replace("\u1e9e", "ss")
