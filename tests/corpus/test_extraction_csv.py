"""CSV: dialects, names on every row, broken rows as warnings with their numbers."""

from __future__ import annotations

import pytest

from apps.corpus.extraction import BlockKind, ExtractedDocument, Limits, WarningCode, extract
from apps.corpus.extraction.errors import TooComplexError


def read(text: str) -> ExtractedDocument:
    return extract(text.encode(), filename="a.csv")


def rows(text: str) -> list[str]:
    return [block.text for page in read(text).pages for block in page.blocks if block.kind is BlockKind.TABLE_ROW]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_row_names_its_columns(delimiter: str) -> None:
    text = delimiter.join(("fund", "quarter", "drawdown")) + "\n" + delimiter.join(("Alpha", "Q4 2024", "-4.2%"))
    assert rows(text) == ["fund: Alpha | quarter: Q4 2024 | drawdown: -4.2%"]


def test_broken_row_is_a_warning_with_its_number() -> None:
    document = read("a,b,c\n1,2,3\n4,5\n6,7,8\n")
    assert [(warning.code, warning.row) for warning in document.warnings] == [(WarningCode.ROW_BROKEN, 3)]


def test_rows_after_a_broken_one_are_read() -> None:
    assert rows("name,b,c\nx,2,3\nx,5\ny,7,8\n") == ["name: x | b: 2 | c: 3", "name: y | b: 7 | c: 8"]


def test_unclosed_quote_loses_only_its_row() -> None:
    document = read('name,b\nx,1\ny,"oops\nz,3\n')
    assert [block.text for block in document.pages[0].blocks][-1] == "name: z | b: 3"
    assert [warning.row for warning in document.warnings] == [3]


def test_quoted_value_may_span_lines() -> None:
    assert rows('name,b\nx,"one\ntwo"\n') == ["name: x | b: one two"]


def test_numbers_stay_as_printed() -> None:
    assert rows('name,value\nFees,"1,577.00"\n') == ["name: Fees | value: 1,577.00"]


def test_german_decimals_do_not_hide_the_delimiter() -> None:
    assert rows("fund;drawdown\nAlpha;-3,1\nBeta;-2,0\n")[0] == "fund: Alpha | drawdown: -3,1"


def test_file_without_header_numbers_its_columns() -> None:
    assert rows("Alpha,10,20\nBeta,30,40\n")[0] == "column 1: Alpha | column 2: 10 | column 3: 20"


def test_title_over_the_table_is_text() -> None:
    block = read("Alpha Fund\n\nname,b\nx,1\ny,2\n").pages[0].blocks[0]
    assert (block.kind, block.text) == (BlockKind.PARAGRAPH, "Alpha Fund")


def test_empty_values_are_left_out() -> None:
    assert rows("name,b,c\nx,,3\n") == ["name: x | c: 3"]


def test_warnings_are_bounded() -> None:
    text = "a,b\n1,2\n1,2\n" + "1\n" * 100
    document = extract(text.encode(), filename="a.csv", limits=Limits(max_warnings=5))
    assert [w.code for w in document.warnings].count(WarningCode.ROW_BROKEN) == 5


def test_too_many_values_are_refused() -> None:
    with pytest.raises(TooComplexError, match="table cells, at most 10"):
        extract(b"a,b\n" + b"1,2\n" * 50, filename="a.csv", limits=Limits(max_table_cells=10))
