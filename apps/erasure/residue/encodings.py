"""How a text, an id, a vector or some bytes may be written down somewhere: one function a sort of thing. Pure."""

from __future__ import annotations

import base64
import html
import json
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum
from urllib.parse import quote, quote_plus
from uuid import UUID

import numpy as np


class Encoding(StrEnum):
    UTF8 = "utf-8"
    FOLDED = "lower-cased"  # NFKC and lower case: what terms are made of
    LATIN1 = "windows-1252"
    UTF16_LE = "utf-16 little-endian"
    UTF16_BE = "utf-16 big-endian"
    JSON = "json"
    JSON_ASCII = "json, ascii only"
    HTML = "html"
    URL = "url"
    COPY = "copy"  # how pg_dump writes text
    TERM = "term"  # how postings store a word
    BASE64 = "base64"
    HEX = "hex"  # how pg_dump writes bytea
    BYTES = "bytes"
    UUID_BYTES = "uuid, 16 bytes"
    UUID_TEXT = "uuid, text"
    FLOAT16 = "float16 little-endian"  # how pgvector stores halfvec
    FLOAT16_UNIT = "float16 little-endian, unit length"  # how an index by cosine stores it
    FLOAT32 = "float32 little-endian"
    VECTOR_TEXT = "vector, text"  # how pg_dump writes one


Encoded = tuple[Encoding, bytes]

_COPY = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v"})


def of_text(text: str) -> Iterator[Encoded]:
    """A text in every way that one is kept, the ways that come out alike included."""
    raw = text.encode()
    ascii_json = json.dumps(text)[1:-1].encode()
    yield Encoding.UTF8, raw
    yield Encoding.FOLDED, unicodedata.normalize("NFKC", text).lower().encode()
    yield Encoding.LATIN1, text.encode("cp1252", errors="replace")
    yield Encoding.UTF16_LE, text.encode("utf-16-le")
    yield Encoding.UTF16_BE, text.encode("utf-16-be")
    yield Encoding.JSON, json.dumps(text, ensure_ascii=False)[1:-1].encode()
    yield Encoding.JSON_ASCII, ascii_json
    yield Encoding.HTML, html.escape(text).encode()
    for quoted in (quote(text, safe=""), quote(text), quote_plus(text)):
        yield Encoding.URL, quoted.encode()
        yield Encoding.URL, quoted.lower().encode()
    yield Encoding.COPY, text.translate(_COPY).encode()
    yield from wrapped(raw)
    # A message of Celery is base64 over JSON.
    yield from _base64(ascii_json)


def of_term(term: str) -> Iterator[Encoded]:
    yield Encoding.TERM, term.encode()


def of_uuid(value: UUID) -> Iterator[Encoded]:
    yield Encoding.UUID_BYTES, value.bytes
    for text in (str(value), value.hex):
        yield Encoding.UUID_TEXT, text.encode()
        yield Encoding.UUID_TEXT, text.upper().encode()
        yield Encoding.UTF16_LE, text.encode("utf-16-le")
        yield Encoding.UTF16_BE, text.encode("utf-16-be")
        yield from _base64(text.encode())
    yield from _base64(value.bytes)


def of_vector(values: Sequence[float], *, norm: float) -> Iterator[Encoded]:
    """A few neighbouring components of a vector, whose length is `norm`."""
    half = np.asarray(values, dtype="<f2")
    single = np.asarray(values, dtype="<f4")
    yield Encoding.FLOAT16, half.tobytes()
    if norm > 0:
        yield Encoding.FLOAT16_UNIT, (half.astype(np.float64) / norm).astype("<f2").tobytes()
    yield Encoding.FLOAT32, single.tobytes()
    for block in (half.astype("<f4"), single):
        if len(block) > 2:
            yield Encoding.VECTOR_TEXT, ",".join(map(_as_text, block)).encode()
    for raw in (half.tobytes(), single.tobytes()):
        yield from wrapped(raw)


def _as_text(value: np.float32) -> str:
    """As PostgreSQL writes a single: the fewest digits, with an exponent below 1e-4 and from 1e6 on."""
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)
    return np.format_float_positional(value, unique=True, trim="-")


def of_bytes(raw: bytes) -> Iterator[Encoded]:
    yield Encoding.BYTES, raw
    yield from wrapped(raw)


def wrapped(raw: bytes) -> Iterator[Encoded]:
    """Bytes as text: hexadecimal, and base64 at the three places where they may begin within it."""
    yield Encoding.HEX, raw.hex().encode()
    yield Encoding.HEX, raw.hex().upper().encode()
    yield from _base64(raw)


def _base64(raw: bytes) -> Iterator[Encoded]:
    for before in range(3):
        text = base64.b64encode(bytes(before) + raw)
        # A character of six bits that are partly a neighbour's differs from place to place: only whole ones are kept.
        first = -(-before * 8 // 6)
        last = (before + len(raw)) * 8 // 6
        yield Encoding.BASE64, text[first:last]
        if b"+" in text[first:last] or b"/" in text[first:last]:
            yield Encoding.BASE64, text[first:last].translate(bytes.maketrans(b"+/", b"-_"))
