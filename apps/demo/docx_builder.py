"""Build a DOCX from a template's text, with the same bytes each time."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx import Document

from apps.demo.markup import Heading, PageBreak, Paragraph, Table, blocks


def build_docx(text: str) -> bytes:
    """Build a DOCX with headings, paragraphs and real tables in Word's own styles."""
    document = Document()
    for block in blocks(text):
        match block:
            case Heading():
                document.add_heading(block.text, level=block.level)
            case Paragraph():
                document.add_paragraph(block.text)
            case PageBreak():
                continue  # Word breaks pages itself
            case Table():
                table = document.add_table(rows=0, cols=len(block.rows[0]))
                for row in block.rows:
                    for cell, value in zip(table.add_row().cells, row, strict=True):
                        cell.text = value
    buffer = BytesIO()
    document.save(buffer)
    return _fix_times(buffer.getvalue())


def _fix_times(content: bytes) -> bytes:
    """Return the archive with every entry dated 1980, since python-docx writes the current time into the entries."""
    packed = BytesIO()
    with ZipFile(BytesIO(content)) as source, ZipFile(packed, "w") as target:
        for name in source.namelist():
            entry = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return packed.getvalue()
