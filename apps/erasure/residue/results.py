"""What a scan and its control found: numbers and names of places, nothing of what was looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.erasure.residue.encodings import Encoding

SHOWN_OFFSETS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Occurrences in one place by one encoding.

    Attributes: packed: found in what the place holds compressed (or, in WAL, cut up by page headers).
                offsets: of the first few, in bytes; empty for what is packed.
    """

    group: str
    place: str
    table: str
    encoding: Encoding
    packed: bool
    count: int
    offsets: tuple[int, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "group": self.group,
            "place": self.place,
            "table": self.table,
            "encoding": self.encoding.value,
            "packed": self.packed,
            "count": self.count,
            "offsets": list(self.offsets),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """One group of places: how many, and how many bytes of them were read."""

    group: str
    places: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanResult:
    """The outcome of one scan.

    Attributes: needles: patterns looked for. sources: things looked for. left_out: things not looked for, by reason.
                unreachable: what the scan says nothing about.
                explained: occurrences that are a freshly made server's own, of the release `baseline` (baseline.py); no
                hits. found: indices of the sources that were found anywhere; for the control, and not in as_json.
    """

    needles: int
    sources: int
    left_out: Mapping[str, int]
    scanned: tuple[Scanned, ...]
    hits: tuple[Hit, ...]
    unreachable: tuple[str, ...]
    elapsed_s: float
    found: frozenset[int] = field(default=frozenset(), repr=False)
    explained: int = 0
    baseline: str = ""

    @property
    def clean(self) -> bool:
        """Whether something was looked for and nothing was found."""
        return self.sources > 0 and not self.hits

    @property
    def size_bytes(self) -> int:
        return sum(each.size_bytes for each in self.scanned)

    def tables(self) -> frozenset[str]:
        """The tables whose own files, or whose TOAST or indexes, had hits: what the physical phase must rewrite."""
        return frozenset(hit.table for hit in self.hits if hit.table)

    def by_group(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for hit in self.hits:
            counts[hit.group] += hit.count
        return dict(sorted(counts.items()))

    def by_encoding(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for hit in self.hits:
            counts[hit.encoding.value] += hit.count
        return dict(sorted(counts.items()))

    def as_json(self) -> dict[str, object]:
        return {
            "clean": self.clean,
            "sources": self.sources,
            "needles": self.needles,
            "left_out": dict(self.left_out),
            "size_bytes": self.size_bytes,
            "elapsed_s": round(self.elapsed_s, 2),
            "scanned": [
                {"group": each.group, "places": each.places, "size_bytes": each.size_bytes} for each in self.scanned
            ],
            "hits": [hit.as_json() for hit in self.hits],
            "unreachable": list(self.unreachable),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A made-up needle of one encoding, put into one sort of place, and whether the scan found it there."""

    group: str
    encoding: Encoding
    found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlResult:
    """Whether a scan can prove anything: every thing looked for is found while it is there, and every planted one."""

    scan: ScanResult
    missing: Mapping[str, int]  # sources that were found nowhere, by sort
    planted: tuple[Planted, ...]

    @property
    def proves(self) -> bool:
        return (
            self.scan.sources > 0
            and not self.missing
            and bool(self.planted)
            and all(planted.found for planted in self.planted)
        )

    def as_json(self) -> dict[str, object]:
        return {
            "proves": self.proves,
            "sources": self.scan.sources,
            "found": len(self.scan.found),
            "missing": dict(self.missing),
            "planted": len(self.planted),
            "planted_not_found": [
                {"group": planted.group, "encoding": planted.encoding.value}
                for planted in self.planted
                if not planted.found
            ],
            "by_group": self.scan.by_group(),
            "by_encoding": self.scan.by_encoding(),
            "left_out": dict(self.scan.left_out),
        }
