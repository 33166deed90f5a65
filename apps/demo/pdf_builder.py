"""Build a small PDF from a template's text: real text and pages, tables in columns, and the same bytes each time."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from apps.demo.markup import Heading, PageBreak, Paragraph, Table, blocks

_WIDTH, _HEIGHT, _MARGIN = 595, 842, 60  # A4 in points
_LINE: Final = 14
_CHARACTERS: Final = 88  # how many characters of 10 point Helvetica fit between the margins
_COLUMN: Final = 110


def build_pdf(text: str) -> bytes:
    """Build a PDF with one page for each part between page breaks.

    Raises: ValueError: a part does not fit on its page, or holds a character outside Windows-1252.
    """
    pages: list[list[str]] = [[]]
    y = _HEIGHT - _MARGIN
    for block in blocks(text):
        match block:
            case PageBreak():
                pages.append([])
                y = _HEIGHT - _MARGIN
                continue
            case Heading():
                y -= 6
                pages[-1].append(_draw_text(block.text, x=_MARGIN, y=y, font="F2", size=16 if block.level == 1 else 12))
                y -= _LINE + 6
            case Paragraph():
                for line in wrap(block.text, _CHARACTERS):
                    pages[-1].append(_draw_text(line, x=_MARGIN, y=y))
                    y -= _LINE
                y -= 6
            case Table():
                for number, row in enumerate(block.rows):
                    font = "F1" if number else "F2"
                    pages[-1].append(_draw_text(row[0], x=_MARGIN, y=y, font=font))
                    for column, cell in enumerate(row[1:]):
                        pages[-1].append(_draw_text(cell, x=_MARGIN + 220 + column * _COLUMN, y=y, font=font))
                    y -= _LINE
                y -= 6
        if y < _MARGIN:
            raise ValueError(f"page {len(pages)} of the PDF is too long")
    return _file(["\n".join(page) for page in pages])


def _draw_text(text: str, *, x: int, y: int, font: str = "F1", size: int = 10) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET"


def _file(streams: list[str]) -> bytes:
    """Return the PDF file. Objects 1 to 4 are catalogue, page tree and two fonts; each page and its content follow."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        _font("Helvetica"),
        _font("Helvetica-Bold"),
    ]
    for number, stream in enumerate(streams):
        content = stream.encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_WIDTH} {_HEIGHT}] "
            f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {6 + 2 * number} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    body = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, entry in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, entry)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(body))
    )


def _font(name: str) -> bytes:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
