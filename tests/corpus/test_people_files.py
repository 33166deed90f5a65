"""A name that stands in one part of a file alone is found, whatever the format and the part."""

from __future__ import annotations

import base64
import contextlib
import io
import zipfile
from collections.abc import Callable

import docx
import pytest

from apps.corpus.extraction import ExtractionError
from apps.corpus.reader import hidden_contained, pages_contained
from apps.privacy.people.contracts import PersonDescription, PersonName
from apps.privacy.people.matching import Matcher
from tests.corpus.files import docx_file, lines, pdf

NAME = "Johann Falkenhayn"
PERSON = PersonDescription(names=(PersonName(full=NAME),))
BODY = "The fees of the fund are 0.75 % a year of its net asset value."
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def with_objects(*bodies: str, streams: tuple[tuple[str, bytes], ...] = ()) -> bytes:
    """A PDF with further objects, as an incremental update appends them. Their numbers start at 90."""
    plain = pdf([lines(BODY, BODY)])
    start = int(plain.rsplit(b"startxref", 1)[1].split()[0])
    trailer = plain[plain.index(b"trailer") : plain.index(b"startxref")]
    out, offsets = bytearray(plain), []
    items = [body.encode("latin-1") for body in bodies]
    items += [
        b"<< " + head.encode() + b" /Length %d >>\nstream\n" % len(data) + data + b"\nendstream"
        for head, data in streams
    ]
    for number, body in enumerate(items, start=90):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    at = len(out)
    out += b"xref\n90 %d\n" % len(items) + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(out) + trailer.replace(b">>", b" /Prev %d >>" % start) + b"startxref\n%d\n%%%%EOF\n" % at


def utf16(text: str) -> str:
    return "<" + (b"\xfe\xff" + text.encode("utf-16-be")).hex() + ">"


PDF: dict[str, Callable[[str], bytes]] = {
    "info title": lambda name: pdf([lines(BODY, BODY)], title=name),
    "info author": lambda name: with_objects(f"<< /Author ({name}) >>"),
    "info keywords as UTF-16": lambda name: with_objects(f"<< /Keywords {utf16(name)} >>"),
    "xmp": lambda name: with_objects(
        streams=(("/Type /Metadata /Subtype /XML", f"<x><creator>{name}</creator></x>".encode()),)
    ),
    "annotation": lambda name: with_objects(f"<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents ({name}) >>"),
    "author of an annotation": lambda name: with_objects(f"<< /Type /Annot /Subtype /Text /T ({name}) >>"),
    "form field": lambda name: with_objects(f"<< /FT /Tx /T (name) /V ({name}) >>"),
    "label of a form field": lambda name: with_objects(f"<< /FT /Tx /T (name) /TU ({name}) >>"),
    "choice of a form field": lambda name: with_objects(f"<< /FT /Ch /Opt [(a) [(b) ({name})]] >>"),
    "name of an attachment": lambda name: with_objects(f"<< /Type /Filespec /F (x) /UF ({name}.txt) >>"),
    "content of an attachment": lambda name: with_objects(streams=(("/Type /EmbeddedFile", f"to {name}".encode()),)),
    "bookmark": lambda name: with_objects(f"<< /Title ({name}) /Parent 1 0 R >>"),
    "script": lambda name: with_objects(f"<< /S /JavaScript /JS (app.alert\\('{name}'\\)) >>"),
    "link": lambda name: with_objects(f"<< /S /URI /URI (https://example.com/?who={name.replace(' ', '%20')}) >>"),
    "alternative text": lambda name: with_objects(f"<< /S /Figure /Alt ({name}) >>"),
}


def word(part: str, xml: str) -> bytes:
    """A Word document with one more part, or another one in its place."""
    source, target = io.BytesIO(docx_file(lambda made: made.add_paragraph(BODY))), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if entry.filename != part:
                new.writestr(entry, old.read(entry))
        new.writestr(part, xml)
    return target.getvalue()


def body(inner: str) -> bytes:
    return word(
        "word/document.xml",
        f"<w:document {_W}><w:body><w:p><w:r><w:t>{BODY}</w:t></w:r></w:p>{inner}</w:body></w:document>",
    )


def paragraph(name: str) -> str:
    """In two runs, as Word writes it after an edit."""
    given, family = name.split()
    return f'<w:p><w:r><w:t xml:space="preserve">{given} </w:t></w:r><w:r><w:t>{family}</w:t></w:r></w:p>'


def in_part(part: str, tag: str) -> Callable[[str], bytes]:
    return lambda name: word(f"word/{part}.xml", f"<w:{tag} {_W}>{paragraph(name)}</w:{tag}>")


