"""Files that cost far more to read than they weigh, a family for each way that a format can be made to.

Each family takes a size and gives a file; its bytes grow about in proportion, and its cost should too.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from apps.corpus.extraction.rendition import RENDITION_BEGINS

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
    '<Override PartName="/word/styles.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>'
)
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="{type}" Target="{target}"/></Relationships>'
)


@dataclass(frozen=True)
class Family:
    """`build` makes the file of a size; `size` is one at which an unbounded reader would be in trouble."""

    filename: str
    build: Callable[[int], bytes]
    size: int


def raw_pdf(objects: Sequence[bytes]) -> bytes:
    """A PDF of numbered objects; the first is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    packed = zlib.compress(content, 9)
    return b"<< %s /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (entries, len(packed), packed)


def page_pdf(content: bytes, *, pages: int = 1, more: Sequence[bytes] = (), resources: bytes = b"") -> bytes:
    """`pages` pages that all show the same content; `more` are objects from number 6 on."""
    kids = b" ".join(b"5 0 R" for _ in range(pages))
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            stream(content),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            b"/Resources << /Font << /F 3 0 R >> %s >> >>" % resources,
            *more,
        ]
    )


def pdf_nested_forms(levels: int) -> bytes:
    """Each form draws the next one ten times: ten to the power of `levels` texts."""
    forms = []
    for level in range(levels):
        inner = b"/X Do " * 10 if level + 1 < levels else b"BT /F 9 Tf 72 700 Td (text of a form) Tj ET"
        following = b"/XObject << /X %d 0 R >>" % (7 + level) if level + 1 < levels else b""
        entries = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> %s >>"
        forms.append(stream(inner, entries % following))
    return page_pdf(b"/X Do", more=forms, resources=b"/XObject << /X 6 0 R >>")


def pdf_packed_text(count: int) -> bytes:
    """A page of `count` texts, one under the other, that packs to almost nothing."""
    return page_pdf(b"BT /F 9 Tf 72 720 Td " + b"0 -.01 Td (wwww) Tj " * count + b"ET")


def pdf_many_pages(count: int) -> bytes:
    """`count` pages that all show the same packed content."""
    return page_pdf(b"BT /F 9 Tf 72 720 Td " + b"0 -12 Td (some words of text) Tj " * 2_000 + b"ET", pages=count)


def pdf_scattered(count: int) -> bytes:
    """Words without order all over one page: no two in a line, or all in one."""
    words = (b"BT /F 5 Tf %d %d Td (ab) Tj ET " % (i * 7919 % 600, i * 104729 % 780) for i in range(count))
    return page_pdf(b"".join(words))


