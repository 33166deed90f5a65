"""Needles for what a run is going to remove: a sample of each target, evenly from all that it has.

Of each target, up to PER_QUERY values of each query (title, pages, passages, terms, ids, vectors, slices of the file,
...), taken evenly from the first to the last; of a run, as many things of each target as MOST_SOURCES leaves for one,
at least FEWEST_OF_ONE; of more than MOST_TARGETS, so many, evenly. What was not looked for is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

import psycopg

from apps.erasure.contracts import Target
from apps.erasure.declarations.looked_for import Made
from apps.erasure.registry import looked_for
from apps.erasure.residue.matching import Matcher
from apps.erasure.residue.needles import Needle, Needles, Sort, make_needles

PER_QUERY: Final = 60
MOST_SOURCES: Final = 6_000
FEWEST_OF_ONE: Final = 8
MOST_OF_ONE: Final = 400
MOST_TARGETS: Final = MOST_SOURCES // FEWEST_OF_ONE
_AS_TEXT: Final = {Made.VECTOR: "::text"}
NOT_THERE_BEFORE: Final = "entered, but found nowhere before the removal"
STAYS: Final = "part of what must be kept"
# Vectors become text outside, of those alone that are taken: 500 of them are 20 ms of work.
_SAMPLE: Final = """
    SELECT value{} FROM (SELECT value, row_number() OVER () AS n, count(*) OVER () AS total FROM ({}) found) numbered
     WHERE (n - 1) %% greatest(1, total / {}) = 0 LIMIT {}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """of: of each source, the place in `targets` of what it is of; -1 for what somebody gave.

    names: by source, the number of the name that it stands for, from 1; lacking: those that make no needle at all.
    Both are known where they were gathered alone.
    """

    needles: Needles = field(repr=False)
    targets: tuple[Target, ...]
    of: tuple[int, ...] = field(repr=False)
    names: Mapping[int, int] = field(default_factory=dict, repr=False)
    lacking: tuple[int, ...] = ()

    @property
    def given(self) -> frozenset[int]:
        return frozenset(number for number, place in enumerate(self.of) if place < 0)

    def without_targets(self, stay: Iterable[Target]) -> Gathered:
        """The same without what is of these."""
        stays = set(stay)
        places = {number for number, target in enumerate(self.targets) if target in stays}
        gone = [number for number, place in enumerate(self.of) if place in places]
        return replace(self, needles=self.needles.without(gone, reason=STAYS)) if gone else self

    def without_texts(self, texts: Iterable[bytes]) -> Gathered:
        """The same without what occurs in these, which stay."""
        patterns = [needle.pattern for needle in self.needles.needles]
        joined = b"\xff\xfe\xff\xfe".join(texts)
        if not joined or not patterns:
            return self
        found = {self.needles.needles[number].source for _, number in Matcher(patterns).find(joined)}
        return replace(self, needles=self.needles.without(found, reason=STAYS)) if found else self

    def by_encoding(self) -> dict[str, int]:
        return dict(sorted(Counter(needle.encoding.value for needle in self.needles.needles).items()))

    def by_sort(self) -> dict[str, int]:
        return dict(sorted(Counter(self.needles.sources[each].value for each in self.needles.looked_for()).items()))


def gather(
    connection: psycopg.Connection[Any], *, tenant_id: UUID, targets: Sequence[Target], given: Sequence[str] = ()
) -> Gathered:
    """Args: connection: the server's administrator's. given: texts that somebody said are to be looked for."""
    chosen = _evenly(targets, MOST_TARGETS)
    most = max(FEWEST_OF_ONE, min(MOST_OF_ONE, MOST_SOURCES // max(1, len(chosen))))
    named: dict[str, int] = dict.fromkeys(given, -1)
    parts: list[tuple[int, Needles, int]] = []
    for place, target in enumerate(chosen):
        values = _values(connection, tenant_id, target)
        for name in values.names:
            named.setdefault(name, place)
        parts.append((place, _made(values, most=most), 0))
    parts += [(place, make_needles(texts=[name]), number) for number, (name, place) in enumerate(named.items(), 1)]
    sources: list[Sort] = []
    of: list[int] = []
    needles: list[Needle] = []
    left_out: Counter[str] = Counter()
    names: dict[int, int] = {}
    lacking: list[int] = []
    for place, made, number in parts:
        if number:
            names |= dict.fromkeys(range(len(sources), len(sources) + len(made.sources)), number)
            lacking += [] if made.needles else [number]
        needles += [replace(needle, source=needle.source + len(sources)) for needle in made.needles]
        sources += made.sources
        of += [place] * len(made.sources)
        left_out.update(made.left_out)
    if len(chosen) < len(targets):
        left_out["from targets that were not sampled"] = len(targets) - len(chosen)
    merged = Needles(sources=tuple(sources), needles=tuple(needles), left_out=dict(left_out))
    return Gathered(needles=merged, targets=tuple(chosen), of=tuple(of), names=names, lacking=tuple(lacking))


def texts_of(connection: psycopg.Connection[Any], *, tenant_id: UUID, targets: Sequence[Target]) -> list[bytes]:
    """What is readable of these, which stay."""
    found: list[bytes] = []
    for target in _evenly(targets, MOST_TARGETS):
        values = _values(connection, tenant_id, target)
        found += [str(text).encode() for text in (*values.of[Made.TEXT], *values.of[Made.TERM], *values.names)]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """Of one target. names: of people, which are not among the texts."""

    of: dict[Made, list[Any]]
    names: list[str]


def _made(values: _Values, *, most: int) -> Needles:
    terms = values.of[Made.TERM]
    return make_needles(
        texts=values.of[Made.TEXT],
        ids=values.of[Made.ID],
        vectors=[json.loads(text) for text in values.of[Made.VECTOR]],
        contents=[bytes(content) for content in values.of[Made.BYTES]],
        terms_of=(lambda _: terms) if terms else None,
        most=most,
    )


def _values(connection: psycopg.Connection[Any], tenant_id: UUID, target: Target) -> _Values:
    values = _Values(of={made: [] for made in Made}, names=[])
    for query in looked_for(target.type):
        rows = connection.execute(
            _SAMPLE.format(_AS_TEXT.get(query.made, ""), query.sql, PER_QUERY, PER_QUERY).encode(),
            {"tenant": tenant_id, "item": target.id, "part": target.part},
        )
        into = values.names if query.is_name else values.of[query.made]
        into += [row[0] for row in rows if row[0]]
    return values


def _evenly(targets: Sequence[Target], most: int) -> list[Target]:
    if len(targets) <= most:
        return list(targets)
    return [targets[number * len(targets) // most] for number in range(most)]
