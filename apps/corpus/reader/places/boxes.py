"""Join the boxes of characters to one for each line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apps.corpus.reader.places.sheet import Box, Sheet

_MOST_BOXES: Final = 400
# A gap that still belongs to a line, in heights of it.
_GAP: Final = 2.0
# Signs between two letters of a quote, such as a point and a blank.
_MOST_SIGNS: Final = 4


def boxes_of(sheet: Sheet, positions: Sequence[int]) -> list[Box]:
    """Return a box for each line of these characters of the image, in their order."""
    found: list[Box] = []
    before: Box | None = None
    for position in _with_signs(sheet.drawn_text, positions):
        box = sheet.box(position)
        if box.left == box.right or box.top == box.bottom:
            continue
        if found and before is not None and _goes_on(before, box):
            found[-1] = _around(found[-1], box)
        elif len(found) == _MOST_BOXES:
            break
        else:
            found.append(box)
        before = box
    return found


def _with_signs(text: str, positions: Sequence[int]) -> list[int]:
    """Add the signs between letters that follow each other, such as points and commas."""
    wanted: list[int] = []
    for position in positions:
        if wanted and wanted[-1] < position <= wanted[-1] + _MOST_SIGNS:
            wanted += [each for each in range(wanted[-1] + 1, position) if not text[each].isspace()]
        if not wanted or wanted[-1] != position:
            wanted.append(position)
    return wanted


def _around(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )


def _goes_on(before: Box, box: Box) -> bool:
    """Whether a character stands on the line of the one before it, or under it in a line that is turned."""
    height = min(before.bottom - before.top, box.bottom - box.top)
    width = min(before.right - before.left, box.right - box.left)
    if min(before.bottom, box.bottom) - max(before.top, box.top) > height / 2:
        return min(abs(box.left - before.right), abs(before.left - box.right)) < _GAP * height
    beside = min(before.right, box.right) - max(before.left, box.left)
    return beside > width / 2 and min(abs(box.top - before.bottom), abs(before.top - box.bottom)) < width / 2
