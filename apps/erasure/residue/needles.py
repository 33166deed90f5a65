"""What a residue scan looks for: every thing that was erased, in every way that it may be written down.

Needles are the personal data themselves. They live in memory only, and never reach the database, a log, an error or a
certificate: what is kept of them is their number and a keyed digest.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from uuid import UUID

import numpy as np

from apps.erasure.residue import encodings
from apps.erasure.residue.encodings import Encoded, Encoding

SHORTEST_BYTES = 6  # what is shorter occurs by chance: once in 10^14 places at this length, in random bytes
_FEWEST_VALUES = 4  # different bytes in a needle: a row of blanks or zeros is no evidence
_WHOLE_CHARS = 64  # a text up to here is looked for as a whole
_PIECE_CHARS = 40
_PIECE_BYTES = 32
_PIECE_COMPONENTS = 8
_PIECES = 3  # of a long text, a file or a vector


class Sort(StrEnum):
    """What a needle was made from."""

    TEXT = "text"
    TERM = "term"
    ID = "id"
    VECTOR = "vector"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Needle:
    """source: the index in Needles.sources of the thing (or the piece of one) that it stands for."""

    source: int
    encoding: Encoding
    pattern: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needles:
    """sources: the sort of each. left_out: how many sources are not looked for, by reason."""

    sources: tuple[Sort, ...]
    needles: tuple[Needle, ...] = field(repr=False)
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def longest_bytes(self) -> int:
        return max((len(needle.pattern) for needle in self.needles), default=0)

    def looked_for(self) -> frozenset[int]:
        """The sources that have a needle at all."""
        return frozenset(needle.source for needle in self.needles)

    def without(self, sources: Iterable[int], *, reason: str) -> Needles:
        """The same without some sources, which are counted under the reason."""
        gone = frozenset(sources) & self.looked_for()
        counts = Counter(self.left_out)
        counts[reason] += len(gone)
        kept = tuple(needle for needle in self.needles if needle.source not in gone)
        return replace(self, needles=kept, left_out={key: count for key, count in counts.items() if count})

    def digest(self, key: bytes) -> str:
        """HMAC-SHA256 over the set of patterns: tells that two scans looked for the same, and nothing of what."""
        total = hmac.new(key, b"glassbox needles", hashlib.sha256)
        for pattern in sorted({needle.pattern for needle in self.needles}):
            total.update(len(pattern).to_bytes(8, "big") + pattern)
        return total.hexdigest()


def make_needles(
    *,
    texts: Iterable[str] = (),
    ids: Iterable[UUID] = (),
    vectors: Iterable[Sequence[float]] = (),
    contents: Iterable[bytes] = (),
    terms_of: Callable[[str], Iterable[str]] | None = None,
    most: int = 20_000,
) -> Needles:
    """Needles for everything that is to be erased.

    Args:    texts: passages, names, e-mail addresses: whatever was readable.
             contents: files and wrapped keys.
             terms_of: what the postings make of a text; without it no terms are looked for.
             most: sources at most, evenly from all of them; the rest is counted as left out. Each source makes up to 30
                 needles, and 20,000 of them take about 200 MB of memory.
    """
    texts = list(dict.fromkeys(texts))
    things = [
        *((Sort.TEXT, tuple(encodings.of_text(piece))) for text in texts for piece in _pieces_of_text(text)),
        *((Sort.TERM, tuple(encodings.of_term(term))) for term in _terms(texts, terms_of)),
        *((Sort.ID, tuple(encodings.of_uuid(value))) for value in dict.fromkeys(ids)),
        *((Sort.VECTOR, encoded) for vector in vectors for encoded in _vector_encodings(vector)),
        *((Sort.BYTES, tuple(encodings.of_bytes(piece))) for content in contents for piece in _pieces(content)),
    ]
    left_out: Counter[str] = Counter()
    if len(things) > most:
        left_out["more than can be searched for at once"] = len(things) - most
        things = [things[number * len(things) // most] for number in range(most)]
    needles: list[Needle] = []
    for number, (_, encoded) in enumerate(things):
        made = list(_distinct(number, encoded))
        if not made:
            left_out["too short or too plain"] += 1
        needles.extend(made)
    return Needles(sources=tuple(sort for sort, _ in things), needles=tuple(needles), left_out=dict(left_out))


def _distinct(source: int, encoded: Iterable[Encoded]) -> Iterator[Needle]:
    """One needle for each pattern: what two encodings write alike is called by the first of them."""
    seen: set[bytes] = set()
    for number, (encoding, pattern) in enumerate(encoded):
        if len(pattern) >= SHORTEST_BYTES and len(set(pattern)) >= _FEWEST_VALUES:
            if pattern not in seen:
                seen.add(pattern)
                yield Needle(source, encoding, pattern)
        elif not number:  # three letters, or a row of blanks, do not become evidence by being written as base64
            return


def _terms(texts: Sequence[str], terms_of: Callable[[str], Iterable[str]] | None) -> list[str]:
    if terms_of is None:
        return []
    return list(dict.fromkeys(term for text in texts for term in terms_of(text)))


def _pieces_of_text(text: str) -> Iterator[str]:
    text = text.strip()
    if len(text) <= _WHOLE_CHARS:
        yield text
        return
    # A long value is cut up by TOAST, WAL pages and line ends: pieces survive where the whole is never in one place.
    for start in _starts(len(text), _PIECE_CHARS):
        yield text[start : start + _PIECE_CHARS].strip()


def _pieces(content: bytes) -> Iterator[bytes]:
    if len(content) <= 2 * _PIECE_BYTES:
        yield content
        return
    for start in _starts(len(content), _PIECE_BYTES):
        yield content[start : start + _PIECE_BYTES]


def _vector_encodings(vector: Sequence[float]) -> Iterator[tuple[Encoded, ...]]:
    norm = float(np.linalg.norm(np.asarray(vector, dtype=np.float16).astype(np.float64)))
    for start in _starts(len(vector), _PIECE_COMPONENTS):
        yield tuple(encodings.of_vector(vector[start : start + _PIECE_COMPONENTS], norm=norm))


def _starts(length: int, piece: int) -> Iterator[int]:
    """Up to three places: near the beginning, in the middle, near the end."""
    yield from sorted({max(0, (length - piece) * part // (_PIECES + 1)) for part in range(1, _PIECES + 1)})
