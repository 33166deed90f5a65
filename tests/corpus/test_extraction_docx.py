"""Word documents: headings by style, lists, tables with merged cells, and containers that are broken."""

from __future__ import annotations

import io
import zipfile

import pytest
from docx.document import Document

from apps.corpus.extraction import BlockKind, Limits, extract
from apps.corpus.extraction.detection import require_readable
from apps.corpus.extraction.errors import (
    CorruptFileError,
    EncryptedFileError,
    ExtractionError,
    LyingFileError,
    MacroFileError,
    TruncatedFileError,
    UnpackedTooLargeError,
)
from tests.corpus.files import docx_file, zip_file


def build(document: Document) -> None:
    document.add_heading("Fund profile", level=1)
    document.add_paragraph("The fund invests in bonds.")
    document.add_paragraph("short duration", style="List Bullet")
    table = document.add_table(rows=3, cols=3)
    for row, values in zip(
        table.rows, [("", "2024", "2023"), ("Net fees", "1,577", "1,373"), ("Costs", "(12)", "(9)")], strict=True
    ):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    document.add_paragraph("The end.")


def test_body_is_read_in_its_order() -> None:
    texts = [block.text for block in extract(docx_file(build), filename="a.docx").pages[0].blocks]
    assert texts == [
        "Fund profile",
        "The fund invests in bonds.",
        "short duration",
        "2024 | 2023",
        "Net fees | 2024: 1,577 | 2023: 1,373",
        "Costs | 2024: (12) | 2023: (9)",
        "The end.",
    ]


def test_styles_give_the_kinds() -> None:
    kinds = [block.kind for block in extract(docx_file(build), filename="a.docx").pages[0].blocks]
    assert kinds[:4] == [BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_HEADER]


def test_merged_header_names_both_columns() -> None:
    def merged(document: Document) -> None:
        table = document.add_table(rows=3, cols=3)
        table.cell(0, 1).merge(table.cell(0, 2)).text = "Drawdown"
        for column, value in enumerate(("Fund", "Q4 2023", "Q4 2024")):
            table.cell(1, column).text = value
        for column, value in enumerate(("Alpha", "-3.1%", "-4.2%")):
            table.cell(2, column).text = value

    block = extract(docx_file(merged), filename="a.docx").pages[0].blocks[-1]
    assert (block.text, block.context) == ("Alpha | Q4 2023: -3.1% | Q4 2024: -4.2%", "Drawdown")


def test_cell_merged_downwards_labels_each_row() -> None:
    def merged(document: Document) -> None:
        table = document.add_table(rows=3, cols=2)
        table.cell(0, 0).text, table.cell(0, 1).text = "Fund", "2024"
        table.cell(1, 0).merge(table.cell(2, 0)).text = "Alpha"
        table.cell(1, 1).text, table.cell(2, 1).text = "1.5", "2.5"

    texts = [block.text for block in extract(docx_file(merged), filename="a.docx").pages[0].blocks]
    assert texts[1:] == ["Alpha | 2024: 1.5", "Alpha | 2024: 2.5"]


def test_deleted_text_is_not_read() -> None:
    content = _with_part(
        docx_file(lambda document: document.add_paragraph("KEPT")),
        "word/document.xml",
        lambda xml: xml.replace(
            b"<w:t>KEPT</w:t>", b"<w:t>KEPT</w:t></w:r><w:del><w:r><w:t>GONE</w:t></w:r></w:del><w:r>"
        ),
    )
    assert extract(content, filename="a.docx").pages[0].text == "KEPT"


def test_title_property_is_taken() -> None:
    assert extract(docx_file(build, title="Alpha profile"), filename="a.docx").title == "Alpha profile"


def test_entities_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    content = _with_part(
        docx_file(lambda document: document.add_paragraph("KEPT")),
        "word/document.xml",
        lambda xml: xml.replace(b"?>", b"?>" + bomb, 1).replace(b"KEPT", b"KEPT&b;"),
    )
    try:
        text = extract(content, filename="a.docx").pages[0].text
    except ExtractionError:
        return
    assert "aaaa" not in text


def test_unpacking_to_far_more_is_refused() -> None:
    content = zip_file({"word/document.xml": b"0" * 30_000_000})
    with pytest.raises(UnpackedTooLargeError, match="unpacks to 30000000 bytes"):
        extract(content, filename="bomb.docx", limits=Limits(max_unpack_ratio=20))


