"""Whatever the bytes: a document whose blocks fit its pages, or one of our own errors. And clean text, always."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apps.corpus.extraction import ExtractedDocument, ExtractionError, extract
from apps.corpus.extraction.cleaning import clean, is_clean, one_line
from apps.corpus.extraction.numerals import glue, is_amount, is_period
from tests.corpus.files import docx_file, lines, pdf

FILENAMES = st.sampled_from(["a.pdf", "a.html", "a.docx", "a.md", "a.csv", "a.json", "a.txt", "a", "a.xyz"])
PDF = pdf([lines("Some text on a page.", "1,577 2,300")] * 2)
DOCX = docx_file(lambda document: document.add_paragraph("Some text."))
MARKUP = st.text(alphabet="<>/=\"' \n\t|#*-_[](){}:,;.0123456789abctrdhp\u00e4\u2022", max_size=400)
SLOW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(document: ExtractedDocument) -> None:
    assert [page.number for page in document.pages] == list(range(1, len(document.pages) + 1))
    for page in document.pages:
        assert page.text == "\n".join(block.text for block in page.blocks)
        assert all(page.text[block.char_start : block.char_end] == block.text for block in page.blocks)
        assert all(block.text.strip() for block in page.blocks)
        page.text.encode()
        assert "\x00" not in page.text


def read(content: bytes, filename: str) -> None:
    try:
        check(extract(content, filename=filename))
    except ExtractionError:
        return  # one of ours; anything else fails the test


@pytest.mark.slow
@given(content=st.binary(max_size=600), filename=FILENAMES)
@SLOW
def test_any_bytes(content: bytes, filename: str) -> None:
    read(content, filename)


@pytest.mark.slow
@given(text=MARKUP, filename=FILENAMES)
@example(text="<table><tr><td>", filename="a.html")
@example(text="|-|\n|-|", filename="a.md")
@SLOW
def test_any_markup(text: str, filename: str) -> None:
    read(text.encode(), filename)


@pytest.mark.slow
@given(text=st.text(max_size=300), encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
@SLOW
def test_any_text(text: str, encoding: str) -> None:
    read(text.encode(encoding, "surrogatepass"), "a.txt")


@pytest.mark.slow
@given(position=st.floats(0, 1), junk=st.binary(min_size=1, max_size=30))
@SLOW
def test_damaged_pdf(position: float, junk: bytes) -> None:
    at = int(position * len(PDF))
    read(PDF[:at] + junk + PDF[at + len(junk) :], "a.pdf")


@given(position=st.floats(0, 1), junk=st.binary(min_size=1, max_size=30))
@SLOW
def test_damaged_docx(position: float, junk: bytes) -> None:
    at = int(position * len(DOCX))
    read(DOCX[:at] + junk + DOCX[at + len(junk) :], "a.docx")


@pytest.mark.slow
@given(
    text=st.text(alphabet=st.characters(), max_size=100)
    | st.binary(max_size=100).map(lambda b: b.decode("utf-16", "surrogatepass") if len(b) % 2 == 0 else "")
)
@settings(max_examples=300)
def test_clean_text_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert is_clean(cleaned)
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("a\x00b", "ab"),
        ("a\ud800b", "ab"),
        ("\ud83d\ude00", "\U0001f600"),
        ("pro\u00adfit", "profit"),
        ("\ufb01nance", "finance"),
        ("a\u00a0b\u2009c", "a b c"),
        ("a\u202eb\u2066c", "abc"),
        ("ignore\U000e0041\U000e0042", "ignore"),
        ("\uf0b7 item", "\u2022 item"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("Größe \u2019 \u20ac", "Größe \u2019 \u20ac"),
    ],
)
def test_what_cleaning_does(dirty: str, cleaned: str) -> None:
    assert clean(dirty) == cleaned


def test_one_line_has_single_spaces() -> None:
    assert one_line("  a \n\t b\u00a0 c ") == "a b c"


@pytest.mark.parametrize(
    "text",
    [
        "1,577",
        "(1,577)",
        "$5,363",
        "$(1,577)",
        "(12)%",
        "-3.1%",
        "4.5x",
        "\u2014",
        "NM",
        "n/a",
        "12.2%(a)",
        "1'000.50",
        ".5",
        "\u20ac3,1",
        "25bps",
    ],
)
def test_amounts(text: str) -> None:
    assert is_amount(text)


@pytest.mark.parametrize(
    "text", ["", "Fees", "Note 7", "10-K", "1,57a", "Q4", "US0378331005", "2018 2017", "(see note)"]
)
def test_no_amounts(text: str) -> None:
    assert not is_amount(text)


@pytest.mark.parametrize(
    "text",
    ["2018", "FY2018", "fiscal 2018", "2018(a)", "Q4 2023", "2Q22", "June 30,", "12/31/2018", "December 31, 2018"],
)
def test_periods(text: str) -> None:
    assert is_period(text)


def test_signs_are_glued() -> None:
    assert [glue(text) for text in ("$ 5,363", "(12) %", "( 1,577 )", "$ (57)", "$ \u2014")] == [
        "$5,363",
        "(12)%",
        "(1,577)",
        "$(57)",
        "$\u2014",
    ]
