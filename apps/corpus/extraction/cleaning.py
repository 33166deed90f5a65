"""Make any decoded text safe to store, to search and to show.

PostgreSQL refuses NUL; UTF-8 refuses lone surrogates; invisible and direction-changing characters would let a file
show one thing to a reader and another to a model.
"""

from __future__ import annotations

import re

# Everything else passes untouched, so that most text costs one search.
_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ue000-\uf8ff\ufb00-\ufb06\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\uffff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0085\x0b\x0c\x1c-\x1f]")
_LINE_SEPARATORS = re.compile("[\u2028\u2029]")
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)
# Private-use code points that Word and PDF producers use for bullets (Symbol and Wingdings).
_BULLETS = re.compile("[\uf0a7\uf0b7\uf0d8\uf06e\uf0fc\uf09f]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# What stands for a character that could not be read, and halves of one.
_LOST = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\ufffd")
_RUN_OF_SPACE = re.compile(r"[ \t\r\n]+")


def clean(text: str) -> str:
    """Remove or replace what must not be stored; newlines, tabs and every visible character stay.

    Args:    text: any string, lone surrogates and NUL included.
    Returns: text that encodes to UTF-8, without control, invisible or private-use characters; odd spaces are plain
             ones, ligatures are spelt out.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _SUSPECT.search(text) is None:
        return text
    text = _SURROGATE_PAIR.sub(_join_pair, text)
    text = _SPACES.sub(" ", _LINE_SEPARATORS.sub("\n", text))
    text = _BULLETS.sub("•", text).translate(_LIGATURES)
    return _SUSPECT.sub("", text)


def is_clean(text: str) -> bool:
    """Would `clean` leave the text as it is? (Line ends apart.)"""
    return _SUSPECT.search(text) is None


def lost_characters(text: str) -> int:
    """How many characters `clean` leaves out that somebody wrote: halves of one, and marks of what was not read."""
    return len(_LOST.findall(text))


def one_line(text: str) -> str:
    """Clean a text and put it on one line with single spaces."""
    return _RUN_OF_SPACE.sub(" ", clean(text)).strip()


def _join_pair(match: re.Match[str]) -> str:
    return match.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le")
