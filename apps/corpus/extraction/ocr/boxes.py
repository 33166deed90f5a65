"""Find the pieces of lines in the map of where text stands, and by how much they are turned.

Written out because scipy, which labels regions, loads a library that starts threads, which this process may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_IS_TEXT: Final = 0.3  # the threshold that the network was trained with
_SURE: Final = 0.5
_SMALLEST: Final = 3  # pixels of the map
# The map marks the core of a line: it is this much smaller. Source: Liao et al., AAAI 2020 ("unclip ratio").
_UNCLIP: Final = 1.6
_LONG: Final = 3.0  # times as wide as high: such a piece shows the direction of its line
_LONG_PIXELS: Final = 40
_STEEPEST: Final = 0.16  # 9 degrees: a page laid into a scanner askew
_LEAST_LONG: Final = 3
MOST_BOXES: Final = 3_000
_MOST_RUNS: Final = 200_000  # a page full of small type has 15,000


class TextBox(NamedTuple):
    """The place of a piece of a line, in pixels from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left


class TooManyError(Exception):
    """There is more on a picture than text."""


@dataclass(slots=True)
class Region:
    """Pixels that hang together: their bounds and sums. likely: of their likelihoods; xx, xy: of products of places."""

    left: int
    top: int
    right: int
    bottom: int
    pixels: int = 0
    likely: float = 0.0
    x: float = 0.0
    y: float = 0.0
    xx: float = 0.0
    xy: float = 0.0

    @property
    def slope(self) -> float:
        """Return that of the line that fits the pixels best, by least squares."""
        spread = self.xx - self.x * self.x / self.pixels
        return (self.xy - self.x * self.y / self.pixels) / spread if spread > 0 else 0.0


def find_regions(likely: NDArray[np.float32]) -> list[Region]:
    """Return the regions of text in a map of likelihoods.

    Runs of pixels are joined to those that touch them in the row above. Raises: TooManyError.
    """
    is_text = np.zeros((likely.shape[0], likely.shape[1] + 2), dtype=np.int8)
    is_text[:, 1:-1] = likely > _IS_TEXT
    steps = np.diff(is_text, axis=1)
    rows, starts = np.nonzero(steps == 1)
    _, ends = np.nonzero(steps == -1)
    if len(rows) > _MOST_RUNS:
        raise TooManyError
    sums = np.concatenate([np.zeros((likely.shape[0], 1)), np.cumsum(likely, axis=1, dtype=np.float64)], axis=1)
    weights = sums[rows, ends] - sums[rows, starts]
    runs = list(zip(rows.tolist(), starts.tolist(), ends.tolist(), weights.tolist(), strict=True))
    roots = _joined([(row, start, end) for row, start, end, _ in runs])
    found: dict[int, Region] = {}
    for (row, start, end, weight), root in zip(runs, roots, strict=True):
        region = found.setdefault(root, Region(start, row, end, row + 1))
        region.left, region.right = min(region.left, start), max(region.right, end)
        region.bottom = row + 1
        count, x = end - start, (start + end - 1) * (end - start) / 2
        region.pixels += count
        region.likely += weight
        region.x += x
        region.y += row * count
        region.xy += row * x
        # Of the squares from start to end, the last one not counted.
        region.xx += (end - 1) * end * (2 * end - 1) / 6 - (start - 1) * start * (2 * start - 1) / 6
    return list(found.values())


def _joined(runs: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return for each run, which are in order, the number of the run that stands for its region."""
    parents = list(range(len(runs)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    above = 0
    for number, (row, start, end) in enumerate(runs):
        while above < number and (runs[above][0] < row - 1 or (runs[above][0] == row - 1 and runs[above][2] <= start)):
            above += 1
        touching = above
        while touching < number and runs[touching][0] == row - 1 and runs[touching][1] < end:
            parents[root(touching)] = root(number)
            touching += 1
    return [root(number) for number in range(len(runs))]


def boxes_of(regions: Sequence[Region]) -> list[TextBox]:
    """Return the places of the pieces of lines. Raises: TooManyError: more than MOST_BOXES."""
    boxes = list(_boxes(regions))
    if len(boxes) > MOST_BOXES:
        raise TooManyError
    return boxes


def _boxes(regions: Sequence[Region]) -> Iterator[TextBox]:
    for region in regions:
        height, width = region.bottom - region.top, region.right - region.left
        if min(height, width) >= _SMALLEST and region.likely >= _SURE * region.pixels:
            out = _UNCLIP * height * width / (2 * (height + width))
            yield TextBox(region.left - out, region.top - out, region.right + out, region.bottom + out)


def slope_of(regions: Sequence[Region]) -> float:
    """Return how far the lines fall for each pixel to the right; 0.0 if too few are long enough to tell.

    The median over the long regions, weighted by their lengths.
    """
    found: list[tuple[float, int]] = []
    for region in regions:
        width = region.right - region.left
        if width > max(_LONG * (region.bottom - region.top), _LONG_PIXELS) and abs(region.slope) < _STEEPEST:
            found.append((region.slope, width))
    if len(found) < _LEAST_LONG:
        return 0.0
    half = sum(width for _, width in found) / 2
    for slope, width in sorted(found):
        half -= width
        if half <= 0:
            return slope
    return 0.0


def are_upended(boxes: Sequence[TextBox]) -> bool:
    """Return whether most of the text runs up or down the page."""
    across = sum(box.width for box in boxes if box.width > 1.5 * box.height)
    along = sum(box.height for box in boxes if box.height > 1.5 * box.width)
    return along > across
