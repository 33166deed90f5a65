"""HTML: what a browser shows, no hidden facts, tables with merged cells and signs in cells of their own."""

from __future__ import annotations

import pytest

from apps.corpus.extraction import BlockKind, ExtractedDocument, extract
from apps.corpus.extraction.errors import TooComplexError

STATEMENT = """<table>
<tr><td colspan="3"></td><td colspan="7">Year ended December 31,</td></tr>
<tr><td colspan="3">(in millions)</td><td colspan="3">2018</td><td></td><td colspan="3">2017</td></tr>
<tr><td colspan="3">Investing activities</td><td colspan="7"></td></tr>
<tr><td colspan="3">Net income</td><td>$</td><td>5,363</td><td></td><td></td><td>$</td><td>4,869</td><td></td></tr>
<tr><td colspan="3">Purchases of PP&amp;E</td>
<td></td><td>(1,577</td><td>)</td><td></td><td></td><td>(1,373</td><td>)</td></tr>
</table>"""


def read(body: str) -> ExtractedDocument:
    return extract(f"<html><head><title>Alpha</title></head><body>{body}</body></html>".encode(), filename="a.html")


def texts(body: str) -> list[str]:
    return [block.text for page in read(body).pages for block in page.blocks]


def test_row_carries_label_and_years() -> None:
    assert texts(STATEMENT)[-1] == "Purchases of PP&E | 2018: (1,577) | 2017: (1,373)"


def test_currency_cell_is_joined_to_its_number() -> None:
    assert texts(STATEMENT)[-2] == "Net income | 2018: $5,363 | 2017: $4,869"


def test_shared_header_and_unit_are_context() -> None:
    assert read(STATEMENT).pages[0].blocks[-1].context == "Year ended December 31, \u00b7 (in millions)"


def test_group_title_stays_among_the_rows() -> None:
    kinds = [block.kind for block in read(STATEMENT).pages[0].blocks]
    assert kinds == [BlockKind.TABLE_HEADER] * 2 + [BlockKind.TABLE_GROUP] + [BlockKind.TABLE_ROW] * 2


def test_table_of_words_carries_its_column_names() -> None:
    header = "<tr><th>Name</th><th>Age</th><th>Office</th></tr>"
    body = f"<table>{header}<tr><td>Alice</td><td>51</td><td>Chair</td></tr></table>"
    assert texts(body)[-1] == "Alice | Age: 51 | Office: Chair"


def test_cell_that_spans_rows_labels_each_of_them() -> None:
    body = (
        "<table><tr><th>Fund</th><th>Q4 2023</th><th>Q4 2024</th></tr>"
        "<tr><td rowspan='2'>Alpha</td><td>-3.1%</td><td>-4.2%</td></tr><tr><td>-3.5%</td><td>-4.9%</td></tr></table>"
    )
    assert texts(body)[1:] == ["Alpha | Q4 2023: -3.1% | Q4 2024: -4.2%", "Alpha | Q4 2023: -3.5% | Q4 2024: -4.9%"]


def test_hidden_facts_are_dropped() -> None:
    body = (
        "<ix:header><ix:hidden>99,999</ix:hidden></ix:header><p>Shown.</p><div style='display: none'>Not shown.</div>"
    )
    assert texts(body) == ["Shown."]


def test_text_behind_a_hidden_element_stays() -> None:
    assert texts("<p>One <span style='display:none'>two</span> three</p>") == ["One three"]


def test_scripts_are_dropped() -> None:
    assert texts("<p>Text</p><script>var x = 'code';</script><style>p {}</style>") == ["Text"]


def test_heading_tags_have_levels() -> None:
    blocks = read("<h1>Report</h1><h3>Fees</h3><p>Text</p>").pages[0].blocks
    assert [(block.kind, block.level) for block in blocks[:2]] == [(BlockKind.HEADING, 1), (BlockKind.HEADING, 3)]


def test_bold_item_is_a_heading() -> None:
    block = read("<p style='font-weight:700'>Item 7A. Market Risk</p><p>Text.</p>").pages[0].blocks[0]
    assert (block.kind, block.level) == (BlockKind.HEADING, 1)


def test_table_that_places_bullets_is_a_list() -> None:
    body = "<table><tr><td>\u2022</td><td>first limit</td></tr><tr><td>\u2022</td><td>second limit</td></tr></table>"
    assert [block.kind for block in read(body).pages[0].blocks] == [BlockKind.LIST_ITEM] * 2


def test_table_in_a_table_is_read() -> None:
    assert texts(f"<table><tr><td>Around</td><td>{STATEMENT}</td></tr></table>")[-1].startswith(
        "Purchases of PP&E | 2018"
    )


def test_title_is_taken() -> None:
    assert read("<p>Text</p>").title == "Alpha"


def test_xhtml_with_declaration_is_read() -> None:
    content = b"<?xml version='1.0' encoding='ASCII'?><html><body><p>Text &amp; more</p></body></html>"
    assert extract(content, filename="a.htm").pages[0].text == "Text & more"


def test_declared_encoding_is_overruled_by_the_bytes() -> None:
    content = "<html><meta charset='latin-1'><body><p>Größe</p></body></html>".encode()
    assert extract(content, filename="a.htm").pages[0].text == "Größe"


def test_deep_nesting_is_read() -> None:
    assert extract(b"<div>" * 1_000 + b"<p>down here</p>", filename="a.html").pages[0].text == "down here"


def test_nesting_over_the_parsers_limit_is_refused_rather_than_cut() -> None:
    with pytest.raises(TooComplexError, match="levels of nesting, at most 2048"):
        extract(b"<div>" * 5_000 + b"<p>down here</p>", filename="a.html")


@pytest.mark.slow
def test_cells_that_all_reach_down_take_no_time() -> None:
    content = b"<table>" + b"<tr><td rowspan=500>x" * 3_000 + b"</table>"
    assert extract(content, filename="a.html").pages


def test_absurd_spans_are_bounded() -> None:
    body = "<table><tr><td colspan='99999999'>a</td><td>1</td></tr><tr><td rowspan='-3'>b</td><td>2</td></tr></table>"
    assert "2" in texts(body)[-1]


def test_long_file_is_cut_into_pages() -> None:
    document = read("".join(f"<p>Paragraph {n} says something about the fund and its limits.</p>" for n in range(200)))
    assert len(document.pages) > 3
    assert max(len(page.text) for page in document.pages) < 3_300
