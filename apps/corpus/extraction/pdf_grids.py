"""Tables that are ruled: where lines along and across meet, they bound cells, and a cell's words belong to it alone.

Without lines both ways a table is read by the gaps between its words (pdf_regions.py): a rule under a total, or under a
heading, bounds no cell.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Final, NamedTuple, TypeVar

from apps.corpus.extraction.cells import join_signs
from apps.corpus.extraction.numerals import is_amount, is_period
from apps.corpus.extraction.pdf_cells import BULLETS, split_cells
from apps.corpus.extraction.pdf_lines import Line, middle_of
from apps.corpus.extraction.pdf_rules import Rule, Rules

_NEAR: Final = 3.0  # points by which lines may miss each other at a corner
_COVERED: Final = 0.6  # of a cell's side: a line that is drawn along so much of it bounds it
_MAX_CELLS: Final = 20_000
_MAX_CROSSINGS: Final = 1_000_000
_SAME_BASELINE: Final = 0.5  # of a line's height
_MOST_GAPPED: Final = 0.15  # of the cells: with words as far apart as columns are
_MOST_BESIDES: Final = 0.2  # of the lines of text
_FEWEST_CELLS: Final = 3  # with words in them
_MAX_CELL_CHARACTERS: Final = 900  # more means that the lines only place text


_Owner = TypeVar("_Owner")


class Box(NamedTuple):
    """A cell by the lines that bound it, counted from the left and from the top; last ones exclusive."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Grid:
    """The geometry of a ruled table. xs rise from the left, ys fall from the top; boxes: by (row, column)."""

    xs: Sequence[float]
    ys: Sequence[float]
    boxes: dict[tuple[int, int], Box]

    def box_at(self, x: float, y: float) -> Box | None:
        if not (self.xs[0] <= x <= self.xs[-1] and self.ys[-1] <= y <= self.ys[0]):
            return None
        column = min(bisect_right(self.xs, x), len(self.xs) - 1) - 1
        row = min(bisect_right(self.ys, -y, key=lambda each: -each), len(self.ys) - 1) - 1
        return self.boxes[row, column]


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A ruled table with the lines of each cell. position: before which of the page's other lines it stands."""

    position: int
    grid: Grid
    cells: Mapping[Box, Sequence[Line]]


def find_grids(rules: Rules) -> list[Grid]:
    """The tables that the lines of a page bound: at least two rows and two columns. Ones that hold others come last."""
    grids: list[Grid] = []
    for horizontal, vertical in _meeting(rules):
        xs = _places([rule.at for rule in vertical], [end for rule in horizontal for end in rule[1:]])
        ys = _places([rule.at for rule in horizontal], [end for rule in vertical for end in rule[1:]])[::-1]
        if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > _MAX_CELLS:
            continue
        boxes = _boxes(xs, ys, horizontal, vertical)
        found = set(boxes.values())
        if len({box.column for box in found}) > 1 and len({box.row for box in found}) > 1:
            grids.append(Grid(xs, ys, boxes))
    grids.sort(key=lambda grid: (grid.xs[-1] - grid.xs[0]) * (grid.ys[0] - grid.ys[-1]))
    pairs = [pair for pair in combinations(range(len(grids)), 2) if _cross(*(grids[at] for at in pair))]
    crossed = {at for pair in pairs for at in pair}
    return [grid for at, grid in enumerate(grids) if at not in crossed]


def _cross(inner: Grid, outer: Grid) -> bool:
    """Whether two grids lie over each other, the inner one not within a single box: then neither bounds cells."""
    if inner.xs[-1] <= outer.xs[0] + _NEAR or outer.xs[-1] <= inner.xs[0] + _NEAR:
        return False
    if inner.ys[0] <= outer.ys[-1] + _NEAR or outer.ys[0] <= inner.ys[-1] + _NEAR:
        return False
    sides = (inner.xs[0] + _NEAR, inner.xs[-1] - _NEAR), (inner.ys[0] - _NEAR, inner.ys[-1] + _NEAR)
    boxes = {outer.box_at(x, y) for x, y in product(*sides)}
    return len(boxes) > 1 or None in boxes


