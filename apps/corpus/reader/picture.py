"""Draw one page of a PDF, and tell where its characters stand. Runs in the reading process, like everything here."""

from __future__ import annotations

import ctypes
import math
import struct
import zlib
from collections.abc import Callable
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

from apps.corpus.extraction.errors import CorruptFileError, EncryptedFileError
from apps.corpus.reader.contracts import BOX_PARTS, PagePicture, PictureRequest

# A page of A4 at three pixels a point has 4.5 million.
MOST_PIXELS: Final = 6_000_000
MOST_SIDE_PIXELS: Final = 8_000
MOST_CHARACTERS: Final = 40_000
PNG_BEGINS: Final = b"\x89PNG\r\n\x1a\n"
_WHITE: Final = 0xFFFFFFFF
_REPLACED: Final = "\ufffd"


def draw_page(content: bytes, request: PictureRequest, on_page: Callable[[int], None]) -> PagePicture:
    """Draw a page with its annotations. No script runs, and a page too large is drawn smaller.

    Raises: EncryptedFileError; CorruptFileError: the file or the page can't be opened, or the page has no size.
    """
    on_page(request.page)
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise EncryptedFileError(filename=request.filename) from error
        raise CorruptFileError(filename=request.filename, reason="no readable PDF structure") from error
    page = pdfium.FPDF_LoadPage(document.raw, request.page - 1)
    if not page:
        raise CorruptFileError(filename=request.filename, reason=f"page {request.page} can't be opened")
    width, height = float(pdfium.FPDF_GetPageWidthF(page)), float(pdfium.FPDF_GetPageHeightF(page))
    if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
        raise CorruptFileError(filename=request.filename, reason=f"page {request.page} has no size")
    text, boxes = _characters(page)
    columns, rows = size_in_pixels(width, height, request.scale)
    return PagePicture(
        image=png(_pixels(page, columns, rows, request), columns),
        width_pt=width,
        height_pt=height,
        text=text,
        boxes=boxes,
    )


def size_in_pixels(width_pt: float, height_pt: float, scale: float) -> tuple[int, int]:
    """Return columns and rows of a page's image, at most MOST_SIDE_PIXELS each and MOST_PIXELS together."""
    scale = min(scale, MOST_SIDE_PIXELS / width_pt, MOST_SIDE_PIXELS / height_pt)
    scale = min(scale, math.sqrt(MOST_PIXELS / (width_pt * height_pt)))
    return max(1, math.floor(width_pt * scale)), max(1, math.floor(height_pt * scale))


def png(pixels: bytes, columns: int) -> bytes:
    """Return rows of red, green and blue as a PNG image (ISO/IEC 15948), each row without a filter."""
    row_bytes = 3 * columns
    rows = len(pixels) // row_bytes
    packed = zlib.compress(b"".join(b"\0" + pixels[row_bytes * row : row_bytes * (row + 1)] for row in range(rows)))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return PNG_BEGINS + _part(b"IHDR", header) + _part(b"IDAT", packed) + _part(b"IEND", b"")


def _part(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _pixels(page: Any, columns: int, rows: int, request: PictureRequest) -> bytes:
    row_bytes = 3 * columns
    buffer = (ctypes.c_ubyte * (row_bytes * rows))()
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, pdfium.FPDFBitmap_BGR, buffer, row_bytes)
    if not bitmap:
        raise CorruptFileError(filename=request.filename, reason=f"page {request.page} can't be drawn")
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, _WHITE)
    flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, flags)
    return bytes(buffer)


def _characters(page: Any) -> tuple[str, list[int]]:
    """Return the page's characters and their boxes, as PagePicture has them; none if the text can't be read."""
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return "", []
    count = min(max(int(pdfium.FPDFText_CountChars(text_page)), 0), MOST_CHARACTERS)
    rectangle, (x, y) = pdfium.FS_RECTF(), (ctypes.c_int(), ctypes.c_int())
    found: list[str] = []
    boxes: list[int] = []

    def place(left: float, top: float) -> tuple[int, int]:
        pdfium.FPDF_PageToDevice(page, 0, 0, BOX_PARTS, BOX_PARTS, 0, left, top, x, y)
        return _within(x.value), _within(y.value)

    for index in range(count):
        code = int(pdfium.FPDFText_GetUnicode(text_page, index))
        found.append(_REPLACED if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code))
        if not pdfium.FPDFText_GetLooseCharBox(text_page, index, rectangle):
            boxes += (0, 0, 0, 0)
            continue
        one, other = place(rectangle.left, rectangle.top), place(rectangle.right, rectangle.bottom)
        # A page that is turned has its corners elsewhere.
        boxes += (min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1]))
    return "".join(found), boxes


def _within(part: int) -> int:
    return min(max(part, 0), BOX_PARTS)
