"""Turn a text file's bytes into text: by its byte order mark, as UTF-8, or as the Western encoding that fits."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE_BYTES = 65_536
_MAX_BINARY_SHARE = 0.02
# Bytes that Windows-1252 leaves undefined; Latin-1 has control characters there, so neither was meant.
_UNDEFINED_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


class DecodedText(NamedTuple):
    """The text, and the encoding it was read in; `certain` is False where that was a guess."""

    text: str
    encoding: str
    certain: bool


def looks_binary(content: bytes) -> bool:
    """Could the bytes be no text in any encoding that is read here?"""
    if any(content.startswith(mark) for mark, _ in _MARKS):
        return False
    sample = content[:_SAMPLE_BYTES]
    if b"\x00" in sample:
        return _wide_encoding(sample) is None
    return len(_BINARY.findall(sample)) > _MAX_BINARY_SHARE * max(len(sample), 1)


def decode(content: bytes) -> DecodedText:
    """Decode a text file. Never fails: the last resort, Latin-1, has a character for every byte.

    Args:    content: bytes for which `looks_binary` is False.
    Returns: the text without its byte order mark; broken sequences under a mark become the replacement character.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return DecodedText(content.decode(encoding, "replace"), encoding, True)
    try:
        return DecodedText(content.decode("utf-8"), "utf-8", True)
    except UnicodeDecodeError:
        pass
    wide = _wide_encoding(content[:_SAMPLE_BYTES])
    if wide:
        return DecodedText(content.decode(wide, "replace"), wide, False)
    encoding = "latin-1" if _UNDEFINED_1252.search(content) else "cp1252"
    return DecodedText(content.decode(encoding), encoding, False)


def _wide_encoding(sample: bytes) -> str | None:
    """UTF-16 without its mark shows as a zero in nearly every second byte of Western text."""
    half = max(len(sample) // 2, 1)
    if sample[1::2].count(0) > 0.7 * half and sample[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None
