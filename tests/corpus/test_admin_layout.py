"""A page's text in a typographic form: nothing is lost, nothing is made up, and the mark is where it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.admin.document_layout import Block, Piece, lay_out

_PARTS = ("A", "b c", "1,250", " | ", " | ", "2024: ", "2023: ", "\n", "\n", "• ", "1. ", "<b>", ".", "ß", " ")
texts = st.lists(st.sampled_from(_PARTS), max_size=40).map("".join)


def pieces(blocks: Sequence[Block]) -> Iterator[Piece]:
    for block in blocks:
        yield from block.pieces
        for row in [*block.head, *block.rows]:
            for cell in row:
                yield from cell.pieces


def shown(blocks: Sequence[Block]) -> str:
    return "".join(sorted("".join(piece.text for piece in pieces(blocks)).replace(" ", "")))


def cells(block: Block) -> list[list[str]]:
    return [["".join(piece.text for piece in cell.pieces) for cell in row] for row in [*block.head, *block.rows]]


@pytest.mark.slow
@given(texts)
def test_what_is_no_table_is_shown_to_the_letter(text: str) -> None:
    text = text.replace(" | ", " ")
    said = "".join(sorted(text.replace("\n", "").replace(" ", "")))
    assert shown(lay_out(text)) == said


@pytest.mark.slow
@given(texts)
def test_rows_of_a_table_are_as_wide_as_each_other_and_no_value_is_lost(text: str) -> None:
    for block in lay_out(text):
        assert len({len(row) for row in cells(block)}) <= 1
    for number in ("1,250", "<b>"):
        assert "".join(piece.text for piece in pieces(lay_out(text))).count(number) >= text.count(number) > 0 or (
            number not in text
        )


@pytest.mark.slow
@given(texts, st.data())
def test_one_piece_is_the_first_that_is_marked(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marked = [piece for piece in pieces(lay_out(text, marked=(start, end))) if piece.marked]
    assert len([piece for piece in marked if piece.is_first]) == min(1, len(marked))
    if " | " not in text:
        assert "".join(piece.text for piece in marked).replace(" ", "") == text[start:end].replace("\n", "").replace(
            " ", ""
        )


def test_a_table_has_its_headings_above_its_columns() -> None:
    text = "Million euros | 2024 | 2023\nNet sales | 2024: 1,250 | 2023: 1,100\nTax | 2023: (50)"
    (table,) = lay_out(text)
    assert cells(table) == [["Million euros", "2024", "2023"], ["Net sales", "1,250", "1,100"], ["Tax", "", "(50)"]]
    assert (len(table.head), [row[0].scope for row in table.rows]) == (1, ["row", "row"])


def test_headings_that_no_row_above_has_are_made_from_the_rows() -> None:
    (table,) = lay_out("Net sales | 2024: 1,250 | 2023: 1,100")
    assert cells(table) == [["", "2024", "2023"], ["Net sales", "1,250", "1,100"]]


def test_headings_without_a_label_stand_above_their_own_columns() -> None:
    (table,) = lay_out("2024 | 2023\nNet sales | 2024: 1,250 | 2023: 1,100")
    assert cells(table) == [["", "2024", "2023"], ["Net sales", "1,250", "1,100"]]


def test_a_marked_row_is_marked_cell_by_cell_and_leads_to_its_label() -> None:
    text = "Net sales | 2024: 1,250\nTax | 2024: (50)"
    start = text.index("Tax")
    marked = [piece for piece in pieces(lay_out(text, marked=(start, len(text)))) if piece.marked]
    assert [piece.text for piece in marked] == ["2024", "Tax", "(50)"]
    assert [piece.text for piece in marked if piece.is_first] == ["Tax"]


def test_headings_items_and_paragraphs() -> None:
    text = (
        "Outlook\n" + "The board expects more sales in all regions, and less cost. " * 2 + "\n• First\n2. Second\nKnown"
    )
    kinds = [block.kind for block in lay_out(text, headings={"Known"})]
    assert kinds == ["heading", "paragraph", "item", "item", "heading"]
