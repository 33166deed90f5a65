"""The residue scan: look for every needle in every place, as the bytes lie there and in what they hold compressed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from apps.audit.residue.carving import PAGE_BYTES, ToastedValues, inline_values
from apps.audit.residue.encodings import Encoding
from apps.audit.residue.matching import Matcher
from apps.audit.residue.needles import Needles
from apps.audit.residue.places import Form, Place, Places
from apps.audit.residue.results import SHOWN_OFFSETS, Hit, Scanned, ScanResult
from apps.audit.residue.wal import Unread, wal_views

_PACKED_BYTES = 1 << 20  # values are looked through together, this many bytes at a time
OnProgress = Callable[[int, int, str], None]  # places done, places in all, what comes next


def scan(needles: Needles, places: Places, *, on_progress: OnProgress | None = None) -> ScanResult:
    """Look for the needles everywhere.

    Dirty pages are written out first (CHECKPOINT), so that files say what the server knows.
    Raises: redis.ConnectionError, psycopg.OperationalError, subprocess.CalledProcessError: a place that is to be read
            can't be. There is no result then: half a scan is none.
    """
    if any(place.form is Form.PAGES for place in places.places):
        with places.access.connect() as connection:
            connection.execute("CHECKPOINT")
    return scan_places(needles, places.places, unreachable=places.unreachable, on_progress=on_progress)


def scan_places(
    needles: Needles,
    places: Iterable[Place],
    *,
    unreachable: Iterable[str] = (),
    on_progress: OnProgress | None = None,
) -> ScanResult:
    begun = time.monotonic()
    look = _Look(needles)
    places = list(places)
    for number, place in enumerate(places):
        if on_progress:
            on_progress(number, len(places), place.group)
        look.at(place)
    if on_progress:
        on_progress(len(places), len(places), "")
    unread = [f"not read: {look.unread.images} page images in WAL compressed by zstd"] if look.unread.images else []
    return ScanResult(
        needles=len(needles.needles),
        sources=len(needles.looked_for()),
        left_out=dict(needles.left_out),
        scanned=tuple(
            Scanned(group=group, places=count, size_bytes=look.sizes[group])
            for group, count in sorted(look.counts.items())
        ),
        hits=tuple(look.hits()),
        unreachable=(*unreachable, *unread),
        elapsed_s=time.monotonic() - begun,
        found=frozenset(look.found),
    )


@dataclass(slots=True)
class _Tally:
    count: int = 0
    offsets: list[int] = field(default_factory=list)


class _Look:
    """One scan under way."""

    def __init__(self, needles: Needles) -> None:
        self._needles = needles.needles
        self._matcher = Matcher([needle.pattern for needle in needles.needles])
        self._tallies: dict[tuple[str, str, str, Encoding, bool], _Tally] = {}
        self.counts: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()
        self.found: set[int] = set()
        self.unread = Unread()

    def at(self, place: Place) -> None:
        self.counts[place.group] += 1
        toast = ToastedValues()
        packed = _Packed(self._matcher, lambda number, _: self._note(place, number, packed=True))
        tail, offset = b"", 0
        for block in place.read():
            self.sizes[place.group] += len(block)
            joined = tail + block if tail else block
            begin = offset - len(tail)
            for at, number in self._matcher.find(joined):
                # What lies in the tail alone was seen with the block before.
                if at + len(self._needles[number].pattern) > len(tail):
                    self._note(place, number, offset=begin + at)
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

    def _note(self, place: Place, number: int, *, offset: int | None = None, packed: bool = False) -> None:
        needle = self._needles[number]
        self.found.add(needle.source)
        key = (place.group, place.name, place.table, needle.encoding, packed)
        tally = self._tallies.setdefault(key, _Tally())
        tally.count += 1
        if offset is not None and len(tally.offsets) < SHOWN_OFFSETS:
            tally.offsets.append(offset)

    def hits(self) -> Iterator[Hit]:
        for (group, name, table, encoding, packed), tally in sorted(self._tallies.items()):
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

    def __init__(self, matcher: Matcher, note: Callable[[int, int], Any]) -> None:
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
        for at, number in self._matcher.find(b"\xff\xfe\xff\xfe".join(self._values)):
            self._note(number, at)
        self._values, self._size_bytes = [], 0
