"""PDF files: text in reading order, headings, running titles, pictures, and files that are broken in some way."""

from __future__ import annotations

import pytest

from apps.corpus.extraction import BlockKind, Limits, WarningCode, extract
from apps.corpus.extraction.errors import (
    CorruptFileError,
    EncryptedFileError,
    NoTextError,
    TooManyPagesError,
    TruncatedFileError,
)
from tests.corpus.files import PdfPage, Text, lines, pdf

SENTENCES = (
    "The committee met in March and reviewed the liquidity of the fund against",
    "its own limits, which had been set in the year before. No limit was",
    "exceeded during the period.",
)


def test_wrapped_lines_become_one_paragraph() -> None:
    document = extract(pdf([lines(*SENTENCES)]), filename="a.pdf")
    assert document.pages[0].text == " ".join(SENTENCES)


def test_pages_are_numbered_from_one() -> None:
    document = extract(pdf([lines("first page"), lines("second page")]), filename="a.pdf")
    assert [(page.number, page.text) for page in document.pages] == [(1, "first page"), (2, "second page")]


def test_bold_line_above_text_is_a_heading() -> None:
    page = PdfPage(
        [Text(72, 720, "Risk appetite", bold=True), Text(72, 700, SENTENCES[0]), Text(72, 688, SENTENCES[1])]
    )
    blocks = extract(pdf([page]), filename="a.pdf").pages[0].blocks
    assert [block.kind for block in blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]


def test_line_that_only_begins_bold_is_text() -> None:
    page = PdfPage([Text(72, 720, "Fees.", bold=True), Text(102, 720, "They are charged each quarter.")])
    assert extract(pdf([page]), filename="a.pdf").pages[0].blocks[0].kind is BlockKind.PARAGRAPH


def test_bullets_become_list_items() -> None:
    document = extract(
        pdf([lines("The limits are:", "\u2022 one for liquidity", "\u2022 one for credit")]), filename="a.pdf"
    )
    assert [block.kind for block in document.pages[0].blocks][1:] == [BlockKind.LIST_ITEM, BlockKind.LIST_ITEM]


def test_columns_of_text_are_not_mixed() -> None:
    left = [Text(72, 720 - 12 * n, f"left column line {n} of the text", 10) for n in range(6)]
    right = [Text(330, 720 - 12 * n, f"right column line {n} of the text", 10) for n in range(6)]
    text = extract(pdf([PdfPage([*left, *right])]), filename="a.pdf").pages[0].text
    assert text.index("left column line 5") < text.index("right column line 0")


def test_running_title_and_page_number_are_left_out() -> None:
    pages = [
        PdfPage([Text(72, 770, "Alpha Fund Annual Report"), Text(72, 600, f"Body of page {n}."), Text(300, 30, str(n))])
        for n in range(1, 8)
    ]
    document = extract(pdf(pages), filename="a.pdf")
    assert [page.text for page in document.pages] == [f"Body of page {n}." for n in range(1, 8)]


def test_title_that_stands_on_one_page_stays() -> None:
    pages = [PdfPage([Text(72, 770, f"Chapter {name}"), Text(72, 600, "Some text.")]) for name in ("One", "Two")]
    assert "Chapter Two" in extract(pdf(pages), filename="a.pdf").pages[1].text


def test_divided_word_is_mended_where_the_document_knows_it_whole() -> None:
    page = PdfPage([Text(72, 720, "All information is reviewed. The infor\xad"), Text(72, 708, "mation is stored.")])
    text = extract(pdf([page]), filename="a.pdf").pages[0].text
    assert "\xad" not in text


def test_turned_table_keeps_label_and_years_together() -> None:
    rows = [("", "2024", "2023"), ("Net fees", "1,577", "1,373"), ("Other income", "262", "49")]
    texts = [
        Text(100 + 14 * number, 100 + 160 * column, cell, turned=True)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row)
        if cell
    ]
    text = extract(pdf([PdfPage(texts)]), filename="a.pdf").pages[0].text
    assert "Net fees | 2024: 1,577 | 2023: 1,373" in text


