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
_WESTERN, _ANY_BYTE = "cp1252", "latin-1"
_DECLARED = re.compile(
    rb"(?:<meta[^>]{0,200}?\bcharset|<\?xml[^>]{0,200}?\bencoding)\s*=\s*[\"']?\s*([A-Za-z0-9_-]{2,40})"
)
_DECLARED_WITHIN = 4_096
_SOUND_FOR_BROKEN = 4
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_CONTROLS = re.compile("[\x80-\x9f]")
# In the midst of a word: signs that stand for umlauts of DOS, capitals that do for those of old Macs.
_ODD = re.compile(
    "(?<=[A-Za-z])[\u201a-\u201e\u2020-\u203a\u2122\u0160\u017d\u0178\u00a1-\u00b6\u00b8-\u00de](?=[a-z])"
)
# UTF-8 that was read as Windows-1252 once: "Ã¼", "â€œ".
_TWICE = re.compile("\u00c3[\u0080-\u00bf\u0152-\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|\u00e2\u20ac")
_FEWEST_ODD = 3
_FEWEST_FOREIGN = 12
_MOST_FOREIGN = 0.4  # of all letters; Czech and Vietnamese, with the most, stay below 0.3
# Bytes that Windows-1252 leaves undefined; Latin-1 has control characters there, so neither was meant.
_UNDEFINED_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


class DecodedText(NamedTuple):
    """The text, and the encoding it was read in; `certain` is False where that was a guess.

    `wrong`: the guess can't be right; the text is not what was written. `broken`: how many characters can't be read.
    `twice`: the text was decoded wrongly and saved so before it came, and shows it.
    """

    text: str
    encoding: str
    certain: bool
    wrong: bool = False
    broken: int = 0
    twice: bool = False


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
    Returns: the text without its byte order mark.
    """
    text, encoding, certain = _decoded(content)
    guessed = encoding in (_WESTERN, _ANY_BYTE)
    return DecodedText(
        text,
        encoding,
        certain,
        wrong=guessed and not certain and _is_wrong(text),
        broken=text.count("\ufffd") + (len(_CONTROLS.findall(text)) if encoding == _ANY_BYTE else 0),
        twice=len(_TWICE.findall(text)) >= _FEWEST_ODD,
    )


def _decoded(content: bytes) -> tuple[str, str, bool]:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace"), encoding, True
    try:
        return content.decode("utf-8"), "utf-8", True
    except UnicodeDecodeError:
        pass
    declared = _declared_encoding(content)
    if declared:
        return content.decode(declared), declared, True
    wide = _wide_encoding(content[:_SAMPLE_BYTES])
    if wide:
        return content.decode(wide, "replace"), wide, False
    # A few broken places do not make another encoding of a text: what else would be UTF-8 by chance?
    damaged = content.decode("utf-8", "replace")
    broken = damaged.count("\ufffd")
    if len(_NOT_ASCII.findall(damaged)) - broken >= _SOUND_FOR_BROKEN * broken:
        return damaged, "utf-8", False
    encoding = _ANY_BYTE if _UNDEFINED_1252.search(content) else _WESTERN
    return content.decode(encoding), encoding, False


def _declared_encoding(content: bytes) -> str:
    """The encoding that a web page says it has, if it can be read in it whole."""
    if content.lstrip()[:1] != b"<":
        return ""
    match = _DECLARED.search(content[:_DECLARED_WITHIN])
    if match is None:
        return ""
    name = match[1].decode("ascii").lower()
    try:
        known = codecs.lookup(name)
        if not known._is_text_encoding:  # bz2, zip and the like unpack
            return ""
        # As browsers do: who writes Latin-1 means Windows-1252.
        name = _WESTERN if known.name in ("iso8859-1", "ascii") else known.name
        content.decode(name)
    except (LookupError, UnicodeError):
        return ""
    return name


def _is_wrong(text: str) -> bool:
    """Whether bytes that were read as Western text are none: letters that no Western language would put so."""
    other = _NOT_ASCII.findall(text)
    if len(other) < _FEWEST_ODD:
        return False
    foreign = sum(map(str.isalpha, other))
    odd = len(_ODD.findall(text)) + len(_CONTROLS.findall(text))
    return odd * 3 >= len(other) or (
        foreign >= _FEWEST_FOREIGN and foreign > _MOST_FOREIGN * sum(map(str.isalpha, text))
    )


def _wide_encoding(sample: bytes) -> str | None:
    """UTF-16 without its mark shows as a zero in nearly every second byte of Western text."""
    half = max(len(sample) // 2, 1)
    if sample[1::2].count(0) > 0.7 * half and sample[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None
