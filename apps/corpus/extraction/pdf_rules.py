"""The ruling lines of a PDF page: what is drawn straight along an axis, as edges that meet.

Lines are drawn in many ways: stroked, as thin filled rectangles, cell by cell, dash by dash. Pieces of one line are
joined here; wide filled areas, which shade rows and are no borders, are passed over.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium

_MAX_OBJECTS: Final = 20_000  # more is a drawing or a map, and no table is ruled with so many
_MAX_POINTS: Final = 60_000
_OF_A_RECTANGLE: Final = 5  # points, the first one again at its end
_MAX_FORMS: Final = 4  # drawings within drawings
_STRAIGHT: Final = 0.6  # points that a line may be off its axis
_THIN: Final = 2.6  # points: a filled rectangle that is no wider is a line
_SAME: Final = 2.8  # points between the lines of a double border
_GAP: Final = 4.0  # points between the dashes of a line
_SHORTEST: Final = 7.0  # points: no row is lower


class Rule(NamedTuple):
    """A line along an axis: at is where it stands on the other axis, from low to high along its own."""

    at: float
    low: float
    high: float


class Rules(NamedTuple):
    """The lines of a page, as a reader holds it: horizontal ones by their height, vertical ones from the left."""

    horizontal: Sequence[Rule]
    vertical: Sequence[Rule]


_Point = tuple[float, float]
_Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Final[_Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def read_rules(page: Any, *, turn: int) -> Rules:
    """The ruling lines of an open page (the caller holds the PDFium lock).

    Args: turn: degrees by which the text is turned against the page's axes; the lines are turned with it.
    """
    horizontal: list[Rule] = []
    vertical: list[Rule] = []
    for number, (start, end) in enumerate(_segments(page)):
        if number > _MAX_POINTS:
            return Rules((), ())
        (x0, y0), (x1, y1) = _turned(start, turn), _turned(end, turn)
        if abs(y1 - y0) <= _STRAIGHT < abs(x1 - x0):
            horizontal.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
        elif abs(x1 - x0) <= _STRAIGHT < abs(y1 - y0):
            vertical.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
    return Rules(_joined(horizontal), _joined(vertical))


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Pieces of one line as one; what is shorter than a row is low is no ruling line."""
    joined: list[Rule] = []
    for band in _bands(rules):
        at = sum(rule.at for rule in band) / len(band)
        pieces: list[Rule] = []
        for rule in sorted(band, key=lambda rule: rule.low):
            if pieces and rule.low <= pieces[-1].high + _GAP:
                pieces[-1] = Rule(at, pieces[-1].low, max(pieces[-1].high, rule.high))
            else:
                pieces.append(Rule(at, rule.low, rule.high))
        joined.extend(piece for piece in pieces if piece.high - piece.low >= _SHORTEST)
    return joined


def _bands(rules: Iterable[Rule]) -> Iterator[list[Rule]]:
    """Lines that stand so near to one another that they are one, or a double one."""
    band: list[Rule] = []
    for rule in sorted(rules):
        if band and rule.at - band[0].at > _SAME:
            yield band
            band = []
        band.append(rule)
    if band:
        yield band


def _segments(page: Any) -> Iterator[tuple[_Point, _Point]]:
    count = pdfium.FPDFPage_CountObjects(page)
    if count <= _MAX_OBJECTS:
        for index in range(count):
            yield from _of_object(pdfium.FPDFPage_GetObject(page, index), _IDENTITY, _MAX_FORMS)


def _of_object(item: Any, outer: _Matrix, forms: int) -> Iterator[tuple[_Point, _Point]]:
    kind = pdfium.FPDFPageObj_GetType(item)
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        yield from _of_path(item, outer)
    elif kind == pdfium.FPDF_PAGEOBJ_FORM and forms:
        count = pdfium.FPDFFormObj_CountObjects(item)
        if count <= _MAX_OBJECTS:
            inner = _times(_matrix(item), outer)
            for index in range(count):
                yield from _of_object(pdfium.FPDFFormObj_GetObject(item, index), inner, forms - 1)


def _of_path(path: Any, outer: _Matrix) -> Iterator[tuple[_Point, _Point]]:
    """The straight pieces of a path that is stroked, or of a filled one as thin as a line."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke)):
        return
    if not fill.value and not stroke.value:
        return
    if not stroke.value and pdfium.FPDFPath_CountSegments(path) <= _OF_A_RECTANGLE:
        # By its bounds alone: most of what filings draw, and a tenth of the calls.
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        bounds = map(ctypes.byref, (left, bottom, right, top))
        if pdfium.FPDFPageObj_GetBounds(path, *bounds):
            yield from _thin([_moved((left.value, bottom.value), outer), _moved((right.value, top.value), outer)])
        return
    for points in _subpaths(path, _times(_matrix(path), outer)):
        yield from pairwise(points) if stroke.value else _thin(points)


def _thin(points: Sequence[_Point]) -> Iterator[tuple[_Point, _Point]]:
    """The middle line of a filled area that is as thin as a line."""
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    if width <= _THIN < height:
        middle = (max(xs) + min(xs)) / 2
        yield (middle, min(ys)), (middle, max(ys))
    elif height <= _THIN < width:
        middle = (max(ys) + min(ys)) / 2
        yield (min(xs), middle), (max(xs), middle)


def _subpaths(path: Any, matrix: _Matrix) -> Iterator[list[_Point]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[_Point] = []
    for index in range(min(pdfium.FPDFPath_CountSegments(path), _MAX_POINTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        if not pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
            continue
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO:
            if len(points) > 1:
                yield points
            points = []
        points.append(_moved((x.value, y.value), matrix))
        if pdfium.FPDFPathSegment_GetClose(segment) and points[0] != points[-1]:
            points.append(points[0])
    if len(points) > 1:
        yield points


def _matrix(item: Any) -> _Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(item, ctypes.byref(matrix)):
        return _IDENTITY
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _times(inner: _Matrix, outer: _Matrix) -> _Matrix:
    """First the inner one, then the outer one."""
    if outer == _IDENTITY:
        return inner
    a, b, c, d, e, f = inner
    x = _moved((e, f), outer)
    return (
        a * outer[0] + b * outer[2],
        a * outer[1] + b * outer[3],
        c * outer[0] + d * outer[2],
        c * outer[1] + d * outer[3],
        *x,
    )


def _moved(point: _Point, matrix: _Matrix) -> _Point:
    x, y = point
    a, b, c, d, e, f = matrix
    return (a * x + c * y + e, b * x + d * y + f)


def _turned(point: _Point, turn: int) -> _Point:
    x, y = point
    if turn == 90:
        return (y, -x)
    if turn == 180:
        return (-x, -y)
    return (-y, x) if turn == 270 else (x, y)