def take_tables(
    lines: Sequence[Line], kept: Sequence[Line], grids: Sequence[Grid]
) -> tuple[list[Line], list[RuledTable]]:
    """Give the words within grids to their cells.

    Args:    lines: of the page; kept: those of them that are no running titles. A grid of running titles alone is one.
             grids: as find_grids gives them: of two that hold a word, the inner one has it.
    Returns: what of the kept lines stands outside of all tables, and the tables in the order of the page.
    """
    shown = {id(line) for line in kept}
    while True:
        owners, cells = _shared_out(lines, grids)
        doubtful = [number for number in cells if not _is_table(cells[number], _besides(lines, owners, number))]
        if not doubtful:
            break
        # Without them their words may belong to a grid around, or stand beside one that is none then.
        grids = [grid for number, grid in enumerate(grids) if number not in doubtful]
    rest: list[Line] = []
    positions: dict[int, int] = {}
    for at, line in enumerate(lines):
        if id(line) not in shown:
            continue
        owned = [owners.get((at, position)) for position in range(len(line.words))]
        for owner in owned:
            if owner is not None:
                positions.setdefault(owner, len(rest))
        rest.extend(piece for owner, piece in _runs(line, owned) if owner is None)
    found = [RuledTable(position, grids[number], cells[number]) for number, position in positions.items()]
    return rest, sorted(found, key=lambda table: (table.position, -table.grid.ys[0], table.grid.xs[0]))


def _shared_out(
    lines: Sequence[Line], grids: Sequence[Grid]
) -> tuple[dict[tuple[int, int], int], dict[int, Mapping[Box, Sequence[Line]]]]:
    """Which grid has each word (by line and place in it), and the lines of each of its boxes."""
    owners: dict[tuple[int, int], int] = {}
    cells: dict[int, Mapping[Box, Sequence[Line]]] = {}
    for number, grid in enumerate(grids):
        places = {
            (at, position): box
            for at, line in enumerate(lines)
            for position, word in enumerate(line.words)
            if (at, position) not in owners and (box := grid.box_at((word.x0 + word.x1) / 2, word.middle))
        }
        owners.update(dict.fromkeys(places, number))
        cells[number] = _by_box(lines, places)
    return owners, cells


def _besides(lines: Sequence[Line], owners: Mapping[tuple[int, int], int], number: int) -> float:
    """The share of a grid's lines that go on outside of all grids: then it frames a part of a table alone."""
    within = {at for (at, _), owner in owners.items() if owner == number}
    beside = sum(any((at, position) not in owners for position in range(len(lines[at].words))) for at in within)
    return beside / max(len(within), 1)


def _by_box(lines: Sequence[Line], places: Mapping[tuple[int, int], Box]) -> dict[Box, list[Line]]:
    """The pieces of the lines in each box, from the top down."""
    found: dict[Box, list[Line]] = defaultdict(list)
    for at in dict.fromkeys(at for at, _ in places):
        line = lines[at]
        boxes = [places.get((at, position)) for position in range(len(line.words))]
        for box, piece in _runs(line, boxes):
            if box is not None:
                found[box].append(piece)
    return {box: _in_order(pieces) for box, pieces in found.items()}


def _in_order(pieces: Sequence[Line]) -> list[Line]:
    """From the top down; what stands on one baseline, a raised mark too, from left to right."""
    rows: list[list[Line]] = []
    for piece in sorted(pieces, key=lambda piece: -middle_of(piece)):
        top = rows[-1][0] if rows else None
        if top is not None and middle_of(top) - middle_of(piece) < _SAME_BASELINE * max(top.height, piece.height):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [_as_one(sorted(row, key=lambda piece: piece.x0)) for row in rows]


def _as_one(pieces: Sequence[Line]) -> Line:
    if len(pieces) == 1:
        return pieces[0]
    words = [word for piece in pieces for word in piece.words]
    bold = all(piece.bold for piece in pieces)
    return replace(max(pieces, key=lambda piece: piece.height), words=words, bold=bold, divided=pieces[-1].divided)


def _runs(line: Line, owners: Sequence[_Owner]) -> Iterator[tuple[_Owner, Line]]:
    """The line cut where the owner of its words changes."""
    start = 0
    for end in range(1, len(owners) + 1):
        if end == len(owners) or owners[end] != owners[start]:
            is_whole = (start, end) == (0, len(owners))
            yield owners[start], line if is_whole else _part(line, start, end)
            start = end


def _part(line: Line, start: int, end: int) -> Line:
    """Words of a line, where they stand themselves: what is joined to one line may be a little above or below it."""
    words = line.words[start:end]
    middle = sum(word.middle for word in words) / len(words)
    is_last = end == len(line.words)
    return replace(line, words=words, bottom=middle - line.height / 2, divided=line.divided and is_last)


