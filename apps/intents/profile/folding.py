"""Read the words of a text so that the ways of writing a word that look alike to a reader are the same word.

Every word gets its forms. The plain form is without case, accents, ligatures, invisible characters and marks. Where a
word has letters that only look like Latin ones, or digits among its letters, there is a second form with the letters
that a reader sees. A word of Latin letters alone has no second form: "ball" must not be read as "bail".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

# Combining marks, control and format characters, private use, surrogates, unassigned: nothing that is read.
_UNSEEN: Final = frozenset({"Mn", "Me", "Cf", "Cc", "Co", "Cs", "Cn"})
# Letters that are drawn as nothing, though Unicode calls them letters.
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
# Latin letters with a stroke, hook or tail, which have no decomposition, and ligatures.
_PLAIN: Final = str.maketrans(
    {
        **dict(zip("øđłħŧıȷƀɓƈɖɗɛƒɠɨƙɫɱɲɵƥɍɽʂƫƭʈʉʋƴƶʐŋ", "odlhtijbbcddefgiklmnoprrstttuvyzzn", strict=True)),
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "ĳ": "ij",
    }
)
# Letters of other scripts that look like Latin ones (after Unicode's confusables), in their own case: a Greek capital
# looks like another letter than its small one.
_LOOKALIKES: Final = {
    **dict(zip("АВЕКМНОРСТУХЅІЈԚԜҮӀЗԌ", "ABEKMHOPCTYXSIJQWYlBG", strict=True)),
    **dict(zip("авекмнорстухѕіјԛԝүӏгпԁһѵёєґь", "abekmhopctyxsijqwylrndhveerb", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)),  # noqa: RUF001
    **dict(zip("αβγεζηικμνορτυχωϲϳ", "abyeznikuvoptuxwcj", strict=True)),
    **dict(zip("օոսհցզՏԼ", "onuhgqSL", strict=True)),
    **dict(zip("ЬσᴑƅƄɩ", "boobbi", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇғɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡꞵ", "ABCDEFGHIJKLMNOPRSTUVWYZagb", strict=True)),
}
_NAMED_LATIN: Final = re.compile(
    r"(?:MODIFIER LETTER|LATIN(?: SUBSCRIPT)?(?: (?:SMALL|CAPITAL))? LETTER)(?: SMALL)?(?: CAPITAL)? ([A-Z])"
    r"(?: WITH .+)?"
)
# Digits and signs that stand for letters among letters. "1" may stand for two.
_FIGURES: Final = {"0": "o", "1": "il", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "€": "e"}
_MOST_FORMS: Final = 32
_APOSTROPHES: Final = frozenset("'\u2019\u02bc`\u00b4")
# In German, ä is also written ae. Not after another vowel or a q, where they are two sounds (neue, quer).
_UMLAUT: Final = re.compile(r"(?<![aeiouq])([aou])e")
_SHORTEST_WITH_UMLAUT: Final = 5


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text. forms: the ways to read it, the plain one first. start, end: where it stands in the text.

    joined: whether signs alone, such as a hyphen, and no blank part it from the word before it: "crypto-currency",
    "bit(coin)".
    """

    forms: tuple[str, ...]
    start: int
    end: int
    joined: bool


def read_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text in their order."""
    found: list[Word] = []
    letters: list[tuple[str, int]] = []
    spaced = True

    def end_word() -> None:
        nonlocal spaced
        if any(sign.isalnum() for sign, _ in letters):
            forms = _forms("".join(sign for sign, _ in letters))
            found.append(Word(forms, letters[0][1], letters[-1][1] + 1, joined=not spaced))
            spaced = False
        letters.clear()

    for place, sign in enumerate(text):
        shown = _seen(sign)
        if shown.isspace():
            end_word()
            spaced = True
        elif shown and (shown[0].isalnum() or (shown in _FIGURES and letters)):
            letters.extend((each, place) for each in shown if each.isalnum() or each in _FIGURES)
        elif shown:
            end_word()
    end_word()
    return tuple(found)


def _seen(sign: str) -> str:
    """Return what a reader sees of a character: nothing for an invisible one, a blank for any white space."""
    if sign.isspace():
        return " "
    if sign.isascii():
        return "" if not sign.isprintable() else sign
    code = ord(sign)
    for first in (0x1F150, 0x1F170, 0x1F1E6):  # letters in black circles and squares, and those of flags
        if first <= code < first + 26:
            return chr(ord("a") + code - first)
    if sign in _FILLERS:
        return ""
    kept = [
        each
        for each in unicodedata.normalize("NFKD", sign)
        if each not in _FILLERS and unicodedata.category(each) not in _UNSEEN
    ]
    return "".join(_latin(each) for each in kept if not each.isspace()) or (" " if kept else "")


@lru_cache(maxsize=4096)
def _latin(sign: str) -> str:
    """Return the Latin letter or the digit that Unicode's name of a sign says it is drawn as, or the sign itself."""
    if sign.isascii() or sign in _LOOKALIKES:
        return sign
    if unicodedata.category(sign) == "Nd":
        return str(unicodedata.digit(sign))
    named = _NAMED_LATIN.fullmatch(unicodedata.name(sign, ""))
    if not named:
        return sign
    return named[1] if sign.isupper() else named[1].lower()


def _forms(letters: str) -> tuple[str, ...]:
    plain = _plain(letters)
    seen = "".join(_LOOKALIKES.get(each, each) for each in letters)
    forms = dict.fromkeys([plain, _plain(seen)])
    # A capital I within small letters is read as l: "GIobal".
    if re.search(r"[^\WA-Z\d_]I|I[^\WA-Z\d_]", seen[1:]) or (seen[:1] == "I" and seen[1:2].islower()):
        forms[_plain(seen.replace("I", "l"))] = None
    if any(each in _FIGURES for each in seen) and any(each.isalpha() for each in seen):
        readings = product(*(_FIGURES.get(each, each) for each in seen))
        for _, reading in zip(range(_MOST_FORMS), readings, strict=False):
            forms[_plain("".join(reading))] = None
    return tuple(form for form in forms if form)


def _plain(letters: str) -> str:
    folded = letters.casefold().translate(_PLAIN)
    word = "".join(each for each in folded if each.isalnum())
    return _UMLAUT.sub(r"\1", word) if len(word) >= _SHORTEST_WITH_UMLAUT else word


def shown(text: str, start: int, end: int) -> str:
    """Return a piece of a text as a person can read it: without what is invisible, on one line."""
    return " ".join("".join(_visible(text[start:end])).split())


def _visible(piece: str) -> Iterator[str]:
    for sign in piece:
        if sign.isspace():
            yield " "
        elif sign not in _FILLERS and unicodedata.category(sign) not in _UNSEEN - {"Mn"}:
            yield sign