def test_picture_of_a_page_is_marked_as_not_extracted() -> None:
    document = extract(pdf([lines("A page with text."), PdfPage(picture=True)]), filename="a.pdf")
    assert [page.extracted for page in document.pages] == [True, False]


def test_picture_of_a_page_is_a_warning_with_its_page() -> None:
    document = extract(pdf([lines("A page with text."), PdfPage(picture=True)]), filename="a.pdf")
    assert [(w.code, w.page) for w in document.warnings] == [
        (WarningCode.RECOGNITION_OFF, None),
        (WarningCode.PAGE_NOT_EXTRACTED, 2),
    ]


def test_blank_page_is_no_warning() -> None:
    assert extract(pdf([lines("text"), PdfPage()]), filename="a.pdf").warnings == ()


def test_file_of_pictures_has_no_text() -> None:
    with pytest.raises(NoTextError, match="2 of 2 pages are pictures"):
        extract(pdf([PdfPage(picture=True)] * 2), filename="scan.pdf")


def test_password_is_named() -> None:
    with pytest.raises(EncryptedFileError, match=r"secret\.pdf needs a password"):
        extract(pdf([lines("hidden")], password="wolf"), filename="secret.pdf")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_cut_off_file_is_truncated(share: float) -> None:
    content = pdf([lines("text")] * 5)
    with pytest.raises(TruncatedFileError):
        extract(content[: int(len(content) * share)], filename="half.pdf")


def test_file_that_goes_on_after_its_end_is_truncated() -> None:
    content = pdf([lines("text")])
    with pytest.raises(TruncatedFileError, match="after its last end marker"):
        extract(content + b"9 0 obj\n<< /Type /Page", filename="half.pdf")


def test_head_of_a_linearized_file_is_truncated() -> None:
    content = pdf([lines("text")]).replace(b"%PDF-1.4\n", b"%PDF-1.4\n%<< /Linearized 1 /L 999999 >>\n")
    with pytest.raises(TruncatedFileError, match="bytes of 999999"):
        extract(content, filename="half.pdf")


def test_garbage_behind_the_pdf_mark_is_corrupt() -> None:
    with pytest.raises(CorruptFileError):
        extract(b"%PDF-1.7\n" + b"garbage " * 100 + b"%%EOF", filename="bad.pdf")


def test_too_many_pages_name_the_limit() -> None:
    with pytest.raises(TooManyPagesError, match="more than 3 pages"):
        extract(pdf([lines("text")] * 4), filename="long.pdf", limits=Limits(max_pages=3))


@pytest.mark.slow
def test_five_hundred_pages_are_read() -> None:
    assert len(extract(pdf([lines(*SENTENCES)] * 500), filename="long.pdf").pages) == 500


def test_page_over_the_character_limit_is_cut_with_a_warning() -> None:
    document = extract(pdf([lines("word " * 60)]), filename="a.pdf", limits=Limits(max_page_characters=50))
    assert [(w.code, w.page) for w in document.warnings] == [(WarningCode.PAGE_CUT, 1)]


def test_title_of_the_file_is_taken() -> None:
    assert extract(pdf([lines("text")], title="Alpha Fund Report"), filename="a.pdf").title == "Alpha Fund Report"


def test_title_that_is_a_file_name_is_not_taken() -> None:
    assert extract(pdf([lines("text")], title="report_final.docx"), filename="a.pdf").title is None


# --- what is not read is told ---

SCRIPT = b"/JavaScript << /Names [(a) << /S /JavaScript /JS (app.alert\\(1\\)) >>] >>"
ATTACHED = (
    b"/EmbeddedFiles << /Names [(a.txt) << /Type /Filespec /F (a.txt) >> (b.txt) << /Type /Filespec /F (b) >>] >>"
)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (b"", []),
        (SCRIPT, [("macros_ignored", "it contains scripts, which are not run")]),
        (ATTACHED, [("part_not_read", "2 files are attached to it, which were not read")]),
    ],
)
def test_scripts_and_attachments_are_told(names: bytes, told: list[tuple[str, str]]) -> None:
    content = pdf([lines("Some text on a page.")], catalog_entries=b"/Names << %s >>" % names)
    assert [(each.code.value, each.detail) for each in extract(content, filename="a.pdf").warnings] == told
