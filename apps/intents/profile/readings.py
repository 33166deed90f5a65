"""Read a text in the ways in which it may be meant, where how it is written hides its words from a plain reading.

Markup, entities and reversed writing are read as they are displayed. A sign among letters, such as @, may part two
words or stand for a letter, and a figure at a word's end may be a footnote's. Each is a reading by itself, so that none
hides what another finds. A text without any of these has one reading.
"""

from __future__ import annotations

import html
import re
from typing import Final
from urllib.parse import unquote

# Without attributes alone: what stands in them must not be overlooked.
_INLINE_TAG: Final = re.compile(
    r"</?(?:a|abbr|b|big|code|del|em|font|i|ins|mark|q|s|small|span|strong|sub|sup|tt|u|wbr)\s*/?>", re.IGNORECASE
)
_COMMENT: Final = re.compile(r"<!--.{0,200}?-->", re.DOTALL)
_ESCAPED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_REVERSED: Final = re.compile("[\u202e\u2067]([^\u202c\u2069\n]*)[\u202c\u2069]?")
# A word that is hyphenated where its line ends.
_WRAPPED: Final = re.compile("(?<=\\w)[-\u00ad\u2010\u2011][ \t]{0,80}[\n\r][ \t]{0,80}[\n\r]?[ \t]{0,80}(?=\\w)")
_OWNERS_SIGN: Final = re.compile("[\u2120\u2122]|(?i:(?<=\\w)\\((?:tm|r|c)\\))")
_SIGN_AMONG_LETTERS: Final = re.compile(r"(?<=\w)[@$€!|]+(?=\w)")
_FIGURE_AT_EDGE: Final = re.compile(r"(?<=[^\W\d_]{3})\d+(?!\w)|(?<!\w)\d+(?=[^\W\d_]{3})")
_RAISED: Final = re.compile("[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2473]+")
# "!" and "|" end a word or part two cells. Only between two letters do they stand for one.
_AS_LETTER: Final = re.compile(r"(?<=[^\W\d_])[!|](?=[^\W\d_])")


def readings(text: str) -> tuple[str, ...]:
    """Return the readings of a text, each once; the first is the text as it is."""
    displayed = _displayed(text)
    parted = _FIGURE_AT_EDGE.sub(" ", _SIGN_AMONG_LETTERS.sub(" ", _RAISED.sub(" ", _OWNERS_SIGN.sub(" ", displayed))))
    as_letters = _AS_LETTER.sub(lambda sign: "i" if sign[0] == "!" else "l", displayed)
    return tuple(dict.fromkeys((text, displayed, parted, as_letters)))


def _displayed(text: str) -> str:
    text = _WRAPPED.sub("-", text)
    if not any(sign in text for sign in "&<%\u202e\u2067"):
        return text
    plain = _INLINE_TAG.sub("", _COMMENT.sub("", html.unescape(_INLINE_TAG.sub("", text))))
    plain = _ESCAPED.sub(lambda found: unquote(found[0], errors="ignore"), plain)
    return _REVERSED.sub(lambda found: found[1][::-1], plain)
