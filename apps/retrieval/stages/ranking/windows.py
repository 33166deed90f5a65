"""Choose which sentences and rows of the found chunks fit into one kind's budget.

A budget of a few hundred characters holds less than one chunk. If whole chunks were taken, the first hit would use the
whole budget. Here each hit first gives its best sentence or row, and what is left of the budget goes to their
neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Candidate, Excerpt, QueryAnalysis
from apps.retrieval.stages.ranking.relevance import Piece, Relevance, rate_pieces
from apps.retrieval.stages.ranking.units import Unit, split_units, surroundings_of

GAP: Final = " … "
SEED_SHARE: Final = 0.5
"""A hit gets a place of its own if its best piece scores at least this share of the best of all."""
SMALLEST_CUT_CHARS: Final = 40
_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The chosen pieces of one candidate, merged if they are adjacent; empty if none fitted."""

    candidate: Candidate
    excerpts: tuple[Excerpt, ...]

    @property
    def text(self) -> str:
        return GAP.join(excerpt.text for excerpt in self.excerpts)


def choose_windows(
    candidates: Sequence[Candidate], *, prefixes: Sequence[str], room_chars: int, analysis: QueryAnalysis
) -> tuple[Window, ...]:
    """Fill a budget with the pieces that are most relevant to the question.

    Pieces are added in this order, each only if it still fits: the rows of statements that give what was asked for; the
    best piece of every candidate that comes near the best of all; further pieces that come near it; neighbours of what
    was chosen, in rank order; then the remaining candidates, in rank order. If nothing fits, the best piece of all is
    cut at word borders.

    Args:    candidates: of one kind, best first.
             prefixes: what is written before each candidate's text (its ref_id); counts against the budget.
             room_chars: characters for all of them together, with one line break between two.
             analysis: the question.
    Returns: one window per candidate, in their order. The same input gives the same windows.
    """
    drafts = _drafts(candidates, prefixes, analysis)
    filling = _Filling(drafts, room_chars)
    pieces = sorted(
        (-rating.score, index, position)
        for index, draft in enumerate(drafts)
        for position, rating in enumerate(draft.ratings)
    )
    near = [each for each in pieces if each[0] < 0 and each[0] <= SEED_SHARE * pieces[0][0]]
    for draft in drafts:
        for position in draft.lines:
            filling.add(draft, position)
    seeded: set[int] = set()
    for _, index, position in near:
        if index not in seeded:
            seeded.add(index)
            filling.add(drafts[index], position)
    for _, index, position in near:
        filling.add(drafts[index], position)
    for draft in drafts:
        filling.grow(draft)
    for draft in drafts:
        if draft.units and not draft.chosen:
            filling.add(draft, draft.best)
            filling.grow(draft)
    if pieces and not any(draft.chosen for draft in drafts):
        _cut_one(drafts[pieces[0][1]], pieces[0][2], room_chars, analysis)
    return tuple(Window(candidate=draft.candidate, excerpts=draft.excerpts()) for draft in drafts)


@dataclass(slots=True)
class _Draft:
    """A candidate while its pieces are being chosen."""

    candidate: Candidate
    prefix_chars: int
    units: tuple[Unit, ...]
    ratings: tuple[Relevance, ...]
    chosen: frozenset[int] = frozenset()
    cut: tuple[int, int] | None = None

    @property
    def lines(self) -> list[int]:
        """The positions of pieces that are statement rows read for the question."""
        starts = {line.start for line in self.candidate.lines}
        return [position for position, unit in enumerate(self.units) if unit.start in starts]

    @property
    def best(self) -> int:
        return max(range(len(self.units)), key=lambda position: (self.ratings[position].score, -position))

    def spans(self, chosen: frozenset[int]) -> list[tuple[int, int]]:
        """Return the spans of the chosen pieces. Neighbours are merged, with the blanks between them."""
        spans: list[tuple[int, int]] = []
        for position in sorted(chosen):
            unit = self.units[position]
            if spans and position - 1 in chosen:
                spans[-1] = (spans[-1][0], unit.end)
            else:
                spans.append((unit.start, unit.end))
        return spans

    def size_chars(self, chosen: frozenset[int]) -> int:
        spans = self.spans(chosen)
        return self.prefix_chars + sum(end - start for start, end in spans) + len(GAP) * (len(spans) - 1)

    def excerpts(self) -> tuple[Excerpt, ...]:
        text = self.candidate.chunk.text
        spans = [self.cut] if self.cut else self.spans(self.chosen)
        return tuple(Excerpt(text=text[start:end], start=start, end=end) for start, end in spans)


