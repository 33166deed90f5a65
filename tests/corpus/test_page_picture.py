"""A page as an image, and where its words stand there. Of hostile files, an error of their own."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from apps.corpus.extraction import ExtractionError, Limits
from apps.corpus.extraction.errors import CorruptFileError, EncryptedFileError, ReaderFailedError, TooCostlyError
from apps.corpus.extraction.extract import extract
from apps.corpus.reader import drawing, picture_contained
from apps.corpus.reader.answers import ContradictionError, check_picture
from apps.corpus.reader.contracts import BOX_PARTS, PagePicture
from apps.corpus.reader.errors import DrawingBusyError
from apps.corpus.reader.picture import MOST_PIXELS, MOST_SIDE_PIXELS, png, size_in_pixels
from apps.corpus.reader.places import Box, Places, find_places
from tests.corpus.files import PAGE_HEIGHT, PAGE_WIDTH, PdfPage, Text, lines, pdf
from tests.corpus.hostile import FAMILIES, pdf_many_pages, raw_pdf

REPORT = pdf(
    [
        lines("The fund returned 4.2 per cent in the quarter.", "Its fee is (0.75) per cent a year, and no more."),
        lines("A second page."),
    ]
)
# Columns of a table whose rows repeat figures: only the line tells them apart.
ROWS = (
    ("", "2024", "2023"),
    ("Net sales", "1,250", "1,100"),
    ("Cost of sales", "(750)", "(700)"),
    ("Other income", "50", "50"),
    ("Gross profit", "500", "400"),
    ("Tax", "50", "(50)"),
)
_COLUMNS = (72, 300, 400)
_TOP, _PITCH = 600, 20
TABLE = pdf(
    [
        PdfPage(
            [
                Text(72, 680, "Figures of the year", 14, bold=True),
                *(
                    Text(x, _TOP - number * _PITCH, text)
                    for number, row in enumerate(ROWS)
                    for x, text in zip(_COLUMNS, row, strict=True)
                    if text
                ),
            ]
        )
    ]
)
# Of Helvetica at 10 points, by its metrics.
_WIDTH_OF = {"1,250": 25.02, "(50)": 17.78, "Tax": 16.67}


def draw(content: bytes, page: int = 1, scale: int = 2) -> PagePicture:
    return picture_contained(content, filename="a.pdf", page=page, scale=scale)


def text_of(content: bytes, page: int = 1) -> str:
    return extract(content, filename="a.pdf", limits=Limits(), on_page=lambda number: None).pages[page - 1].text


def places(content: bytes, quote: str, *, within: str = "", page: int = 1) -> Places:
    text = text_of(content, page)
    start = text.index(within or quote)
    start = text.index(quote, start)
    return find_places(draw(content, page), text, start, start + len(quote))


def points(box: Box) -> tuple[float, float, float, float]:
    """left, bottom, right, top as a PDF counts them."""
    across, down = PAGE_WIDTH / BOX_PARTS, PAGE_HEIGHT / BOX_PARTS
    return box.left * across, PAGE_HEIGHT - box.bottom * down, box.right * across, PAGE_HEIGHT - box.top * down


# --- The image ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_an_image_has_the_pages_size(scale: int) -> None:
    made = draw(REPORT, scale=scale)
    assert struct.unpack(">II", made.image[16:24]) == (PAGE_WIDTH * scale, PAGE_HEIGHT * scale)
    assert (made.width_pt, made.height_pt) == (PAGE_WIDTH, PAGE_HEIGHT)


def test_each_page_is_drawn_by_itself() -> None:
    assert "second page" in draw(REPORT, 2).text
    assert "second page" not in draw(REPORT, 1).text
    assert draw(REPORT, 1).image != draw(REPORT, 2).image


def test_a_page_beyond_the_end_is_an_error() -> None:
    with pytest.raises(CorruptFileError, match="page 3 can't be opened"):
        draw(REPORT, 3)


# --- Where words stand ----------------------------------------------------------------------------------------------


def test_a_sentence_is_where_it_was_drawn() -> None:
    found = places(REPORT, "The fund returned 4.2 per cent in the quarter.")
    assert found.is_whole
    (box,) = found.boxes
    left, bottom, _, top = points(box)
    assert left == pytest.approx(72, abs=2)
    # Of a line at 720 points, its letters from the descent to the ascent.
    assert bottom == pytest.approx(720 - 2.1, abs=2)
    assert top == pytest.approx(720 + 7.2, abs=3)


def test_signs_around_a_quote_belong_to_it() -> None:
    without, within = places(REPORT, "0.75"), places(REPORT, "(0.75)")
    (one,), (other,) = without.boxes, within.boxes
    assert other.left < one.left
    assert other.right > one.right


@pytest.mark.parametrize(("row", "column"), [(number, column) for number in range(1, 6) for column in (1, 2)])
def test_a_cell_is_found_on_the_line_of_its_row(row: int, column: int) -> None:
    label, *values = ROWS[row]
    text = text_of(TABLE)
    start = text.index(f"\n{label} | ") + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    cell = [text.index(each, start) for each in text[start:end].split(" | ")][column]
    value = values[column - 1]
    at = text.index(value, cell)
    found = find_places(draw(TABLE), text, at, at + len(value))
    assert found.is_whole
    (box,) = found.boxes
    left, bottom, right, top = points(box)
    assert left == pytest.approx(_COLUMNS[column], abs=2)
    baseline = _TOP - row * _PITCH
    assert bottom - 2 <= baseline <= top
    if value in _WIDTH_OF:
        assert right - left == pytest.approx(_WIDTH_OF[value], abs=2)


def test_of_a_whole_row_each_cell_is_marked_and_the_headings_apart() -> None:
    text = text_of(TABLE)
    start = text.index("Tax | ")
    end = text.find("\n", start)
    found = find_places(draw(TABLE), text, start, len(text) if end < 0 else end)
    assert [round(points(box)[0]) for box in found.boxes] == list(_COLUMNS)
    assert {round(points(box)[1] / _PITCH) for box in found.boxes} == {round((_TOP - 5 * _PITCH) / _PITCH)}
    assert [round(points(box)[0]) for box in found.headings] == list(_COLUMNS[1:])
    assert found.is_whole


def test_of_equal_words_the_quoted_one_is_marked() -> None:
    content = pdf([lines("First: the fee is 1 per cent.", "Second: the fee is 1 per cent.")])
    text = text_of(content)
    second = text.rindex("the fee is 1 per cent")
    (box,) = find_places(draw(content), text, second, second + 21).boxes
    assert points(box)[1] == pytest.approx(708 - 2.1, abs=2)


def test_a_quote_over_two_lines_has_a_box_for_each() -> None:
    content = pdf([lines("The board has decided that the", "dividend is paid in two parts.")])
    found = places(content, "decided that the dividend is paid")
    assert len(found.boxes) == 2
    assert found.is_whole


def test_text_that_is_not_on_the_page_has_no_place() -> None:
    text = "Nothing of this was ever printed."
    assert find_places(draw(REPORT), text, 0, len(text)) == Places()


def test_a_turned_page_is_marked_where_it_is_shown() -> None:
    turned = TABLE.replace(b"/MediaBox", b"/Rotate 90 /MediaBox")
    made = draw(turned)
    assert (made.width_pt, made.height_pt) == (PAGE_HEIGHT, PAGE_WIDTH)
    text = text_of(TABLE)
    start = text.index("Figures of the year")
    boxes = find_places(made, text, start, start + 19).boxes
    # The upper left corner of the paper is the upper right one of the page as it is shown.
    assert min(box.left for box in boxes) * PAGE_HEIGHT / BOX_PARTS > PAGE_HEIGHT / 2


# --- Hostile files --------------------------------------------------------------------------------------------------


def drawn_or_refused(content: bytes, scale: int = 2) -> PagePicture | None:
    """None for a file whose own error it is; any other error fails the test."""
    try:
        return draw(content, scale=scale)
    except ExtractionError:
        return None


def sized(width: str, height: str, content: bytes = b"") -> bytes:
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 %s %s] >>"
            % (width.encode(), height.encode()),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    )


@pytest.mark.parametrize(
    ("width", "height"),
    [("14400", "14400"), ("1000000", "1000000"), ("14400", "0.01"), ("1e30", "1e30"), ("-5", "-5"), ("0", "0")],
)
def test_no_page_is_larger_than_what_is_drawn(width: str, height: str) -> None:
    made = drawn_or_refused(sized(width, height), scale=3)
    if made is None:
        return
    columns, rows = struct.unpack(">II", made.image[16:24])
    assert 0 < columns * rows <= MOST_PIXELS
    assert max(columns, rows) <= MOST_SIDE_PIXELS


def test_a_thousand_pages_cost_what_one_does() -> None:
    assert draw(pdf_many_pages(4_000), 3_999).image


def test_content_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "LIMITS", replace(drawing.LIMITS, max_seconds=1, max_page_seconds=1))
    endless = sized("600", "800", b"0 0 600 800 re f 1 1 500 700 re S\n" * 300_000)
    with pytest.raises((TooCostlyError, ReaderFailedError), match="at page 1"):
        draw(endless)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name.startswith("pdf")])
def test_a_costly_file_is_drawn_or_refused(name: str) -> None:
    family = FAMILIES[name]
    made = drawn_or_refused(family.build(family.size))
    assert made is None or made.image
    assert draw(REPORT).image


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"\x00" * 100, REPORT[:200]])
def test_a_broken_file_is_refused(content: bytes) -> None:
    with pytest.raises(CorruptFileError):
        draw(content)


def test_a_file_with_a_password_is_refused() -> None:
    with pytest.raises(EncryptedFileError):
        draw(pdf([lines("Secret.")], password="hush"))


def test_no_more_are_drawn_at_once_than_a_server_bears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "PATIENCE_S", 0.01)
    for _ in range(drawing.AT_ONCE):
        assert drawing._turns.acquire(blocking=False)
    try:
        with pytest.raises(DrawingBusyError):
            draw(REPORT)
    finally:
        for _ in range(drawing.AT_ONCE):
            drawing._turns.release()
    assert draw(REPORT).image


# --- What a reading process that was taken over may send ------------------------------------------------------------

GOOD = PagePicture(image=png(b"\xff" * 12, 2), width_pt=2.0, height_pt=2.0, text="a", boxes=[0, 0, 5, 5])


def test_what_it_should_send_passes() -> None:
    check_picture(GOOD)


@pytest.mark.parametrize(
    "wrong",
    [
        {"image": b"<svg onload=alert(1)>"},
        {"image": b"\x89PNG\r\n\x1a\n"},
        {"image": GOOD.image[:16] + struct.pack(">II", 60_000, 60_000) + GOOD.image[24:]},
        {"image": GOOD.image[:16] + struct.pack(">II", 0, 2) + GOOD.image[24:]},
        {"image": GOOD.image[:24] + b"\x10" + GOOD.image[25:]},
        {"width_pt": float("nan")},
        {"height_pt": float("inf")},
        {"height_pt": 0.0},
        {"boxes": [0, 0, 5]},
        {"boxes": [0, 0, 5, BOX_PARTS + 1]},
        {"boxes": [-1, 0, 5, 5]},
        {"text": "ab"},
        {"text": "a" * 40_001, "boxes": [0, 0, 5, 5] * 40_001},
    ],
    ids=str,
)
def test_what_is_no_picture_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ContradictionError):
        check_picture(replace(GOOD, **wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(612.0, 792.0), (1e6, 1e6), (1e6, 0.01), (0.01, 0.01), (1e-30, 1e30)])
def test_a_size_in_pixels_is_within_bounds(size: tuple[float, float]) -> None:
    columns, rows = size_in_pixels(*size, 3)
    assert 1 <= columns <= MOST_SIDE_PIXELS
    assert 1 <= rows <= MOST_SIDE_PIXELS
    assert columns * rows <= MOST_PIXELS
