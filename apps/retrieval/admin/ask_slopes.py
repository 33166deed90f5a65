"""The fusion as a drawing: a line leads from a passage's place in each ranking to its place in the fused list."""

from __future__ import annotations

from dataclasses import dataclass

from apps.retrieval.admin.ask_fates import FateKind
from apps.retrieval.admin.ask_rankings import FusionView

WIDTH = 400
_ROW_HEIGHT = 15
_TOP = 12
_COLUMNS = (30, WIDTH // 2, WIDTH - 30)
_GAP = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """From a ranking's column to the middle one; style names how it is drawn (cited, context, dropped, found)."""

    x1: int
    y1: int
    x2: int
    y2: int
    style: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A rank in a column."""

    x: int
    y: int
    rank: int
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeChart:
    width: int
    height: int
    lines: tuple[Line, ...]
    places: tuple[Place, ...]


def slope_chart(fusion: FusionView) -> SlopeChart | None:
    """Draw the fusion of the first two rankings, by meaning and by words; None without two, or if nothing was found.

    Returns: lines in drawing order: what was left out first, so that what was used lies on top.
    """
    if len(fusion.rankings) < 2 or not fusion.rows:
        return None
    lines: list[Line] = []
    places: dict[tuple[int, int], Place] = {}
    order = [FateKind.FOUND, FateKind.DROPPED, FateKind.CONTEXT, FateKind.CITED]
    for row in sorted(fusion.rows, key=lambda each: order.index(each.fate.kind)):
        style = row.fate.kind.value
        places[1, row.rank] = _place(1, row.rank, style)
        for column, (_, rank) in zip((0, 2), row.ranks[:2], strict=True):
            if rank is None:
                continue
            places[column, rank] = _place(column, rank, style)
            inward = _GAP if column == 0 else -_GAP
            lines.append(
                Line(
                    x1=_COLUMNS[column] + inward,
                    y1=_y(rank),
                    x2=_COLUMNS[1] - inward,
                    y2=_y(row.rank),
                    style=style,
                    title=f"{row.passage.title}, {row.passage.place}: {row.fate.label}",
                )
            )
    return SlopeChart(
        width=WIDTH,
        height=max(place.y for place in places.values()) + _TOP,
        lines=tuple(lines),
        places=tuple(places.values()),
    )


def _place(column: int, rank: int, style: str) -> Place:
    return Place(x=_COLUMNS[column], y=_y(rank), rank=rank, style=style)


def _y(rank: int) -> int:
    return _TOP + (rank - 1) * _ROW_HEIGHT