@dataclass(slots=True)
class _Filling:
    """The budget while it is being filled."""

    drafts: Sequence[_Draft]
    room_chars: int
    sizes: dict[int, int] = field(default_factory=dict)

    def add(self, draft: _Draft, position: int) -> bool:
        """Choose a piece if it fits, and return whether it did. Add a table row's column headings if they fit too."""
        with_columns = frozenset({position, *_column_heading(draft.units, position)})
        return any(self._fits(draft, draft.chosen | more) for more in (with_columns, frozenset({position})))

    def grow(self, draft: _Draft) -> None:
        """Choose neighbours of what is chosen, the better one first, until none fits."""
        refused: set[int] = set()
        while True:
            neighbours = {position + step for position in draft.chosen for step in (-1, 1)}
            open_positions = neighbours & set(range(len(draft.units))) - draft.chosen - refused
            if not open_positions:
                return
            position = max(open_positions, key=lambda each: (draft.ratings[each].score, -each))
            if not self._fits(draft, draft.chosen | {position}):
                refused.add(position)

    def _fits(self, draft: _Draft, wanted: frozenset[int]) -> bool:
        others = sum(size + 1 for key, size in self.sizes.items() if key != id(draft))
        size = draft.size_chars(wanted)
        if others + size > self.room_chars:
            return False
        draft.chosen = wanted
        self.sizes[id(draft)] = size
        return True


def _drafts(candidates: Sequence[Candidate], prefixes: Sequence[str], analysis: QueryAnalysis) -> list[_Draft]:
    """Split all candidates and rate their pieces against each other."""
    units = [split_units(candidate.chunk.text) for candidate in candidates]
    pieces = [
        Piece(text=candidate.chunk.text[unit.start : unit.end], surroundings=surroundings)
        for candidate, its_units in zip(candidates, units, strict=True)
        for surroundings in (surroundings_of(candidate.chunk, its_units),)
        for unit in its_units
    ]
    ratings = iter(rate_pieces(pieces, analysis))
    return [
        _Draft(
            candidate=candidate,
            prefix_chars=len(prefix),
            units=its_units,
            ratings=tuple(next(ratings) for _ in its_units),
        )
        for candidate, prefix, its_units in zip(candidates, prefixes, units, strict=True)
    ]


def _column_heading(units: Sequence[Unit], position: int) -> tuple[int, ...]:
    columns = units[position].columns
    if columns is None:
        return ()
    return tuple(index for index in range(position) if (units[index].start, units[index].end) == columns)


def _cut_one(draft: _Draft, position: int, room_chars: int, analysis: QueryAnalysis) -> None:
    """Keep the part of the best piece that holds most of the question, if even that piece is too long."""
    room = room_chars - draft.prefix_chars
    if room >= SMALLEST_CUT_CHARS:
        unit = draft.units[position]
        draft.cut = _shorten(draft.candidate.chunk.text, unit.start, unit.end, room_chars=room, analysis=analysis)


def _shorten(text: str, start: int, end: int, *, room_chars: int, analysis: QueryAnalysis) -> tuple[int, int]:
    """Return the part of a long piece that holds the most distinct terms of the question, centred on them if possible.

    The part is cut at word borders.

    Args:    text: the chunk's text; only text[start:end] is read, and it is longer than room_chars.
             room_chars: the longest part, at least as long as one word.
             analysis: the question.
    Returns: the span of the part, the first of equals. A single word that is longer than room_chars is cut.
    """
    wanted = {term for concept in analysis.concepts for alternative in concept.alternatives for term in alternative}
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    found = [wanted.intersection(terms(text[first:last], analysis.language)) for first, last in words]
    best = (start, min(end, start + room_chars))
    best_rank = (-1, 0.0)
    last = 0
    for first in range(len(words)):
        last = max(last, first)
        while last < len(words) and words[last][1] - words[first][0] <= room_chars:
            last += 1
        if last == first:
            continue
        span = (words[first][0], words[last - 1][1])
        hits = [index for index in range(first, last) if found[index]]
        off_centre = abs(sum(span) / 2 - sum(words[index][0] for index in hits) / len(hits)) if hits else 0.0
        rank = (len(set().union(*found[first:last])), -off_centre)
        if rank > best_rank:
            best, best_rank = span, rank
    return best
