"""Files that are made to cost much, or that contradict themselves."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

import pytest

from apps.corpus.extraction import extract
from apps.corpus.extraction.contracts import Block, BlockKind, ExtractedDocument, MediaType, Page
from apps.filings.xbrl.alignment import align
from apps.filings.xbrl.inline import InlineReading, read_inline
from apps.filings.xbrl.values import apply_scale, read_printed, read_scale
from tests.filings.inline_filings import InlineFiling

YEAR = "2024-01-01/2024-12-31"
_TEXT = "Sales | 7"
_DOCUMENT = ExtractedDocument(
    pages=(
        Page(
            number=1,
            text=_TEXT,
            blocks=(Block(kind=BlockKind.TABLE_ROW, text=_TEXT, char_start=0, char_end=len(_TEXT)),),
        ),
    ),
    media_type=MediaType.HTML,
    language="en",
    title=None,
    warnings=(),
)


def read_within(content: bytes, seconds: float, document: ExtractedDocument = _DOCUMENT) -> InlineReading:
    begun = time.process_time()
    reading = read_inline(content, document, fiscal_year=2024)
    assert time.process_time() - begun < seconds
    return reading


def small(change: Callable[[str], str]) -> bytes:
    filing = InlineFiling()
    filing.table([["Sales", filing.fact("us-gaap:Revenues", "7", YEAR)]])
    return change(filing.write().decode()).encode()


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    outside = '<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    content = small(lambda text: text.replace("<html", bomb + outside + "<html").replace(">7<", ">&i;&file;<"))
    assert read_within(content, 2).facts == ()


@pytest.mark.parametrize("tag", ["div", "ix:nonFraction", "xbrli:segment", "table"])
def test_deep_nesting_ends_in_nothing(tag: str) -> None:
    content = small(lambda text: text.replace("<body>", "<body>" + f"<{tag}>" * 100_000))
    assert read_within(content, 5).facts == ()


def test_a_million_facts_are_not_read() -> None:
    fact = '<ix:nonFraction name="us-gaap:Revenues" contextRef="c1" unitRef="usd">7</ix:nonFraction>'
    content = small(lambda text: text.replace("</body>", fact * 1_000_000 + "</body>"))
    assert read_within(content, 10).facts == ()


def test_many_facts_in_one_paragraph_cost_little() -> None:
    filing = InlineFiling()
    filing.text("".join(filing.fact("us-gaap:Revenues", "7", YEAR) + " " for _ in range(20_000)))
    content = filing.write()
    assert len(read_within(content, 20, extract(content, filename="filing.htm")).facts) == 20_000


def test_many_facts_in_one_cell_cost_little() -> None:
    filing = InlineFiling()
    filing.table([["Sales", "".join(filing.fact("us-gaap:Revenues", "7", YEAR) + " " for _ in range(20_000))]])
    content = filing.write()
    read_within(content, 20, extract(content, filename="filing.htm"))


def test_many_columns_under_many_headings_cost_little() -> None:
    filing = InlineFiling()
    cells = [filing.fact("us-gaap:Revenues", "7", YEAR)] * 50
    filing.table([["", *(f"Year {at}" for at in range(5_000))], *([f"Row {at}", *cells] for at in range(200))])
    content = filing.write()
    read_within(content, 20, extract(content, filename="filing.htm"))


def test_many_rows_that_the_extraction_does_not_have_cost_little() -> None:
    filing = InlineFiling()
    filing.table([[f"Row {at}", filing.fact("us-gaap:Revenues", "7", YEAR)] for at in range(20_000)])
    reading = read_within(filing.write(), 20)
    assert (reading.facts, reading.unplaced) == ((), 20_000)


@pytest.mark.parametrize(
    ("find", "replacement"),
    [
        ("2024-12-31", "2024-13-45"),
        ("2024-12-31", "9999-12-31"),
        ("2024-12-31", "0001-01-01"),
        ("2024-01-01", "2025-06-01"),
        ('scale="6"', 'scale="999999999999"'),
        ('scale="6"', 'scale="1e9"'),
        (">7<", ">NaN<"),
        (">7<", ">Infinity<"),
        (">7<", f">{'9' * 5000}<"),
        ('contextRef="c1"', 'contextRef=""'),
        ('unitRef="usd"', 'unitRef="\u2603"'),
        ('name="us-gaap:Revenues"', 'name=""'),
        ('name="us-gaap:Revenues"', f'name="{"a" * 100_000}"'),
        ('id="c1"', ""),
    ],
)
def test_what_contradicts_itself_is_no_fact(find: str, replacement: str) -> None:
    assert read_within(small(lambda text: text.replace(find, replacement)), 2).facts == ()


def test_the_file_that_they_change_is_read() -> None:
    assert [fact.value for fact in read_within(small(str), 2).facts] == [Decimal(7_000_000)]


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"\xff\xfe<\x00", b"<ix:nonFraction", b"%PDF-1.7"])
def test_what_is_no_file_of_facts_has_none(content: bytes) -> None:
    assert read_within(content, 2).facts == ()


@pytest.mark.parametrize("text", ["", ".", ",", "1.2.3", "١٢", "12abc", "--1", "1e5", "9" * 60, "²"])
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert read_printed(text, "ixt:num-dot-decimal") is None
    assert read_printed(text, "") is None or text == "."


def test_great_scales_are_no_values() -> None:
    assert apply_scale(Decimal(1), scale=40, negative=False) is None
    assert apply_scale(Decimal(10) ** 20, scale=6, negative=False) is None
    assert apply_scale(Decimal(1), scale=read_scale("99999999") or 0, negative=False) is None
    assert apply_scale(Decimal(0), scale=6, negative=True) == 0


def _row(text: str) -> Block:
    return Block(kind=BlockKind.TABLE_ROW, text=text, char_start=1, char_end=1 + len(text))


def test_a_row_is_not_taken_for_an_equal_one_elsewhere() -> None:
    # The first table's row is missing among the blocks; the second table's equal row must not stand in for it.
    blocks = [_row(text) for text in ("Title", "Sales | 7", "End")]
    assert align(["Heading", "Sales | 7", "Title", "Sales | 7", "End"], blocks)[1] is None
    assert align(["Other", "Sales | 7", "Sales | 7"], [_row("Sales | 7")]) == (None, None, None)


def test_a_header_that_is_printed_anew_overleaf_is_passed_over() -> None:
    head = Block(kind=BlockKind.TABLE_HEADER, text="2024 | 2023", char_start=0, char_end=11)
    blocks = [head, _row("Sales | 7"), head, _row("Sales | 7"), _row("Sales | 7")]
    assert align(["2024 | 2023", *["Sales | 7"] * 3], blocks) == (0, 1, 3, 4)
