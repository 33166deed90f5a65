"""Check whether a text says what an evaluation question accepts as its answer.

`accepts` is a list of lists: the text must hold at least one string of every inner list. Case, blanks, and the forms of
dashes and quotation marks make no difference. A string is held as whole words, and a figure as a whole figure: 780 is
neither in 1,780 nor in 780.5, and it is in "EUR 780m".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Final

Accepts = tuple[tuple[str, ...], ...]

# The ref_ids that an answer names: neither their words nor their numbers are part of what it says.
REFERENCE: Final = re.compile(r"\[[^\[\]]*\|p\d+\|c\d+\]")
# Dashes and minus signs, single and double quotation marks.
_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63", "-"),
        **dict.fromkeys("`\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        # Marks of emphasis, and characters without a width.
        **dict.fromkeys("*\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_CHARS_OF_A_STRING: Final = 300
_BEFORE_PERCENT: Final = re.compile(r"\s+%")
_BEFORE_WORD: Final = r"(?<!\w)"
_AFTER_WORD: Final = r"(?!\w)"
# A figure ends where no further digit follows, with or without a separator. A unit may stand at it.
_BEFORE_FIGURE: Final = r"(?:(?<!\w)|(?<=\beur)|(?<=\busd)|(?<=\bgbp)|(?<=\bchf))(?<!\d[.,'])"
_AFTER_FIGURE: Final = r"(?![.,']\d)(?=(?:m|mn|bn|k|x|bp|bps|pp)?(?!\w))"
_YES_NO: Final = re.compile(r"\W*(?:(?P<yes>yes|ja)\b|(?P<no>nein\b|no(?=\s*(?:[^\w\s]|$))))")


def read_accepts(given: Any) -> Accepts:
    """Return what a row accepts, from its JSON.

    Raises: ValueError: what is wrong with it, as the end of a sentence.
    """
    if not isinstance(given, list) or not all(isinstance(each, list) and each for each in given):
        raise ValueError('"accepts" is not a list of lists, each of at least one string.')
    for each in (each for alternatives in given for each in alternatives):
        if not isinstance(each, str) or not plain(each):
            raise ValueError('an entry of "accepts" is no string, or one with nothing to find.')
        if "\x00" in each:
            raise ValueError('a string of "accepts" holds a null character.')
        if len(each) > _CHARS_OF_A_STRING:
            raise ValueError(f'a string of "accepts" is longer than {_CHARS_OF_A_STRING} characters.')
    return tuple(tuple(dict.fromkeys(alternatives)) for alternatives in given)


def accepted(text: str, accepts: Accepts) -> bool:
    """Return whether a text holds a string of every inner list."""
    said = plain(text)
    return all(any(_pattern(plain(each)).search(said) for each in alternatives) for alternatives in accepts)


def says_yes_or_no(text: str) -> str:
    """Return `yes` or `no` if an answer begins with it, in English or German; else an empty string.

    A "no" that belongs to a noun ("No provision was made") is not such a beginning.
    """
    match = _YES_NO.match(plain(text))
    return (match.lastgroup or "") if match else ""


def plain(text: str) -> str:
    """Return a text as it is compared: without case, with one form of blank, dash and quotation mark."""
    signs = unicodedata.normalize("NFKC", REFERENCE.sub(" ", text).translate(_SIGNS)).translate(_SIGNS)
    return _BEFORE_PERCENT.sub("%", " ".join(signs.casefold().split()))


def held_by(texts: Iterable[str]) -> str:
    """Return texts as one, so that no string reaches from one of them into the next."""
    return "\n¶\n".join(text for text in texts if text)


def _pattern(wanted: str) -> re.Pattern[str]:
    before = _BEFORE_FIGURE if wanted[0].isdigit() else _BEFORE_WORD if wanted[0].isalnum() else ""
    after = _AFTER_FIGURE if wanted[-1].isdigit() else _AFTER_WORD if wanted[-1].isalnum() else ""
    return re.compile(f"{before}{re.escape(wanted)}{after}")
