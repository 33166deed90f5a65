"""The residue scan: look for every needle in every place, as the bytes lie there and in what they hold compressed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from apps.erasure.residue.baseline import Baseline, Explained, baseline_of
from apps.erasure.residue.carving import PAGE_BYTES, ToastedValues, inline_values
from apps.erasure.residue.encodings import Encoding
from apps.erasure.residue.matching import Matcher
from apps.erasure.residue.needles import Needles
from apps.erasure.residue.places import ByteSource, ByteSources, Form
from apps.erasure.residue.results import SHOWN_OFFSETS, Hit, Scanned, ScanResult
from apps.erasure.residue.wal import Unread, wal_views

_PACKED_BYTES = 1 << 20  # values are looked through together, this many bytes at a time
_NO_BASELINE: Final = (
    "no new cluster of the release to compare with: what the catalogue contains by default counts as found"
)
OnProgress = Callable[[int, int, str], None]  # places done, places in all, what comes next


def scan(needles: Needles, places: ByteSources, *, on_progress: OnProgress | None = None) -> ScanResult:
    """Look for the needles everywhere.

    Dirty pages are written out first (CHECKPOINT), so that files say what the server knows.
    Raises: redis.ConnectionError, psycopg.OperationalError, subprocess.CalledProcessError: a place that is to be read
            can't be. There is no result then: half a scan is none.
    """
    return scan_each([needles], places, on_progress=on_progress)[0]


def scan_each(
    several: Sequence[Needles], places: ByteSources, *, on_progress: OnProgress | None = None
) -> list[ScanResult]:
    """The same for several sets of needles, in one pass through every place: what takes the time is reading them.

    Returns: of each set what a scan of its own would have found; the time is that of the pass.
    """
    if any(place.form is Form.PAGES for place in places.places):
        with places.access.connect() as connection:
            connection.execute("CHECKPOINT")
    baseline = baseline_of(places.access)
    unreachable = (*places.unreachable, *(() if baseline else (_NO_BASELINE,)))
    return _looked_through(several, places.places, unreachable=unreachable, baseline=baseline, on_progress=on_progress)


def scan_places(needles: Needles, places: Iterable[ByteSource]) -> ScanResult:
    return _looked_through([needles], places)[0]


def _looked_through(
    several: Sequence[Needles],
    places: Iterable[ByteSource],
    *,
    unreachable: Iterable[str] = (),
    baseline: Baseline | None = None,
    on_progress: OnProgress | None = None,
) -> list[ScanResult]:
    begun = time.monotonic()
    look = _Look(several, baseline)
    places = list(places)
    for number, place in enumerate(places):
        if on_progress:
            on_progress(number, len(places), place.group)
        look.at(place)
    if on_progress:
        on_progress(len(places), len(places), "")
    unread = [f"not read: {look.unread.images} page images in WAL compressed by zstd"] if look.unread.images else []
    scanned = tuple(
        Scanned(group=group, places=count, size_bytes=look.sizes[group]) for group, count in sorted(look.counts.items())
    )
    elapsed_s = time.monotonic() - begun
    not_read = (*unreachable, *unread)
    return [
        ScanResult(
            needles=len(needles.needles),
            sources=len(needles.looked_for()),
            left_out=dict(needles.left_out),
            scanned=scanned,
            hits=tuple(look.hits(number)),
            unreachable=not_read,
            elapsed_s=elapsed_s,
            found=frozenset(look.found[number]),
            explained=look.explained[number],
            baseline=baseline.release if baseline else "",
        )
        for number, needles in enumerate(several)
    ]


@dataclass(slots=True)
class _Tally:
    count: int = 0
    offsets: list[int] = field(default_factory=list)


class _Look:
    """One scan under way, for one or several sets of needles."""

    def __init__(self, several: Sequence[Needles], baseline: Baseline | None) -> None:
        self._needles = [needle for needles in several for needle in needles.needles]
        self._set_of = [number for number, needles in enumerate(several) for _ in needles.needles]
        patterns = [needle.pattern for needle in self._needles]
        self._matcher = Matcher(patterns)
        self._explained = Explained(baseline, self._matcher, patterns) if baseline else None
        self._tallies: dict[tuple[int, str, str, str, Encoding, bool], _Tally] = {}
        self.counts: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()
        self.found: list[set[int]] = [set() for _ in several]
        self.explained = [0] * len(several)
        self.unread = Unread()

    def at(self, place: ByteSource) -> None:
        self.counts[place.group] += 1
        toast = ToastedValues()
        packed = _Packed(self._matcher, partial(self._note_packed, place))
        tail, offset = b"", 0
        for block in place.read():
            self.sizes[place.group] += len(block)
            joined = tail + block if tail else block
            begin = offset - len(tail)
            for at, number in self._matcher.find(joined):
                # What lies in the tail alone was seen with the block before.
                if at + len(self._needles[number].pattern) > len(tail):
                    self._note(place, number, joined, at, offset=begin + at)
            offset += len(block)
            keep = self._matcher.longest_bytes - 1
            tail = joined[-keep:] if keep > 0 else b""
            if place.form is Form.PAGES:
                pages = block[: len(block) // PAGE_BYTES * PAGE_BYTES]
                packed.add(inline_values(pages))
                packed.add(toast.add_pages(pages))
            elif place.form is Form.WAL:
                packed.add(wal_views(block, self.unread))
        packed.add(toast.finish())
        packed.flush()

    def _note_packed(self, place: ByteSource, number: int, data: bytes, at: int) -> None:
        self._note(place, number, data, at, packed=True)

    def _note(
        self, place: ByteSource, number: int, data: bytes, at: int, *, offset: int | None = None, packed: bool = False
    ) -> None:
        needle, of = self._needles[number], self._set_of[number]
        if self._explained is not None and self._explained.explains(place, number, data, at):
            self.explained[of] += 1
            return
        self.found[of].add(needle.source)
        key = (of, place.group, place.name, place.table, needle.encoding, packed)
        tally = self._tallies.setdefault(key, _Tally())
        tally.count += 1
        if offset is not None and len(tally.offsets) < SHOWN_OFFSETS:
            tally.offsets.append(offset)

    def hits(self, wanted: int) -> Iterator[Hit]:
        """Those of one set."""
        for (of, group, name, table, encoding, packed), tally in sorted(
            self._tallies.items(), key=lambda each: each[0]
        ):
            if of != wanted:
                continue
            yield Hit(
                group=group,
                place=name,
                table=table,
                encoding=encoding,
                packed=packed,
                count=tally.count,
                offsets=tuple(tally.offsets),
            )


class _Packed:
    """Gathers many small values, so that they are looked through in one go."""

    def __init__(self, matcher: Matcher, note: Callable[[int, bytes, int], Any]) -> None:
        self._matcher = matcher
        self._note = note
        self._values: list[bytes] = []
        self._size_bytes = 0

    def add(self, values: Iterable[bytes]) -> None:
        for value in values:
            self._values.append(value)
            self._size_bytes += len(value)
            if self._size_bytes >= _PACKED_BYTES:
                self.flush()

    def flush(self) -> None:
        # A gap as long as two line ends, so that no needle is made of the end of one value and the start of the next.
        joined = b"\xff\xfe\xff\xfe".join(self._values)
        for at, number in self._matcher.find(joined):
            self._note(number, joined, at)
        self._values, self._size_bytes = [], 0
