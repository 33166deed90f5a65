"""All texts of a Word document: every part of its container, every paragraph, every attribute that is no format."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from apps.corpus.extraction.errors import CorruptFileError

_PARTS: Final = (
    (re.compile(r"^docProps/|^customXml/"), "properties"),
    (re.compile(r"^word/comments"), "comments"),
    (re.compile(r"^word/people"), "authors"),
    (re.compile(r"^word/(?:header|footer)"), "margins"),
    (re.compile(r"^word/(?:footnotes|endnotes)"), "notes"),
)
# Of an element that may be in any of them.
_BY_ELEMENT: Final = {"delText": "changes", "instrText": "fields", "delInstrText": "changes", "fldSimple": "fields"}
_BY_ATTRIBUTE: Final = {"author": "authors", "initials": "authors", "userId": "authors"}
# Of fonts and languages: what they are called names nobody.
_FORMATS: Final = frozenset(
    ("ascii", "hAnsi", "cs", "eastAsia", "typeface", "asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme", "lang")
)
_WITHOUT_WORDS: Final = re.compile(r"^word/(?:theme/|fontTable)|^\[Content_Types\]")
_RUN: Final = re.compile(rb"[\x20-\x7e\xc2-\xf4\x80-\xbf]{4,}")
_WIDE: Final = re.compile(rb"(?:[\x20-\x7e\xa0-\xff]\x00){4,}")


def docx_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """Parts (Part) with a text each. Raises: CorruptFileError."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield "properties", archive.comment.decode("utf-8", "replace")
            for entry in archive.infolist():
                if not _WITHOUT_WORDS.match(entry.filename):
                    yield "attachments", entry.filename.rpartition("/")[2]
                    yield from _entry(entry.filename, archive.read(entry))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise CorruptFileError(filename="", reason="its parts can't be unpacked") from error


def _entry(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    if not name.endswith((".xml", ".rels")):
        yield "attachments", printed(content)
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, recover=True)
    root = etree.fromstring(content, parser)
    if root is None:
        yield "attachments", printed(content)
        return
    part = next((part for pattern, part in _PARTS if pattern.match(name)), "rest")
    for element in root.iter():
        if not isinstance(element.tag, str):
            yield "comments", element.text or ""
            continue
        tag = etree.QName(element).localname
        if tag == "p":
            yield from _paragraph(element, part)
        elif not _in_paragraph(element):
            yield part, element.text or ""
        for key, value in element.attrib.items():
            key = etree.QName(key).localname
            if key not in _FORMATS and any(char.isalpha() for char in value):
                yield _BY_ATTRIBUTE.get(key, "attributes"), value


def _paragraph(paragraph: Any, part: str) -> Iterator[tuple[str, str]]:
    """The runs of a paragraph as one text: a name may be in several of them. What is deleted is a text of its own."""
    texts: dict[str, list[str]] = {}
    for element in paragraph.iter():
        if isinstance(element.tag, str):
            tag = etree.QName(element).localname
            own = _BY_ELEMENT.get(tag) or ("changes" if _is_inserted(element) else part)
            texts.setdefault(own, []).append(" " if tag in ("tab", "br", "cr") else element.text or "")
            if own == "changes" and part == "rest" and tag == "t":
                texts.setdefault(part, []).append(element.text or "")
    for own, runs in texts.items():
        yield own, "".join(runs)


def _is_inserted(element: Any) -> bool:
    return any(etree.QName(each).localname in ("ins", "moveFrom", "moveTo") for each in element.iterancestors())


def _in_paragraph(element: Any) -> bool:
    return any(etree.QName(each).localname == "p" for each in element.iterancestors())


def printed(content: bytes) -> str:
    """What can be read in bytes of any kind: runs of four and more characters, of one byte or two each."""
    runs = [run.decode("utf-8", "ignore") for run in _RUN.findall(content)]
    runs += [run.decode("utf-16-le", "ignore") for run in _WIDE.findall(content)]
    return "\n".join(runs)
