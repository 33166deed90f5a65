"""Test files made in memory: a small PDF writer, Word documents, and bytes that are not what they seem."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import docx

BROKEN = b'{"cut'
"""A JSON file that is taken in, since its format is a matter of its whole text, and whose job fails."""

PAGE_WIDTH, PAGE_HEIGHT = 612, 792
_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_KEEP_ALL_PERMISSIONS = -4
# Gives each letter a code of the private use area, as fonts do that were made without a table of their characters.
_NO_CHARACTERS = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
1 beginbfrange <21> <FF> <E021> endbfrange
endcmap end end"""


@dataclass(frozen=True)
class Text:
    """A run of text at a place on the page, in points from the lower left."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False
    turned: bool = False


@dataclass(frozen=True)
class Stroke:
    """A drawn line from one place to another; as a filled rectangle where `filled`."""

    x0: float
    y0: float
    x1: float
    y1: float
    filled: bool = False
    width: float = 0.5


@dataclass(frozen=True)
class PdfPage:
    """Texts, in the order in which they are drawn, over strokes; `picture` covers the page with an image."""

    texts: Sequence[Text] = field(default_factory=tuple)
    picture: bool = False
    strokes: Sequence[Stroke] = field(default_factory=tuple)


def lines(*texts: str, top: float = 720, x: float = 72, size: float = 10, pitch: float = 12) -> PdfPage:
    """A page of lines, one under the other."""
    return PdfPage([Text(x, top - number * pitch, text, size) for number, text in enumerate(texts)])


def pdf(
    pages: Sequence[PdfPage],
    *,
    title: str = "",
    password: str = "",
    catalog_entries: bytes = b"",
    garbled: bool = False,
) -> bytes:
    """A PDF of pages; with a password it can't be opened without. garbled: its text layer names no characters."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    catalog, tree = add(b""), add(b"")
    named = b""
    if garbled:
        named = b" /ToUnicode %d 0 R" % add(_stream(_NO_CHARACTERS, b""))
    plain = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding%s >>" % named)
    bold = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
    image = add(
        _stream(
            b"\x80\x80\x80",
            b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceRGB",
        )
    )
    kids: list[int] = []
    for page in pages:
        content = add(_stream(_content(page), b""))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R /F2 %d 0 R >> "
                b"/XObject << /Im %d 0 R >> >> >>" % (tree, PAGE_WIDTH, PAGE_HEIGHT, content, plain, bold, image)
            )
        )
    objects[catalog - 1] = b"<< /Type /Catalog /Pages %d 0 R %s >>" % (tree, catalog_entries)
    objects[tree - 1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (
        b" ".join(b"%d 0 R" % kid for kid in kids),
        len(kids),
    )
    info = add(b"<< /Title (%s) >>" % title.encode("latin-1"))
    trailer = b"/Root %d 0 R /Info %d 0 R" % (catalog, info)
    if password:
        identifier = _md5(b"test file")
        owner, user, key = _password_entries(password.encode(), identifier)
        objects = [_encrypted(number, body, key) for number, body in enumerate(objects, start=1)]
        entry = add(
            b"<< /Filter /Standard /V 1 /R 2 /P %d /O <%s> /U <%s> >>"
            % (_KEEP_ALL_PERMISSIONS, owner.hex().encode(), user.hex().encode())
        )
        trailer += b" /Encrypt %d 0 R /ID [<%s> <%s>]" % (entry, identifier.hex().encode(), identifier.hex().encode())
    return _file(objects, trailer)


def docx_file(build: object = None, *, title: str = "") -> bytes:
    """A Word document; `build` is a function that fills it."""
    document = docx.Document()
    document.core_properties.title = title
    if callable(build):
        build(document)
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def zip_file(entries: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return target.getvalue()


def png() -> bytes:
    """One grey pixel."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\x00\x80")) + chunk(b"IEND", b"")
    )


def _content(page: PdfPage) -> bytes:
    parts: list[bytes] = []
    if page.picture:
        parts.append(b"q %d 0 0 %d 0 0 cm /Im Do Q" % (PAGE_WIDTH, PAGE_HEIGHT))
    for stroke in page.strokes:
        if stroke.filled:
            half, is_across = stroke.width / 2, abs(stroke.x1 - stroke.x0) > abs(stroke.y1 - stroke.y0)
            x, y = min(stroke.x0, stroke.x1) - half * (not is_across), min(stroke.y0, stroke.y1) - half * is_across
            width = abs(stroke.x1 - stroke.x0) or stroke.width
            height = abs(stroke.y1 - stroke.y0) or stroke.width
            parts.append(b"%g %g %g %g re f" % (x, y, width, height))
        else:
            line = (stroke.width, stroke.x0, stroke.y0, stroke.x1, stroke.y1)
            parts.append(b"%g w %g %g m %g %g l S" % line)
    for text in page.texts:
        escaped = text.text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        matrix = b"0 1 -1 0" if text.turned else b"1 0 0 1"
        font = b"/F2" if text.bold else b"/F1"
        parts.append(b"BT %s %g Tf %s %g %g Tm (%s) Tj ET" % (font, text.size, matrix, text.x, text.y, escaped))
    return b"\n".join(parts)


def _stream(body: bytes, entries: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(body), body)


def _file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def _password_entries(password: bytes, identifier: bytes) -> tuple[bytes, bytes, bytes]:
    """/O, /U and the file key of the standard security handler, revision 2 (40 bits)."""
    padded = (password + _PADDING)[:32]
    owner = _rc4(_md5(padded)[:5], padded)
    permissions = struct.pack("<i", _KEEP_ALL_PERMISSIONS)
    key = _md5(padded + owner + permissions + identifier)[:5]
    return owner, _rc4(key, _PADDING), key


def _encrypted(number: int, body: bytes, key: bytes) -> bytes:
    head, separator, rest = body.partition(b"stream\n")
    if not separator or not rest.endswith(b"\nendstream"):
        return body
    object_key = _md5(key + struct.pack("<I", number)[:3] + b"\x00\x00")[:10]
    return head + separator + _rc4(object_key, rest[: -len(b"\nendstream")]) + b"\nendstream"


def _md5(content: bytes) -> bytes:
    return hashlib.md5(content, usedforsecurity=False).digest()


def _rc4(key: bytes, content: bytes) -> bytes:
    state = list(range(256))
    swap = 0
    for index in range(256):
        swap = (swap + state[index] + key[index % len(key)]) % 256
        state[index], state[swap] = state[swap], state[index]
    out = bytearray()
    first = second = 0
    for byte in content:
        first = (first + 1) % 256
        second = (second + state[first]) % 256
        state[first], state[second] = state[second], state[first]
        out.append(byte ^ state[(state[first] + state[second]) % 256])
    return bytes(out)
