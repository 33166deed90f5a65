"""The geometry of drawings: bars over time, stretches of a whole, slopes between rankings.

Every mark says its number on hover and to a screen reader, and the numbers stand in a table beside it. A figure is told
from another by its place and its name, never by a colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HEIGHT: Final = 40.0
"""Of a full bar. A bar's place is one wide."""

_BAR_WIDTH: Final = 0.8
# What is there but would be too small to be seen.
_LEAST_SHARE: Final = 0.005

_SLOPES_WIDTH: Final = 400
_COLUMNS: Final = (30, _SLOPES_WIDTH // 2, _SLOPES_WIDTH - 30)
_ROW_HEIGHT: Final = 15
_TOP: Final = 12
_GAP: Final = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One number: its place in a drawing, and what it says."""

    x: float
    y: float
    height: float
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BarLine:
    """One figure over time, a bar for each time that has a number."""

    name: str
    summary: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of a whole, in per cent of the drawing's width; label says the same in words."""

    start: str
    width: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """A passage that two rankings fused: its rank in both (None where it is not in one), and in the fused list."""

    ranks: tuple[int | None, int | None]
    fused_rank: int
    style: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeLine:
    """From a ranking's column to the middle one; style names how it is drawn."""

    x1: int
    y1: int
    x2: int
    y2: int
    style: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopePlace:
    """A rank in a column."""

    x: int
    y: int
    rank: int
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeChart:
    width: int
    height: int
    lines: tuple[SlopeLine, ...]
    places: tuple[SlopePlace, ...]


def draw_bar(place: int, share: float, *, says: str, least_height: float = 1.5) -> Bar:
    """Draw a bar at a place, counted from 0, as high as its share of a full bar, and high enough to be seen."""
    height = max(share * HEIGHT, least_height)
    return Bar(
        x=round(place + (1 - _BAR_WIDTH) / 2, 2), y=round(HEIGHT - height, 2), height=round(height, 2), says=says
    )


def draw_stretch(part: float, whole: float, *, label: str = "", start: float = 0.0) -> Stretch:
    """Draw part of whole, beginning at start; what is too small to be seen still gets a sliver.

    Args: part, whole, start: in the same unit. A part or whole of 0 gives an empty stretch.
    """
    if whole <= 0 or part <= 0:
        return Stretch(start="0%", width="0%", label=label)
    begin = min(max(start / whole, 0.0), 1.0 - _LEAST_SHARE)
    width = min(max(part / whole, _LEAST_SHARE), 1.0 - begin)
    return Stretch(start=f"{begin:.2%}", width=f"{width:.2%}", label=label)


def draw_slopes(slopes: Sequence[Slope]) -> SlopeChart:
    """Draw a line from each rank to its fused rank. The last of the slopes lies on top; there is at least one."""
    lines: list[SlopeLine] = []
    places: dict[tuple[int, int], SlopePlace] = {}
    for slope in slopes:
        places[1, slope.fused_rank] = _slope_place(1, slope.fused_rank, slope.style)
        for column, inward, rank in zip((0, 2), (_GAP, -_GAP), slope.ranks, strict=True):
            if rank is None:
                continue
            places[column, rank] = _slope_place(column, rank, slope.style)
            lines.append(
                SlopeLine(
                    x1=_COLUMNS[column] + inward,
                    y1=_slope_y(rank),
                    x2=_COLUMNS[1] - inward,
                    y2=_slope_y(slope.fused_rank),
                    style=slope.style,
                    title=slope.title,
                )
            )
    return SlopeChart(
        width=_SLOPES_WIDTH,
        height=max(place.y for place in places.values()) + _TOP,
        lines=tuple(lines),
        places=tuple(places.values()),
    )


def _slope_place(column: int, rank: int, style: str) -> SlopePlace:
    return SlopePlace(x=_COLUMNS[column], y=_slope_y(rank), rank=rank, style=style)


def _slope_y(rank: int) -> int:
    return _TOP + (rank - 1) * _ROW_HEIGHT
