"""Pages that are pictures of text: read in order, upright or not, within limits; what is not read is told."""

from __future__ import annotations

import io
from dataclasses import replace

import pypdfium2
import pytest
from PIL import Image

from apps.corpus.extraction import ExtractedDocument, HowPageRead, Limits, WarningCode, extract
from apps.corpus.extraction.contracts import WORD_PARTS, RecognisedWord
from apps.corpus.extraction.errors import NoTextError
from apps.corpus.extraction.ocr import boxes, recognition
from apps.corpus.extraction.ocr.pages import DOUBTFUL_CONFIDENCE
from tests.corpus.files import PAGE_HEIGHT, PAGE_WIDTH, PdfPage, Text, lines, pdf
from tests.corpus.hostile import page_pdf, stream
from tests.corpus.scanned import Scanner, mixed, pictures_pdf, statement

SENTENCES = (
    "The committee met in March and reviewed the liquidity of the fund",
    "against its own limits, which had been set in the year before.",
    "No limit was exceeded during the period.",
)
SAID = " ".join(SENTENCES)
PROSE = pdf([lines(*SENTENCES)])
BALANCE = statement(1)


def read(content: bytes, limits: Limits | None = None) -> ExtractedDocument:
    return extract(content, filename="scan.pdf", limits=limits or Limits(), recognises=True)


def codes(document: ExtractedDocument) -> list[tuple[WarningCode, int | None]]:
    return [(warning.code, warning.page) for warning in document.warnings]


# --- What a page says -----------------------------------------------------------------------------------------------


def test_a_scanned_page_says_what_was_typeset() -> None:
    document = read(Scanner().scan(PROSE))
    assert document.pages[0].text == SAID
    assert (document.pages[0].how_read, document.warnings) == (HowPageRead.OCR, ())


@pytest.mark.parametrize("seed", [1, 4])
def test_a_scanned_table_is_the_table_that_was_typeset(seed: int) -> None:
    printed = pdf([statement(seed).page])
    rows = [line for line in extract(printed, filename="a.pdf").pages[0].text.split("\n") if " | " in line]
    scanned = read(Scanner().scan(printed)).pages[0]
    assert [line for line in scanned.text.split("\n") if " | " in line] == rows
    assert len(rows) > 8


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_page_may_lie_on_its_side_or_its_head(quarters: int) -> None:
    assert read(Scanner(quarters=quarters).scan(PROSE)).pages[0].text == SAID


@pytest.mark.parametrize("degrees", [-4.0, 4.0])
def test_a_page_may_lie_askew(degrees: float) -> None:
    assert read(Scanner(skew=degrees).scan(PROSE)).pages[0].text == SAID


def test_columns_of_text_are_read_one_after_the_other() -> None:
    left = [Text(60, 700 - 13 * n, f"left column says in its line {n} some words") for n in range(6)]
    right = [Text(320, 700 - 13 * n, f"right column says in its line {n} others") for n in range(6)]
    title = Text(60, 730, "A title that stands over both columns of the page and is long", 12)
    text = read(Scanner().scan(pdf([PdfPage([title, *left, *right])]))).pages[0].text
    assert text.index("A title") < text.index("left column says in its line 0")
    assert text.index("left column says in its line 5") < text.index("right column says in its line 0")


def test_umlauts_and_signs_are_read() -> None:
    said = "Die Umsatzerlöse für größere Märkte betrugen 1.234,5 Mio. € (§ 285 HGB), 12 % mehr."
    assert read(Scanner().scan(pdf([lines(said)]))).pages[0].text == said


# --- Which pages ----------------------------------------------------------------------------------------------------


def test_pages_with_text_are_not_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "Engine", None)
    assert read(PROSE).pages[0].how_read is HowPageRead.TEXT


def test_each_page_says_how_it_was_read() -> None:
    blank = pictures_pdf([Image.new("L", (1700, 2200), 128)])
    document = read(mixed(PROSE, Scanner().scan(PROSE), blank))
    assert [page.how_read for page in document.pages] == [HowPageRead.TEXT, HowPageRead.OCR, HowPageRead.NOT_READ]
    assert document.pages[0].text == document.pages[1].text
    assert codes(document) == [(WarningCode.PAGE_NOT_EXTRACTED, 3)]


def test_a_text_layer_that_is_no_text_is_replaced() -> None:
    document = read(pdf([lines(*SENTENCES)], garbled=True))
    assert (document.pages[0].text, document.pages[0].how_read) == (SAID, HowPageRead.OCR)
    assert document.warnings == ()


def test_a_text_layer_that_only_looks_garbled_stays() -> None:
    names = lines(*(" ".join(["HGBK", "KStG", "GmbH", "WpHG", "MTFS"]) for _ in range(6)))
    assert read(pdf([names])).pages[0].how_read is HowPageRead.TEXT


def test_pictures_without_text_are_no_text() -> None:
    with pytest.raises(NoTextError, match="1 of 1 pages are pictures"):
        read(pictures_pdf([Image.new("L", (1700, 2200), 255)]))


def test_a_page_that_can_hardly_be_read_is_a_warning() -> None:
    document = read(Scanner(blur=3.5, noise=30.0).scan(mixed(PROSE, PROSE)))
    (doubtful,) = [each for each in document.warnings if each.code is WarningCode.RECOGNITION_DOUBTFUL]
    sure = document.pages[1].recognition
    assert sure is not None
    assert sure.confidence < DOUBTFUL_CONFIDENCE
    assert f"2 ({sure.confidence:.1%})" in doubtful.detail