def test_cut_off_container_is_truncated() -> None:
    content = docx_file(build)
    with pytest.raises(TruncatedFileError):
        extract(content[: len(content) // 2], filename="half.docx")


def test_container_without_its_parts_is_corrupt() -> None:
    with pytest.raises(CorruptFileError):
        extract(zip_file({"word/document.xml": b"<x/>"}), filename="bad.docx")


def test_broken_xml_is_corrupt() -> None:
    content = _with_part(docx_file(build), "word/document.xml", lambda xml: xml[: len(xml) // 2])
    with pytest.raises(CorruptFileError):
        extract(content, filename="bad.docx")


def test_part_packed_in_an_unknown_way_is_corrupt() -> None:
    content = bytearray(docx_file())
    content[content.index(b"PK\x01\x02") + 10] = 99  # the first entry's compression method
    with pytest.raises(CorruptFileError):
        extract(bytes(content), filename="a.docx", limits=Limits())


def test_workbook_named_docx_lies() -> None:
    with pytest.raises(LyingFileError, match="an Excel workbook"):
        extract(zip_file({"xl/workbook.xml": b"<x/>"}), filename="a.docx")


def test_office_file_with_password_is_encrypted() -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(EncryptedFileError):
        extract(content, filename="a.docx")


def _with_part(content: bytes, name: str, change: object) -> bytes:
    source = zipfile.ZipFile(io.BytesIO(content))
    entries = {entry: source.read(entry) for entry in source.namelist()}
    assert callable(change)
    entries[name] = change(entries[name])
    return zip_file(entries)


# --- what is not read is told ---


def with_parts(content: bytes, **parts: bytes) -> bytes:
    """The document with more parts, by their name in word/."""
    entries: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            entries[name] = archive.read(name)
    types, links = "[Content_Types].xml", "word/_rels/document.xml.rels"
    for number, (name, change) in enumerate(parts.items()):
        part = name.replace("__", "/").replace("_bin", ".bin").replace("_xml", ".xml")
        entries[f"word/{part}"] = change
        kind = "application/octet-stream" if part.endswith(".bin") else "application/xml"
        entries[types] = entries[types].replace(
            b"</Types>", f'<Override PartName="/word/{part}" ContentType="{kind}"/></Types>'.encode()
        )
        entries[links] = entries[links].replace(
            b"</Relationships>",
            f'<Relationship Id="own{number}" Type="urn:test" Target="{part}"/></Relationships>'.encode(),
        )
    return zip_file(entries)


PLAIN = docx_file(lambda document: document.add_paragraph("Some text."))
FOOTNOTE = b'<w:footnotes xmlns:w="urn:w"><w:t xml:space="preserve">Without fees.</w:t></w:footnotes>'


def test_macros_are_told_where_the_rest_can_be_read() -> None:
    document = extract(with_parts(PLAIN, vbaProject_bin=b"\x01"), filename="a.docx")
    assert [(each.code.value, each.detail) for each in document.warnings] == [
        ("macros_ignored", "it contains macros, which are neither run nor read")
    ]


@pytest.mark.parametrize("filename", ["a.docm", "a.docx", "a"])
def test_a_document_made_for_macros_is_refused_at_once_and_when_read(filename: str) -> None:
    with zipfile.ZipFile(io.BytesIO(PLAIN)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    plain_type = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    assert plain_type in entries["[Content_Types].xml"]
    entries["[Content_Types].xml"] = entries["[Content_Types].xml"].replace(
        plain_type, b"application/vnd.ms-word.document.macroEnabled.main+xml"
    )
    content = zip_file(entries)
    with pytest.raises(MacroFileError, match=r"Save it as \.docx"):
        require_readable(content, filename=filename, limits=Limits())
    with pytest.raises(MacroFileError, match=r"Save it as \.docx"):
        extract(content, filename=filename)


def test_parts_that_are_not_read_are_told() -> None:
    document = extract(with_parts(PLAIN, footnotes_xml=FOOTNOTE, embeddings__one_bin=b"x"), filename="a.docx")
    assert [(each.code.value, each.detail) for each in document.warnings] == [
        ("part_not_read", "its footnotes were not read"),
        ("part_not_read", "embedded content was not read"),
    ]


def test_a_plain_document_has_no_warnings() -> None:
    assert extract(PLAIN, filename="a.docx").warnings == ()
