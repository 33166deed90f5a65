"""Normalise words for comparison, and find words with their positions in the original text.

The text itself is never changed: words are found in the original, and each is folded separately, so that a match's span
always points at the original characters.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Combining marks, and characters that are not visible: soft hyphens, joiners, direction marks.
_MARKS = "\u0300-\u036f"
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff"
WORD = re.compile(rf"[^\W\d_]+(?:[{_MARKS}{_INVISIBLE}]+[^\W\d_]*)*")
_NOT_COMPARED = re.compile(f"[{_MARKS}{_INVISIBLE}]")
# What splits a word: a hyphen with a line break, which reading a file may have turned into a blank; or an apostrophe.
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
_REDUCED_FROM = 5  # letters: "Doe" is not a spelling of "Dö"


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its position: text[start:end]."""

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
    """Return the words of a text as a set, for lists that are easier to read as running text."""
    return frozenset(words.split())


def words(text: str) -> list[Word]:
    """Return the runs of letters of a text, in order; digits, periods, hyphens and apostrophes separate them."""
    return [Word(match.start(), match.end(), match.group()) for match in WORD.finditer(text)]


def raw_words(text: str) -> set[str]:
    """Return the distinct words of a text in lower case, and the joined halves of split words, for a quick check."""
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
    """Return the word in lower case and composed form, without invisible characters, for comparison."""
    plain = unicodedata.normalize("NFKC", word)
    plain = unicodedata.normalize("NFC", plain.casefold().replace("\u0307", ""))
    return _NOT_COMPARED.sub("", plain) if not plain.isascii() else plain


@lru_cache(maxsize=65_536)
def writings(word: str) -> frozenset[str]:
    """Return the spellings of a word without accents: "Müller" as mueller and muller, "Groß" as gross.

    Two words whose sets overlap count as the same word.
    """
    small = folded(_sharp(word))
    if small.isascii():
        return frozenset({small})
    return frozenset({without_marks(small), without_marks(small.translate(_WRITTEN_OUT))})


@lru_cache(maxsize=65_536)
def reduced(word: str) -> str:
    """Return one spelling for all spellings of an umlaut: Müller, Mueller and Muller become muller."""
    small = without_marks(folded(_sharp(word)))
    return _UMLAUT_WRITTEN_OUT.sub(r"\1", small) if len(small) >= _REDUCED_FROM else small


def without_marks(word: str) -> str:
    if word.isascii():
        return word
    divided = unicodedata.normalize("NFD", word.translate(_WITHOUT_MARKS))
    return "".join(letter for letter in divided if not unicodedata.combining(letter))


def _sharp(word: str) -> str:
    """Write the capital ẞ as ss, just as casefold() writes ß."""
    return word.replace("\u1e9e", "ss")
