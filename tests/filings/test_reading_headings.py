"""The heading of a column says of which period its figures are, or that they are none."""

from __future__ import annotations

from datetime import date

import pytest

from apps.corpus.extraction import Block, BlockKind, ExtractedDocument, MediaType, Page
from apps.filings.contracts import HowRead
from apps.filings.reading.columns import complete_names
from apps.filings.reading.headings import ColumnKind, kind_of, read_period, words_beside_period
from apps.filings.text.columns import years_in_headings
from tests.filings.reading import BALANCE_ROWS, only, read


@pytest.mark.parametrize(
    ("heading", "year", "month", "months", "quarter"),
    [
        ("2024", 2024, 0, 0, 0),
        ("FY24", 2024, 0, 12, 0),
        ("Fiscal 2024", 2024, 0, 0, 0),
        ("Three Months Ended June 30, 2024", 2024, 6, 3, 0),
        ("Six months ended 30 June 2024", 2024, 6, 6, 0),
        ("52 Weeks Ended February 1, 2025", 2025, 2, 12, 0),
        ("13 weeks ended May 4, 2024", 2024, 5, 3, 0),
        ("Year ended December 31, 2024", 2024, 12, 12, 0),
        ("Q3 2024", 2024, 0, 3, 3),
        ("1Q24", 2024, 0, 3, 1),
        ("H1 2024", 2024, 0, 6, 2),
        ("31.12.2024", 2024, 12, 0, 0),
        ("31. Dezember 2024", 2024, 12, 0, 0),
        ("3/30/2024", 2024, 3, 0, 0),
        ("2023/24", 2024, 0, 0, 0),
        ("Geschäftsjahr 2024", 2024, 0, 12, 0),
        ("9M 2024", 2024, 0, 9, 0),
        ("Trailing four quarters ended May 31, 2024", 2024, 5, 12, 0),
        ("Total", None, 0, 0, 0),
    ],
)
def test_a_heading_says_its_period(heading, year, month, months, quarter):
    said = read_period(heading)
    assert (said.year, said.month, said.months, said.quarter) == (year, month, months, quarter)


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("2024", ColumnKind.FIGURES),
        ("% Change", ColumnKind.CHANGE),
        ("Veränderung in %", ColumnKind.SHARE_OF),
        ("2024 vs. 2023", ColumnKind.CHANGE),
        ("Note", ColumnKind.NOTE),
        ("Anhang", ColumnKind.NOTE),
        ("Forecast 2025", ColumnKind.FORECAST),
        ("2025E", ColumnKind.FORECAST),
        ("% of net sales", ColumnKind.SHARE_OF),
        ("Restated 2023", ColumnKind.FIGURES),
    ],
)
def test_a_heading_says_what_its_cells_are(heading, kind):
    assert kind_of(heading) is kind


@pytest.mark.parametrize(
    ("names", "full"),
    [
        (
            ["Three Months Ended June 30, 2024", "2023"],
            ["Three Months Ended June 30, 2024", "Three Months Ended June 30, 2023"],
        ),
        (["2024", "2023"], ["2024", "2023"]),
        (["June 30, 2024", "December 31, 2023"], ["June 30, 2024", "December 31, 2023"]),
        (["2024 North", "South"], ["2024 North", "2024 South"]),
        (["North 2024", "2023"], ["North 2024", "North 2023"]),
    ],
)
def test_a_name_is_completed_by_the_one_before(names, full):
    assert complete_names(names) == full


@pytest.mark.parametrize(
    ("heading", "words"),
    [("Year ended December 31, 2024", ""), ("North America 2024", "North America"), ("(In millions) 2024", "")],
)
def test_what_is_no_period_names_a_part(heading, words):
    assert words_beside_period(heading) == words


def _printed_balance_sheet() -> ExtractedDocument:
    """Return a page as it is extracted from a PDF: what all columns share is said beside the rows."""
    context = "December 31, · (in thousands)"
    lines = [
        (BlockKind.HEADING, "CONSOLIDATED BALANCE SHEETS", ""),
        (BlockKind.TABLE_HEADER, "(in thousands)", context),
        (BlockKind.TABLE_HEADER, "December 31,", context),
        (BlockKind.TABLE_HEADER, "2024 | 2023", context),
    ]
    for label, new, old in BALANCE_ROWS:
        row = f"{label} | 2024: {new} | 2023: {old}"
        lines.append((BlockKind.TABLE_ROW, row, context) if new else (BlockKind.TABLE_GROUP, label, context))
    blocks: list[Block] = []
    text = ""
    for kind, line, said in lines:
        blocks.append(Block(kind=kind, text=line, char_start=len(text), char_end=len(text) + len(line), context=said))
        text += f"{line}\n"
    page = Page(number=7, text=text, blocks=tuple(blocks))
    return ExtractedDocument(pages=(page,), media_type=MediaType.PDF, language="en", title=None, warnings=())


def test_a_heading_over_all_columns_gives_the_day():
    assert only(read(_printed_balance_sheet()), "Total assets", 2024).ends_on == date(2024, 12, 31)


def test_the_scale_beside_the_rows_counts():
    assert only(read(_printed_balance_sheet()), "Total assets", 2024).value == 4_000_000


def test_a_printed_table_is_said_to_be_one():
    assert only(read(_printed_balance_sheet()), "Total assets", 2024).how_read is HowRead.PDF_TABLE


def test_the_heading_of_a_fact_is_that_of_its_column():
    document = _printed_balance_sheet()
    heading = only(read(document), "Total assets", 2023).heading
    assert heading is not None
    assert document.pages[0].text[heading.start : heading.end] == "2023"


def test_a_fact_is_of_the_page_it_stands_on():
    assert {fact.page for fact in read(_printed_balance_sheet())} == {7}


@pytest.mark.parametrize(
    ("headings", "fiscal_year", "years"),
    [
        (("February 1, 2025", "February 3, 2024"), 2024, (2024, 2023)),
        (("31 March 2025", "31 March 2024"), 2024, (2024, 2023)),
        # Named after the year in which it ends.
        (("January 28, 2023", "January 29, 2022"), 2023, (2023, 2022)),
        (("December 31, 2024", "December 31, 2023"), 2024, (2024, 2023)),
        (("February 1, 2025", "February 3, 2024"), None, (2025, 2024)),
        # A year without a day says nothing of when it ends.
        (("2025", "2024"), 2024, (2025, 2024)),
    ],
)
def test_a_day_after_the_report_s_year_is_the_end_of_that_year(headings, fiscal_year, years):
    assert years_in_headings(headings, fiscal_year) == [frozenset({year}) for year in years]
