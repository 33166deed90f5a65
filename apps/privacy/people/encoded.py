"""Find runs of a text that encode another text: in base64, in hexadecimal digits or with percent signs."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{60,}(?:\r?\n[A-Za-z0-9+/_-]{4,})+={0,2}|[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX: Final = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9A-Fa-f]{2}[ :\n]?){6,})(?![0-9A-Za-z])")
_PERCENT: Final = re.compile(r"[^\s%]{0,100}(?:%[0-9A-Fa-f]{2}[^\s%]{0,100}){1,1000}")
_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_LEAST_PRINTED: Final = 0.9
_LEAST_CHARACTERS: Final = 3
_STANDARD: Final = str.maketrans("-_", "+/")


def decoded_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, end and decoded text of each encoded run. Runs that decode to no readable text are left out."""
    for match in _BASE64.finditer(text):
        plain = "".join(match.group().split()).rstrip("=").translate(_STANDARD)
        try:
            content = base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "=" * (-len(plain) % 4))
        except binascii.Error:
            continue
        if said := _said(content):
            yield match.start(), match.end(), said
    for match in _HEX.finditer(text):
        if said := _said(bytes.fromhex(re.sub(r"[ :\n]", "", match[1]))):
            yield match.start(), match.end(), said
    for match in _PERCENT.finditer(text) if _ESCAPE.search(text) else ():
        yield match.start(), match.end(), unquote(match.group(), errors="replace")


def _said(content: bytes) -> str:
    """Decode the bytes as UTF-8, UTF-16 of either byte order, or Latin-1; return "" where none gives readable text."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
        try:
            said = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        printed = sum(char.isprintable() or char.isspace() for char in said)
        letters = sum(char.isalpha() and char < "\u2000" for char in said)
        if len(said) >= _LEAST_CHARACTERS and printed >= _LEAST_PRINTED * len(said) and 2 * letters > len(said):
            return said
    return ""