def test_a_page_whose_commas_are_read_as_points_is_a_warning() -> None:
    document = read(Scanner(blur=1.5).scan(pdf([statement(2).page])))
    assert "Revenue | 2023: 23.162" in document.pages[0].text
    assert WarningCode.RECOGNITION_DOUBTFUL in [warning.code for warning in document.warnings]


# --- Where words stand ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_word_stands_where_it_is_printed(quarters: int) -> None:
    printed = pdf([PdfPage([*lines(*SENTENCES).texts, Text(300, 400, "Total 12,345", 12)])])
    page = read(Scanner(skew=2.0, quarters=quarters).scan(printed)).pages[0]
    assert page.recognition is not None
    (word,) = [word for word in page.recognition.words if word.text == "12,345"]
    # As it lies on the upright page, askew as it is: two degrees to the left around the middle of the page.
    x, y = _upright(word, quarters)
    assert abs(x * PAGE_WIDTH - 346) < 8
    assert abs(y * PAGE_HEIGHT - (PAGE_HEIGHT - 405)) < 8


def _upright(word: RecognisedWord, quarters: int) -> tuple[float, float]:
    """Return where the middle of a word is on the page before that was turned to the left, as a share of its sides."""
    x, y = (word.left + word.right) / 2 / WORD_PARTS, (word.top + word.bottom) / 2 / WORD_PARTS
    for _ in range(quarters):
        x, y = 1 - y, x
    return x, y


# --- Switched off, or not there --------------------------------------------------------------------------------------


def test_without_recognition_pages_are_not_read_and_it_is_said() -> None:
    document = extract(mixed(PROSE, Scanner().scan(mixed(PROSE, PROSE))), filename="scan.pdf")
    assert [page.how_read.value for page in document.pages] == ["text", "not_read", "not_read"]
    assert codes(document)[0] == (WarningCode.RECOGNITION_OFF, None)
    assert document.warnings[0].detail == "pages 2-3 were not read: text recognition is switched off (GLASSBOX_OCR)"
    assert codes(document)[1:] == [(WarningCode.PAGE_NOT_EXTRACTED, 2), (WarningCode.PAGE_NOT_EXTRACTED, 3)]


def test_without_its_packages_pages_are_not_read_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "weights_folder", lambda: None)
    document = read(mixed(PROSE, Scanner().scan(PROSE)))
    assert document.pages[1].how_read is HowPageRead.NOT_READ
    assert "page 2 was not read: text recognition is not installed" in document.warnings[0].detail


# --- Limits ---------------------------------------------------------------------------------------------------------


def test_pages_beyond_the_limit_are_named() -> None:
    document = read(Scanner().scan(mixed(*[PROSE] * 3)), replace(Limits(), max_recognised_pages=1))
    assert [page.how_read.value for page in document.pages] == ["ocr", "not_read", "not_read"]
    assert document.warnings[0].code is WarningCode.RECOGNITION_LIMITED
    assert document.warnings[0].detail == "pages 2-3 were not read: text recognition reads at most 1 pages of a file"


def test_pages_beyond_the_time_of_a_file_are_named() -> None:
    limits = replace(Limits(), max_recognition_seconds=15)
    document = read(Scanner().scan(mixed(PROSE, PROSE)), limits)
    assert [page.how_read.value for page in document.pages] == ["ocr", "not_read"]
    assert document.warnings[0].detail.startswith("page 2 was not read: text recognition may take 15 s")


def test_a_page_that_takes_too_long_is_not_read() -> None:
    document = read(mixed(PROSE, Scanner().scan(PROSE)), replace(Limits(), max_recognition_page_seconds=0))
    assert codes(document) == [(WarningCode.PAGE_NOT_EXTRACTED, 2)]
    assert "takes more than 0 s to read" in document.warnings[0].detail


def test_more_pieces_than_a_page_has_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "MOST_BOXES", 2)
    document = read(mixed(PROSE, Scanner().scan(PROSE)))
    assert codes(document) == [(WarningCode.PAGE_NOT_EXTRACTED, 2)]


def bomb(side: int, *, drawn: int = 1) -> bytes:
    """A page that shows a white picture of so many pixels each way, so many times; packed, it is small."""
    entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 1 /ColorSpace /DeviceGray"
    picture = stream(b"\xff" * (side * side // 8), entries % (side, side))
    shown = b"q 600 0 0 700 0 0 cm /Im Do Q\n" * drawn
    return page_pdf(shown, more=[picture], resources=b"/XObject << /Im 6 0 R >>")


def test_a_picture_of_too_many_pixels_is_not_drawn() -> None:
    document = read(mixed(PROSE, bomb(20_000)))
    assert codes(document) == [(WarningCode.PAGE_NOT_EXTRACTED, 2)]
    assert "more than 48 million pixels" in document.warnings[0].detail


def test_a_thousand_pictures_are_not_drawn() -> None:
    document = read(mixed(PROSE, bomb(1_000, drawn=1_000)))
    assert "more than 48 million pixels" in document.warnings[0].detail


@pytest.mark.parametrize("size", [(14_400, 14_400), (3, 14_400), (14_400, 3)])
def test_a_huge_page_is_drawn_smaller(size: tuple[int, int]) -> None:
    file = pypdfium2.PdfDocument(pictures_pdf([Image.new("L", (50, 50), 128)]))
    file[0].set_mediabox(0, 0, *size)
    target = io.BytesIO()
    file.save(target)
    document = read(mixed(PROSE, target.getvalue()))
    assert codes(document) == [(WarningCode.PAGE_NOT_EXTRACTED, 2)]