def property_of(field: str) -> Callable[[str], bytes]:
    def made(name: str) -> bytes:
        document = docx.Document()
        document.add_paragraph(BODY)
        setattr(document.core_properties, field, name)
        target = io.BytesIO()
        document.save(target)
        return target.getvalue()

    return made


WORD: dict[str, Callable[[str], bytes]] = {
    **{
        f"core property {field}": property_of(field)
        for field in ("author", "last_modified_by", "title", "subject", "keywords", "comments", "category")
    },
    "app property": lambda name: word("docProps/app.xml", f"<Properties><Manager>{name}</Manager></Properties>"),
    "custom property": lambda name: word(
        "docProps/custom.xml", f"<Properties><p name='x'><v>{name}</v></p></Properties>"
    ),
    "custom XML": lambda name: word("customXml/item1.xml", f"<client>{name}</client>"),
    "comment": in_part("comments", "comments"),
    "header": in_part("header9", "hdr"),
    "footer": in_part("footer9", "ftr"),
    "footnote": in_part("footnotes", "footnotes"),
    "endnote": in_part("endnotes", "endnotes"),
    "people": lambda name: word("word/people.xml", f"<w:people {_W}><w:person w:author='{name}'/></w:people>"),
    "deletion": lambda name: body(f"<w:p><w:del w:author='x'><w:r><w:delText>{name}</w:delText></w:r></w:del></w:p>"),
    "insertion": lambda name: body(f"<w:p><w:ins w:author='x'><w:r><w:t>{name}</w:t></w:r></w:ins></w:p>"),
    "author of a change": lambda name: body(f"<w:p><w:ins w:author='{name}'><w:r><w:t>ok</w:t></w:r></w:ins></w:p>"),
    "hidden text": lambda name: body(f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{name}</w:t></w:r></w:p>"),
    "text box": lambda name: body(
        f"<w:p><w:r><w:pict><w:txbxContent>{paragraph(name)}</w:txbxContent></w:pict></w:r></w:p>"
    ),
    "field code": lambda name: body(f'<w:p><w:r><w:instrText>MERGEFIELD "{name}"</w:instrText></w:r></w:p>'),
    "alternative text": lambda name: body(f"<w:p><w:r><w:drawing><docPr descr='{name}'/></w:drawing></w:r></w:p>"),
    "tag of a control": lambda name: body(f"<w:sdt><w:sdtPr><w:alias w:val='{name}'/></w:sdtPr></w:sdt>"),
    "XML comment": lambda name: body(f"<!-- {name} -->"),
    "name of an embedded file": lambda name: word(f"word/embeddings/{name}.bin", "x"),
    "embedded file": lambda name: word("word/embeddings/one.bin", f"\x01\x02 {name} \x03"),
}


def page(inner: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head>{head}</head><body><p>{BODY}</p>{inner}</body></html>".encode()


HTML: dict[str, Callable[[str], bytes]] = {
    "comment": lambda name: page(f"<!-- {name} -->"),
    "meta": lambda name: page("", f'<meta name="author" content="{name}">'),
    "title": lambda name: page("", f"<title>{name}</title>"),
    "alt": lambda name: page(f'<img alt="{name}">'),
    "title attribute": lambda name: page(f'<p title="{name}">x</p>'),
    "data attribute": lambda name: page(f'<p data-client="{name}">x</p>'),
    "input": lambda name: page(f'<input value="{name}">'),
    "link": lambda name: page(f'<a href="mailto:{name.replace(" ", "%20")}">x</a>'),
    "script": lambda name: page(f"<script>var client = '{name}';</script>"),
    "style": lambda name: page(f"<style>/* {name} */</style>"),
    "hidden element": lambda name: page(f'<div style="display:none">{name}</div>'),
    "template": lambda name: page(f"<template><b>{name}</b></template>"),
    "noscript": lambda name: page(f"<noscript>{name}</noscript>"),
    "option": lambda name: page(f"<select><option>{name}</option></select>"),
    "text area": lambda name: page(f"<textarea>{name}</textarea>"),
    "image in the address": lambda name: page(
        f'<img src="data:text/plain;base64,{base64.b64encode(name.encode()).decode()}">'
    ),
}


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def rendition(*rows: str, note: str = "") -> bytes:
    return "\n".join(["Glassbox rendition 1", note, "page\t1\tread", f"paragraph\t0\t{BODY}\t", *rows, ""]).encode()


OTHERS: dict[str, Callable[[str], tuple[bytes, str]]] = {
    "comment in markdown": lambda name: (f"# Fees\n\n{BODY}\n\n<!-- {name} -->\n".encode(), "a.md"),
    "reference in markdown": lambda name: (f"# Fees\n\n{BODY}\n\n[x]: https://e.com '{name}'\n".encode(), "a.md"),
    "key of JSON": lambda name: (f'[{{"text": "{BODY}", "{name}": null}}]'.encode(), "a.json"),
    "escapes of JSON": lambda name: (f'[{{"text": "{BODY}", "x": "{escaped(name)}"}}]'.encode(), "a.json"),
    "comment in CSV": lambda name: (f"# {name}\nfund,fee\nAlpha,0.75\nBeta,0.50\n".encode(), "a.csv"),
    "row of CSV that is too long": lambda name: (f"fund,fee\nAlpha,0.75\nx,y,z,{name}\n".encode(), "a.csv"),
    "base64": lambda name: (f"{BODY}\n\n{base64.b64encode(name.encode()).decode()}\n".encode(), "a.txt"),
    "base64 as UTF-16": lambda name: (
        f"{BODY}\n\n{base64.b64encode(name.encode('utf-16-le')).decode()}".encode(),
        "a.txt",
    ),
    "note of a rendition": lambda name: (rendition(note=name), "a.txt"),
    "context of a block of a rendition": lambda name: (rendition(f"paragraph\t0\tx\tof {name}"), "a.txt"),
    "context over two lines": lambda name: (
        rendition(f"paragraph\t0\tx\t{name.replace(' ', chr(92) + 'n')}"),
        "a.txt",
    ),
    "cell that a page of a rendition has too many": lambda name: (rendition(f"page\t2\tread\t{name}"), "a.txt"),
    "rendition that can't be read": lambda name: (rendition(f"no kind\t{name}"), "a.txt"),
    "hexadecimal": lambda name: (f"{BODY}\n\n{name.encode().hex()}\n".encode(), "a.txt"),
    "hexadecimal in pairs": lambda name: (f"{BODY}\n\n{name.encode().hex(' ')}\n".encode(), "a.txt"),
}
CASES = [
    *((f"pdf: {part}", lambda name, made=made: (made(name), "a.pdf")) for part, made in PDF.items()),
    *((f"docx: {part}", lambda name, made=made: (made(name), "a.docx")) for part, made in WORD.items()),
    *((f"html: {part}", lambda name, made=made: (made(name), "a.html")) for part, made in HTML.items()),
    *OTHERS.items(),
]


def found_in(content: bytes, filename: str) -> list[str]:
    """The parts in which the person is found, what the pages show included."""
    matcher = Matcher(PERSON)
    texts = [(each.part, each.text) for each in hidden_contained(content, filename=filename).texts]
    with contextlib.suppress(ExtractionError):
        texts += [("page", each.text) for each in pages_contained(content, filename=filename).pages]
    return [part for part, text in texts if any(match.confidence >= 0.6 for match in matcher.find(text))]


@pytest.mark.parametrize("make", [make for _, make in CASES], ids=[case for case, _ in CASES])
def test_a_name_in_one_part_alone_is_found(make: Callable[[str], tuple[bytes, str]]) -> None:
    content, filename = make(NAME)
    assert found_in(content, filename)
    # The control: it is the name that is found, and nothing else of the file.
    content, filename = make("Ottilie Sonnleitner")
    assert found_in(content, filename) == []


@pytest.mark.slow
def test_what_the_pages_show_is_no_hidden_text() -> None:
    shown = f"{NAME} wrote to us."
    for content, filename in (
        (pdf([lines(BODY, shown)]), "a.pdf"),
        (docx_file(lambda made: made.add_paragraph(shown)), "a.docx"),
        (page(f"<p>{shown}</p>"), "a.html"),
        (f"# Fees\n\n{shown}\n".encode(), "a.md"),
        (rendition(f"paragraph\t0\t{shown}\t"), "a.txt"),
        (rendition(f"paragraph\t0\t{shown.replace(' wrote', chr(92) + 'nwrote')}\t"), "a.txt"),
    ):
        assert found_in(content, filename) == ["page"], filename


def damaged(name: str) -> bytes:
    """A PDF whose table of objects names one that is not where it says."""
    return with_objects(f"<< /Author ({name}) >>", f"<< /Title ({name}) >>").replace(b"91 0 obj", b"77 0 obj")


def test_an_object_of_a_pdf_that_nobody_can_read_is_named_and_the_others_are_searched() -> None:
    hidden = hidden_contained(damaged(NAME), filename="a.pdf")
    assert hidden.unread == ("object 91",)
    assert NAME in "\n".join(each.text for each in hidden.texts)


@pytest.mark.parametrize("part", PDF)
def test_nothing_of_a_whole_pdf_is_named_as_unread(part: str) -> None:
    assert hidden_contained(PDF[part](NAME), filename="a.pdf").unread == ()
