"""Format texts and lists for the policy file: double quotes, at most 120 characters a line, nothing invisible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 120
STEP: Final = 4

_WORD_WITH_SPACE: Final = re.compile(r"[^ ]+ *|^ +")


def literal(text: str) -> str:
    """Return a text in quotes on one line, with invisible characters (line breaks, direction marks) as escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + escaped(text).replace(quote, "\\" + quote) + quote


def escaped(text: str) -> str:
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(_escape(character) for character in text)


def entry(key: str, text: str, *, indent: int) -> list[str]:
    """Return `"key": "text",` on one line, or, if that is too long, the text on several lines in parentheses."""
    return _fitted(f'"{key}": ', text, indent=indent)


def item(text: str, *, indent: int) -> list[str]:
    """Return a text as one item of a list."""
    return _fitted("", text, indent=indent)


def row(key: str, texts: Sequence[str], *, indent: int) -> list[str]:
    """Return `"key": ["a", "b"],` on one line, or with one text per line if that is too long."""
    line = f'{" " * indent}"{key}": [{", ".join(map(literal, texts))}],'
    return [line] if len(line) <= WIDTH else column(key, texts, indent=indent)


def column(key: str, texts: Sequence[str], *, indent: int) -> list[str]:
    """Return a list with one text per line, however short it is."""
    pad = " " * indent
    if not texts:
        return [f'{pad}"{key}": [],']
    inner = [line for text in texts for line in item(text, indent=indent + STEP)]
    return [f'{pad}"{key}": [', *inner, f"{pad}],"]


def commas(key: str, terms: Sequence[str], *, indent: int) -> list[str]:
    """Return terms as one text, separated by commas; a line ends between two terms, never within one.

    If a term would be read back as another one (it has a comma, a line break or surrounding blanks), return a list
    instead, so that no term changes unnoticed. No such term passes the check, but a draft may have one.
    """
    if not all(term and term == " ".join(term.split()) and "," not in term for term in terms):
        return column(key, terms, indent=indent)
    pad = " " * (indent + STEP)
    pieces = [escaped(term).replace('"', '\\"') for term in terms]
    lines = [f'{" " * indent}"{key}": """']
    for number, piece in enumerate(pieces, start=1):
        tail = "," if number < len(pieces) else '""",'
        blank = "" if number == 1 else " "
        if number > 1 and len(lines[-1]) + len(blank + piece + tail) > WIDTH:
            lines.append(pad + piece)
        else:
            lines[-1] += blank + piece
        lines[-1] += "," if number < len(pieces) else ""
    lines[-1] += '""",'
    return lines


def _fitted(start: str, text: str, *, indent: int) -> list[str]:
    pad = " " * indent
    line = f"{pad}{start}{literal(text)},"
    pieces = _pieces(text, width=WIDTH - indent - STEP)
    if len(line) <= WIDTH or len(pieces) == 1:
        return [line]
    return [f"{pad}{start}(", *(f"{pad}{' ' * STEP}{literal(piece)}" for piece in pieces), f"{pad}),"]


def _pieces(text: str, *, width: int) -> list[str]:
    """Return the text cut after blanks into pieces, each as long as its literal may be."""
    pieces: list[str] = []
    for word in _WORD_WITH_SPACE.findall(text):
        if pieces and len(literal(pieces[-1] + word)) <= width:
            pieces[-1] += word
        else:
            pieces.append(word)
    return pieces


def _escape(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    code = ord(character)
    if short or code > 0xFFFF:
        return short or f"\\U{code:08x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