def _is_table(cells: Mapping[Box, Sequence[Line]], besides: float) -> bool:
    """Whether lines bound single cells: filings draw many that frame, underline or part groups of columns."""
    if len(cells) < _FEWEST_CELLS or besides > _MOST_BESIDES:
        return False
    if len({box.row for box in cells}) < 2 or len({box.column for box in cells}) < 2:
        return False
    if any(sum(len(line.text) for line in lines) > _MAX_CELL_CHARACTERS for lines in cells.values()):
        return False
    apart = [[join_signs(split_cells(line)) for line in lines] for lines in cells.values()]
    if any(sum(is_amount(cell.text) or is_period(cell.text) for cell in line) > 1 for lines in apart for line in lines):
        return False  # numbers side by side
    spanning = [lines for box, lines in cells.items() if box.last_row - box.row > 1]
    if any(sum(is_amount(line.words[-1].text) for line in lines) > 1 for lines in spanning):
        return False  # rows that lines bound on one side only
    if any(sum(line.words[0].text in BULLETS for line in lines) > 1 for lines in cells.values()):
        return False  # a list
    return sum(any(len(line) > 1 for line in lines) for lines in apart) <= _MOST_GAPPED * len(cells)


def _meeting(rules: Rules) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Groups of lines that meet, each with its horizontal and its vertical ones."""
    group = list(range(len(rules.horizontal) + len(rules.vertical)))

    def root(member: int) -> int:
        while group[member] != member:
            group[member] = group[group[member]]
            member = group[member]
        return member

    if len(rules.horizontal) * len(rules.vertical) > _MAX_CROSSINGS:
        return
    for across, row in enumerate(rules.horizontal):
        for along, column in enumerate(rules.vertical, start=len(rules.horizontal)):
            if row.low - _NEAR <= column.at <= row.high + _NEAR and column.low - _NEAR <= row.at <= column.high + _NEAR:
                group[root(along)] = root(across)
    members: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for across, row in enumerate(rules.horizontal):
        members[root(across)][0].append(row)
    for along, column in enumerate(rules.vertical, start=len(rules.horizontal)):
        members[root(along)][1].append(column)
    yield from (lines for lines in members.values() if all(lines))


def _places(lines: Sequence[float], ends: Sequence[float]) -> list[float]:
    """Where lines stand, and where those across them end: a table may be open at its sides."""
    places: list[float] = []
    for at in sorted([*lines, min(ends), max(ends)]):
        if not places or at - places[-1] > 2 * _NEAR:
            places.append(at)
    return places


def _boxes(
    xs: Sequence[float], ys: Sequence[float], horizontal: Sequence[Rule], vertical: Sequence[Rule]
) -> dict[tuple[int, int], Box]:
    """The box of each field of the grid: fields between which no line is drawn are one."""
    rows, columns = len(ys) - 1, len(xs) - 1
    boxes = {(row, column): Box(row, column, row + 1, column + 1) for row in range(rows) for column in range(columns)}
    # First to the right, then down: what is open both ways becomes one rectangle.
    for row in range(rows):
        for column in range(1, columns):
            if not _is_drawn(vertical, xs[column], ys[row + 1], ys[row]):
                left = boxes[row, column - 1]
                _unite(boxes, left, boxes[row, column])
    for row in range(1, rows):
        for column in range(columns):
            above, box = boxes[row - 1, column], boxes[row, column]
            if above == box or (above.column, above.last_column) != (box.column, box.last_column):
                continue
            sides = range(box.column, box.last_column)
            if not any(_is_drawn(horizontal, ys[row], xs[side], xs[side + 1]) for side in sides):
                _unite(boxes, above, box)
    return boxes


def _unite(boxes: dict[tuple[int, int], Box], first: Box, second: Box) -> None:
    box = Box(first.row, first.column, second.last_row, second.last_column)
    for row in range(box.row, box.last_row):
        for column in range(box.column, box.last_column):
            boxes[row, column] = box


def _is_drawn(rules: Sequence[Rule], at: float, low: float, high: float) -> bool:
    """Whether a line is drawn there, along most of the way."""
    covered = sum(
        max(0.0, min(rule.high, high) - max(rule.low, low)) for rule in rules if abs(rule.at - at) <= 2 * _NEAR
    )
    return covered >= _COVERED * (high - low)
