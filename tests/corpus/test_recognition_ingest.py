"""A scanned document from its upload to its figures and boxes, by the reading process in its sandbox."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import pytest
from django.test import override_settings
from django.urls import reverse

from apps.corpus.extraction import HowPageRead
from apps.corpus.extraction.contracts import Limits, Page, RecognisedWord, Recognition
from apps.corpus.extraction.errors import TooCostlyError
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import DocumentStatus
from apps.corpus.reader import ReadRequest, read_contained
from apps.corpus.reader.answers import ContradictionError, check_pages
from apps.corpus.reader.places import find_places
from apps.corpus.services.page_images import page_image
from apps.filings.contracts import HowRead
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from apps.tenants.short_scopes import ShortScopes
from tests.corpus.files import PAGE_HEIGHT, PAGE_WIDTH, PdfPage, Text, lines, pdf
from tests.corpus.ingesting import chunks, document, ingest, pages, run
from tests.corpus.scanned import Scanner, mixed
from tests.factories import Firm, make_firm, make_member
from tests.filings.held import facts
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

BALANCE = (
    ("Cash and cash equivalents", "587", "604"),
    ("Accounts receivable", "842", "866"),
    ("Total current assets", "1,429", "1,470"),
    ("Property, plant and equipment", "2,487", "2,395"),
    ("Total assets", "3,916", "3,865"),
    ("Accounts payable", "640", "655"),
    ("Long-term debt", "1,015", "1,080"),
    ("Total liabilities", "1,655", "1,735"),
    ("Total shareholders' equity", "2,261", "2,130"),
    ("Total liabilities and shareholders' equity", "3,916", "3,865"),
)
_TOP, _PITCH, _COLUMNS = 650, 20, (72, 380, 500)
SHEET = PdfPage(
    [
        Text(72, 720, "Consolidated Balance Sheets", 14, bold=True),
        Text(72, 700, "(in millions of US dollars)"),
        Text(340, 675, "December 31, 2024"),
        Text(480, 675, "December 31, 2023"),
        *(
            Text(x, _TOP - number * _PITCH, text)
            for number, row in enumerate(BALANCE)
            for x, text in zip(_COLUMNS, row, strict=True)
        ),
    ]
)
PRINTED = pdf([lines("The annual report of Velden Cranes plc for the year 2024 follows on the next page.")])


@pytest.fixture
def firm() -> Firm:
    return make_firm("acme")


def take_in(firm: Firm, content: bytes) -> UUID:
    made = ingest(firm, content, filename="scan.pdf", company="Velden Cranes plc", fiscal_year=2024)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    return made.document.id


def test_a_scanned_balance_sheet_gives_facts_that_say_so(firm: Firm) -> None:
    scanned, typeset = Scanner().scan(pdf([SHEET])), mixed(PRINTED, pdf([SHEET]))
    read = facts(firm, document_id=take_in(firm, scanned))
    (of_2024,) = [each for each in read if each.concept == "total assets" and each.fiscal_year == 2024]
    assert (of_2024.value, of_2024.printed, of_2024.page) == (3_916_000_000, "3,916", 1)
    assert {each.how_read for each in read} == {HowRead.OCR}
    before = facts(firm, document_id=take_in(firm, typeset))
    assert [(each.label, each.value, each.check_result) for each in read] == [
        (each.label, each.value, each.check_result) for each in before
    ]
    assert {each.how_read for each in before} == {HowRead.PDF_TABLE}
    surer = [one.confidence - other.confidence for one, other in zip(before, read, strict=True)]
    assert all(Decimal(0) <= each < Decimal("0.1") for each in surer)


def test_each_page_is_stored_with_how_it_was_read(firm: Firm) -> None:
    stored = pages(firm, take_in(firm, mixed(PRINTED, Scanner().scan(pdf([SHEET])))))
    assert [page.how_read for page in stored] == [HowPageRead.TEXT, HowPageRead.OCR]
    assert (stored[0].ocr_confidence, stored[0].ocr_words) == (None, None)
    assert 0.9 < (stored[1].ocr_confidence or 0) <= 1
    assert "3,916" in [word[0] for word in stored[1].ocr_words or ()]


def test_a_figure_is_boxed_on_the_picture_of_its_page(firm: Firm) -> None:
    held = take_in(firm, Scanner(skew=0.0).scan(pdf([SHEET])))
    member = make_member(firm, "ann", Role.ANALYST, scopes=["fund:alpha"])
    scopes = ShortScopes(principal=member, scope_ids=[ScopeId(firm.scopes["fund:alpha"].id)])
    picture = page_image(document_id=held, number=1, scopes=scopes)
    text = pages(firm, held)[0].text
    start = text.index("2,487")
    found = find_places(picture, text, start, start + len("2,487"))
    assert found.is_whole
    (box,) = found.boxes
    left, bottom = box.left * PAGE_WIDTH / 10_000, PAGE_HEIGHT - box.bottom * PAGE_HEIGHT / 10_000
    assert abs(left - 380) < 4
    assert abs(bottom - (_TOP - 3 * _PITCH)) < 6


def test_switched_off_a_scan_has_no_text_and_a_mixed_file_says_what_is_missing(firm: Firm) -> None:
    scan = Scanner().scan(pdf([SHEET]))
    with override_settings(GLASSBOX_OCR=False):
        refused = ingest(firm, scan, filename="scan.pdf")
        assert run(firm, refused.job) is RunOutcome.FAILED
        held = document(firm, take_in(firm, mixed(PRINTED, scan)))
    failed = document(firm, refused.document.id)
    assert (failed.status, failed.error_code) == (DocumentStatus.FAILED, "corpus.file_without_text")
    assert [warning["code"] for warning in held.warnings] == ["recognition_off", "page_not_extracted"]
    assert [page.how_read for page in pages(firm, held.id)] == [HowPageRead.TEXT, HowPageRead.NOT_READ]


def test_passages_of_a_scan_are_its_page_s_text(firm: Firm) -> None:
    held = take_in(firm, Scanner().scan(pdf([SHEET])))
    (page,) = pages(firm, held)
    assert all(page.text[each.char_start : each.char_end] == each.text for each in chunks(firm, held))


def test_the_admin_says_how_a_page_was_read(firm: Firm) -> None:
    held = take_in(firm, mixed(PRINTED, Scanner().scan(pdf([SHEET]))))
    make_member(firm, "ann", Role.ANALYST)
    ann = Visitor("ann")
    shown = reverse("admin:corpus_document_page", args=[held])
    assert "Read by text recognition (OCR)" in ann.get(f"{shown}?page=2").text
    assert "Read by text recognition (OCR)" not in ann.get(f"{shown}?page=1").text
    listed = ann.get(reverse("admin:corpus_document_change", args=[held])).text
    assert listed.count('class="gb-recognised" title="Read by text recognition (OCR)') == 1


# --- The reading process ----------------------------------------------------------------------------------------------


def test_recognition_has_time_of_its_own_beside_that_of_the_file() -> None:
    """One second for the file: the page takes longer, and its text layer does not."""
    limits = replace(Limits(), max_seconds=1, max_seconds_per_mebibyte=0)
    scan = Scanner().scan(pdf([SHEET]))
    read = read_contained(scan, ReadRequest(filename="scan.pdf", recognises=True, limits=limits))
    assert read.pages[0].how_read is HowPageRead.OCR


def test_a_reading_that_outgrows_its_memory_is_ended_at_its_page() -> None:
    limits = replace(Limits(), max_memory_bytes=256 * 1024 * 1024, max_memory_ratio=0)
    with pytest.raises(TooCostlyError, match=r"more memory .*at page 1"):
        read_contained(Scanner().scan(pdf([SHEET])), ReadRequest(filename="scan.pdf", recognises=True, limits=limits))


@pytest.mark.parametrize(
    "recognition",
    [
        Recognition(confidence=1.5, words=()),
        Recognition(confidence=float("nan"), words=()),
        Recognition(confidence=0.9, words=(RecognisedWord("a", 0, 0, 10_001, 5),)),
        Recognition(confidence=0.9, words=(RecognisedWord("a", -1, 0, 5, 5),)),
        Recognition(confidence=0.9, words=(RecognisedWord("a" * 50_000, 0, 0, 5, 5),)),
    ],
)
def test_an_answer_with_impossible_words_is_refused(recognition: Recognition) -> None:
    with pytest.raises(ContradictionError):
        check_pages([Page(number=1, text="a", blocks=(), recognition=recognition)])
