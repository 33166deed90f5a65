"""The pages of a PDF that show their text as a picture, and the picture of one, at a bounded cost."""

from __future__ import annotations

import ctypes
import math
import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from PIL.Image import Image

MIN_CHARACTERS: Final = 24  # fewer, beside a picture that fills the page: a scan with a stamp
_PICTURE_SHARE: Final = 0.5  # of the page
_MAX_OBJECTS_LOOKED_AT: Final = 200

_DOTS_PER_INCH: Final = 200
_POINTS_PER_INCH: Final = 72
MOST_DRAWN_PIXELS: Final = 8_000_000  # a page of A3 at that
_MOST_PIXELS_OF_PICTURES: Final = 48_000_000  # a page of A4 at 600 dots an inch has 35 million
_MOST_OBJECTS: Final = 20_000
_MOST_FORMS: Final = 4  # drawings within drawings
_MOST_SECONDS: Final = 8.0
_WHITE: Final = 0xFFFFFFFF

# Text that a font without a table of its characters gives: marks of what is not known, signs of nobody, and control
# characters; or letters put for others, which makes words without a vowel.
_NO_CHARACTER: Final = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ue000-\uf8ff\ufff0-\uffff]")
_MOST_LOST: Final = 0.3
_VOWEL: Final = re.compile("[aeiouyäöüáéíóúàèìòùâêîôû]", re.IGNORECASE)
_LATIN: Final = re.compile(r"[A-Za-z]{4,}")
_LEAST_WORDS: Final = 20
_MOST_WITHOUT_VOWEL: Final = 0.6


class UndrawableError(Exception):
    """A page costs too much to be drawn; the message says what of it, as the end of a sentence."""


def is_picture(page: Any, *, has_text: bool) -> bool:
    """Return whether the page shows something that is not text. Any drawing counts on a page without any text."""
    count = min(pdfium.FPDFPage_CountObjects(page), _MAX_OBJECTS_LOOKED_AT)
    area = pdfium.FPDF_GetPageWidthF(page) * pdfium.FPDF_GetPageHeightF(page)
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for index in range(count):
        item = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM) and pdfium.FPDFPageObj_GetBounds(
            item, ctypes.byref(left), ctypes.byref(bottom), ctypes.byref(right), ctypes.byref(top)
        ):
            share = (right.value - left.value) * (top.value - bottom.value) / area if area else 0.0
            if not has_text or share > _PICTURE_SHARE:
                return True
    return False


def is_garbled(text: str) -> bool:
    """Return whether a page's text layer is no text, although the page may well show some."""
    signs = len(text) - sum(map(str.isspace, text))
    if signs < MIN_CHARACTERS:
        return False
    if len(_NO_CHARACTER.findall(text)) > _MOST_LOST * signs:
        return True
    words = _LATIN.findall(text)
    without = sum(_VOWEL.search(word) is None for word in words)
    return len(words) >= _LEAST_WORDS and without > _MOST_WITHOUT_VOWEL * len(words)


def draw(page: Any) -> tuple[Image, float]:
    """Return an open page as a grey picture, and points for each of its pixels (the caller holds the PDFium lock).

    Raises: UndrawableError.
    """
    from PIL import Image

    width, height = float(pdfium.FPDF_GetPageWidthF(page)), float(pdfium.FPDF_GetPageHeightF(page))
    if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
        raise UndrawableError("it has no size")
    pixels = _pixels_of_pictures(page)
    if pixels > _MOST_PIXELS_OF_PICTURES:
        raise UndrawableError(f"its pictures have more than {_MOST_PIXELS_OF_PICTURES // 1_000_000} million pixels")
    scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, math.sqrt(MOST_DRAWN_PIXELS / (width * height)))
    columns, rows = max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
    if columns * rows > MOST_DRAWN_PIXELS:  # a strip: its narrow side has one pixel at least
        raise UndrawableError("it is a strip")
    buffer = (ctypes.c_ubyte * (columns * rows))()
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, pdfium.FPDFBitmap_Gray, buffer, columns)
    if not bitmap:
        raise UndrawableError("there is too little memory for it")
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, _WHITE)
        _render(bitmap, page, columns, rows)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return Image.frombytes("L", (columns, rows), bytes(buffer)), 1 / scale


def _render(bitmap: Any, page: Any, columns: int, rows: int) -> None:
    """Draw, but for no longer than _MOST_SECONDS: PDFium asks between the parts of a page whether to go on."""
    until = time.process_time() + _MOST_SECONDS
    pause = pdfium.IFSDK_PAUSE(version=1)
    asked = type(pause.NeedToPauseNow)(lambda _: time.process_time() > until)
    pause.NeedToPauseNow = asked
    flags = pdfium.FPDF_ANNOT | pdfium.FPDF_GRAYSCALE
    status = pdfium.FPDF_RenderPageBitmap_Start(bitmap, page, 0, 0, columns, rows, 0, flags, ctypes.byref(pause))
    pdfium.FPDF_RenderPage_Close(page)
    if status == pdfium.FPDF_RENDER_TOBECONTINUED:
        raise UndrawableError(f"drawing it takes more than {_MOST_SECONDS:g} s")
    if status != pdfium.FPDF_RENDER_DONE:
        raise UndrawableError("it can't be drawn")


def _pixels_of_pictures(page: Any) -> int:
    wide, high = ctypes.c_uint(), ctypes.c_uint()
    pixels = 0
    for number, item in enumerate(_objects(page)):
        if number > _MOST_OBJECTS:
            raise UndrawableError(f"it has more than {_MOST_OBJECTS:,} parts")
        if pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_IMAGE and pdfium.FPDFImageObj_GetImagePixelSize(
            item, ctypes.byref(wide), ctypes.byref(high)
        ):
            pixels += wide.value * high.value
    return pixels


def _objects(page: Any) -> Iterator[Any]:
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        yield from _and_parts(pdfium.FPDFPage_GetObject(page, index), _MOST_FORMS)


def _and_parts(item: Any, forms: int) -> Iterator[Any]:
    yield item
    if forms and pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_FORM:
        for index in range(pdfium.FPDFFormObj_CountObjects(item)):
            yield from _and_parts(pdfium.FPDFFormObj_GetObject(item, index), forms - 1)