def pdf_table(count: int) -> bytes:
    """A table of numbers in narrow columns, row after row."""
    rows = (b"BT /F 2 Tf %d %d Td (%d) Tj ET " % (10 + i % 60 * 10, 780 - i // 60 * 2, i % 97) for i in range(count))
    return page_pdf(b"".join(rows))


def word_file(body: str, styles: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _CONTENT_TYPES)
        archive.writestr(
            "_rels/.rels", _RELATIONS.format(type=f"{_RELATION}/officeDocument", target="word/document.xml")
        )
        archive.writestr(
            "word/_rels/document.xml.rels", _RELATIONS.format(type=f"{_RELATION}/styles", target="styles.xml")
        )
        archive.writestr("word/styles.xml", f'<?xml version="1.0"?><w:styles {_WORD}>{styles}</w:styles>')
        archive.writestr(
            "word/document.xml", f'<?xml version="1.0"?><w:document {_WORD}><w:body>{body}</w:body></w:document>'
        )
    return buffer.getvalue()


def word_styles(count: int) -> bytes:
    """As many styles as paragraphs, each in the last style."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{i}"><w:name w:val="Style {i}"/></w:style>' for i in range(count)
    )
    one = f'<w:p><w:pPr><w:pStyle w:val="S{count - 1}"/></w:pPr><w:r><w:t>Words of a paragraph.</w:t></w:r></w:p>'
    return word_file(one * count, styles)


def word_nested_tables(depth: int) -> bytes:
    opening = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p>"
    return word_file(opening * depth + "<w:p/></w:tc></w:tr></w:tbl>" * depth)


def word_spans(count: int) -> bytes:
    """Rows of one cell that claims a width of a thousand columns for each of its rows."""
    cell = f'<w:tcPr><w:gridSpan w:val="{count * 1000}"/></w:tcPr><w:p><w:r><w:t>1</w:t></w:r></w:p>'
    return word_file(f"<w:tbl>{f'<w:tr><w:tc>{cell}</w:tc></w:tr>' * count}</w:tbl>")


def word_runs(count: int) -> bytes:
    return word_file("<w:p>" + "<w:r><w:rPr><w:b/></w:rPr><w:t>ab </w:t></w:r>" * count + "</w:p>")


def html_deep(count: int) -> bytes:
    return b"<html><body>" + b"<div>" * count + b"text" + b"</div>" * count


def html_unclosed(count: int) -> bytes:
    return b"<html><body>" + b"<p><b><i><font>word " * count


def html_tables(count: int) -> bytes:
    """As many columns as rows, with a header that each row would repeat."""
    side = max(int(count**0.5), 2)
    head = b"".join(b"<th>Heading of column %d</th>" % i for i in range(side))
    return b"<html><body><table><tr>" + head + b"</tr>" + (b"<tr>" + b"<td>1</td>" * side + b"</tr>") * side


def html_spans(count: int) -> bytes:
    cell = b'<tr><td colspan="1000" rowspan="65534">1</td></tr>'
    return b"<html><body><table>" + cell * count + b"</table>"


def html_nested_tables(count: int) -> bytes:
    return b"<html><body>" + b"<table><tr><td>a" * count


def html_signs(count: int) -> bytes:
    return b"<html><body>" + b"<" * count + b"&" * count


def csv_wide(count: int) -> bytes:
    """A line of headings as long as the rest, and rows that fill every column."""
    side = max(int(count**0.5), 2)
    head = ",".join(f"Heading of column {i}" for i in range(side))
    return (head + "\n" + (",".join("7" for _ in range(side)) + "\n") * side).encode()


def csv_headings(count: int) -> bytes:
    """Many long headings, and as many rows that have a single value."""
    head = ",".join(f"Heading{i}" for i in range(count))
    return (head + "\n" + "1\n" * count).encode()


def csv_quotes(count: int) -> bytes:
    return b"a,b\n" + b'"' * count + b"\n1,2\n"


def json_deep(count: int) -> bytes:
    return b"[" * count + b"1" + b"]" * count


def json_paths(count: int) -> bytes:
    """Long keys above many values: what a value's record says of where it stands."""
    key = "k" * 200
    inner: object = {f"v{i}": i for i in range(count)}
    for _ in range(20):
        inner = {key: inner}
    return json.dumps(inner).encode()


def json_wide(count: int) -> bytes:
    return json.dumps([{f"field{i}": i for i in range(40)}] * count).encode()


def json_number(count: int) -> bytes:
    return b'{"a": ' + b"9" * count + b"}"


def markdown_headings(count: int) -> bytes:
    return b"".join(b"%s A heading of the document\n\n" % (b"#" * (i % 6 + 1)) for i in range(count))


def markdown_signs(count: int) -> bytes:
    return b"# a\n\n" + b"[" * count + b"*_`" * count + b"](" * count + b"\n"


def markdown_table(count: int) -> bytes:
    side = max(int(count**0.5), 2)
    head = b"|".join(b"heading %d" % i for i in range(side))
    rule = b"|".join(b"---" for _ in range(side))
    return b"\n".join([head, rule, *[b"|".join(b"7" for _ in range(side))] * side])


def text_of(unit: bytes) -> Callable[[int], bytes]:
    return lambda count: b"Some text.\n\n" + unit * count + b"\n\nThe end."


def rendition(count: int) -> bytes:
    """Blocks with a long context each."""
    context = b"x" * 500
    rows = b"".join(b"table_row\t0\t7\t%s\n" % context for _ in range(count))
    return RENDITION_BEGINS + b"Note.\npage\t1\tread\n" + rows


FAMILIES: dict[str, Family] = {
    "pdf: nested forms": Family("a.pdf", pdf_nested_forms, 9),
    "pdf: packed text": Family("a.pdf", pdf_packed_text, 2_000_000),
    "pdf: many pages": Family("a.pdf", pdf_many_pages, 4_000),
    "pdf: scattered words": Family("a.pdf", pdf_scattered, 150_000),
    "pdf: a table of numbers": Family("a.pdf", pdf_table, 150_000),
    "word: styles": Family("a.docx", word_styles, 20_000),
    "word: nested tables": Family("a.docx", word_nested_tables, 3_000),
    "word: spans": Family("a.docx", word_spans, 2_000),
    "word: runs": Family("a.docx", word_runs, 200_000),
    "html: deep": Family("a.html", html_deep, 300_000),
    "html: unclosed": Family("a.html", html_unclosed, 100_000),
    "html: tables": Family("a.html", html_tables, 1_000_000),
    "html: spans": Family("a.html", html_spans, 5_000),
    "html: nested tables": Family("a.html", html_nested_tables, 20_000),
    "html: signs": Family("a.html", html_signs, 1_000_000),
    "csv: wide": Family("a.csv", csv_wide, 1_000_000),
    "csv: headings": Family("a.csv", csv_headings, 100_000),
    "csv: quotes": Family("a.csv", csv_quotes, 1_000_000),
    "json: deep": Family("a.json", json_deep, 1_000_000),
    "json: paths": Family("a.json", json_paths, 50_000),
    "json: wide": Family("a.json", json_wide, 20_000),
    "json: a number": Family("a.json", json_number, 1_000_000),
    "markdown: headings": Family("a.md", markdown_headings, 100_000),
    "markdown: signs": Family("a.md", markdown_signs, 300_000),
    "markdown: a table": Family("a.md", markdown_table, 1_000_000),
    "rendition: contexts": Family("a.txt", rendition, 20_000),
    **{
        f"text: {name}": Family("a.txt", text_of(unit), size)
        for name, unit, size in (
            ("one word", b"w", 2_000_000),
            ("blanks", b" ", 2_000_000),
            ("blank lines", b"\n", 1_000_000),
            ("digits", b"9", 2_000_000),
            ("numbers with points", b"1.", 1_000_000),
            ("numbers with commas", b"1,", 1_000_000),
            ("brackets", b"(", 1_000_000),
            ("dashes", b"-", 1_000_000),
            ("capitals", b"A.", 1_000_000),
            ("items", b"Item 1A. ", 300_000),
            ("sections", "§ 1(a)".encode(), 300_000),
            ("cover phrases", b"for the fiscal year ended ", 100_000),
            ("commission phrases", b"for the quarter ended commission file number ", 50_000),
            ("release phrases", b"reports quarter ", 100_000),
            ("months", b"January 1 , ", 200_000),
            ("registrants", b"exact name of registrant (NYSE: ", 60_000),
            ("call phrases", b"earnings conference call ", 100_000),
            ("slashes", b"a/b", 500_000),
            ("signs of money", b"$ 1 ", 500_000),
            ("marks", "\u0301".encode(), 1_000_000),
            ("letters of every kind", "ä\u200bß\ufb01".encode(), 300_000),
        )
    },
}
