"""Two texts side by side: which lines are the same, and where within a line they differ. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby
from typing import Final

# Unchanged lines that stay in sight on either side of a change.
_CONTEXT: Final = 3
# Fewer than this are not worth folding: the line that unfolds them takes room too.
_WORTH_FOLDING: Final = 4
# Lines that have less in common are not one line that was changed, but one that went and one that came.
_ALIKE: Final = 0.5
# Finding the best pairs compares every line with every other.
_MOST_COMPARISONS: Final = 1600
_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")


class PairKind(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line; `changed` where the other side has something else, or nothing."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """number: counted from 1. pieces: joined, the line without its end."""

    number: int
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands in one row: before is None for a line that came, after for one that went."""

    kind: PairKind
    before: Line | None
    after: Line | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows that follow one another; folded ones are unchanged, and out of sight until they are asked for."""

    pairs: tuple[Pair, ...]
    folded: bool


@dataclass(frozen=True, slots=True)
class SideBySide:
    stretches: tuple[Stretch, ...]
    removed: int
    added: int

    @property
    def same(self) -> bool:
        return not self.removed and not self.added

    @property
    def folds(self) -> bool:
        return any(stretch.folded for stretch in self.stretches)


def side_by_side(before: str, after: str, *, fold: bool = True) -> SideBySide:
    """Compare two texts by their lines, and lines that were changed by their words.

    Args:    fold: put long unchanged stretches into stretches of their own, marked as folded.
    Returns: every line of both texts once, in order; `removed` and `added` count lines, a changed one in both.
    """
    pairs = tuple(_pairs(before.splitlines(), after.splitlines()))
    return SideBySide(
        stretches=_folded(pairs) if fold else (Stretch(pairs, folded=False),) if pairs else (),
        removed=sum(pair.before is not None for pair in pairs if pair.kind is not PairKind.SAME),
        added=sum(pair.after is not None for pair in pairs if pair.kind is not PairKind.SAME),
    )


def _pairs(before: Sequence[str], after: Sequence[str]) -> Iterator[Pair]:
    # Without autojunk: a bracket on a line of its own is common in these files, and still holds them together.
    for tag, left, left_end, right, right_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            for step in range(left_end - left):
                whole = (Piece(before[left + step], changed=False),)
                yield Pair(PairKind.SAME, Line(left + step + 1, whole), Line(right + step + 1, whole))
            continue
        yield from _changes(before[left:left_end], after[right:right_end], left, right)


def _changes(before: Sequence[str], after: Sequence[str], left: int, right: int) -> Iterator[Pair]:
    """A block that differs: lines that are alike in one row, the others by themselves, what went before what came."""
    next_left = next_right = 0
    for one, other in (*_partners(before, after), (len(before), len(after))):
        for index in range(next_left, one):
            yield Pair(PairKind.REMOVED, Line(left + index + 1, (Piece(before[index], changed=True),)), None)
        for index in range(next_right, other):
            yield Pair(PairKind.ADDED, None, Line(right + index + 1, (Piece(after[index], changed=True),)))
        if one < len(before):
            old, new = _marked(before[one], after[other])
            yield Pair(PairKind.CHANGED, Line(left + one + 1, old), Line(right + other + 1, new))
        next_left, next_right = one + 1, other + 1


def _partners(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Which line became which, in order, so that they have the most in common."""
    if not before or not after or len(before) * len(after) > _MOST_COMPARISONS:
        return []

    def alike(one: int, other: int) -> float:
        matcher = SequenceMatcher(None, before[one].strip(), after[other].strip(), autojunk=False)
        return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0

    # best[i][j]: the most that the lines from i and from j can have in common.
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for one in reversed(range(len(before))):
        for other in reversed(range(len(after))):
            together = alike(one, other)
            paired = together + best[one + 1][other + 1] if together >= _ALIKE else 0.0
            best[one][other] = max(paired, best[one + 1][other], best[one][other + 1])
    partners = []
    one = other = 0
    while one < len(before) and other < len(after):
        if best[one][other] == best[one + 1][other]:
            one += 1
        elif best[one][other] == best[one][other + 1]:
            other += 1
        else:
            partners.append((one, other))
            one, other = one + 1, other + 1
    return partners


def _marked(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The two lines in pieces, each marked where the other has something else."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, start, end, other, other_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if start < end:
            left.append(Piece("".join(old[start:end]), changed=tag != "equal"))
        if other < other_end:
            right.append(Piece("".join(new[other:other_end]), changed=tag != "equal"))
    return tuple(left), tuple(right)


def _folded(pairs: Sequence[Pair]) -> tuple[Stretch, ...]:
    changed = [place for place, pair in enumerate(pairs) if pair.kind is not PairKind.SAME]
    shown = {near for place in changed for near in range(place - _CONTEXT, place + _CONTEXT + 1)}
    runs = [(in_sight, list(run)) for in_sight, run in groupby(range(len(pairs)), key=shown.__contains__)]
    stretches: list[Stretch] = []
    for in_sight, run in runs:
        folded = not in_sight and len(run) >= _WORTH_FOLDING
        rows = tuple(pairs[place] for place in run)
        if stretches and not folded and not stretches[-1].folded:
            rows = (*stretches.pop().pairs, *rows)
        stretches.append(Stretch(rows, folded=folded))
    return tuple(stretches)
