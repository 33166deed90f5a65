from __future__ import annotations

from hypothesis import given

from apps.retrieval.stages.ranking.units import split_units
from tests.retrieval.builders import CASH_FLOWS, TEXTS


def pieces(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in split_units(text)]


def test_rows_stand_alone() -> None:
    assert "Purchases of treasury stock | 2018: (4,870) | 2017: (2,068) | 2016: (3,753)" in pieces(CASH_FLOWS)


def test_headings_stand_alone() -> None:
    assert "Cash Flows from Investing Activities" in pieces(CASH_FLOWS)


def test_sentences_are_split() -> None:
    assert pieces("Sales rose. They rose by 3.5% in the U.S. market.") == [
        "Sales rose.",
        "They rose by 3.5% in the U.S. market.",
    ]


def test_abbreviations_end_no_sentence() -> None:
    assert pieces("Contoso Inc. Bob owns it. See No. 5 below.") == ["Contoso Inc. Bob owns it.", "See No. 5 below."]


def test_wrapped_prose_is_one_sentence() -> None:
    assert pieces("The fund fell by\nfour percent in the quarter.") == [
        "The fund fell by\nfour percent in the quarter."
    ]


def test_prose_that_breaks_after_a_number_is_no_row() -> None:
    text = (
        "On an organic basis the sales of the region in the whole year grew 18\npercent in China. Japan grew 5 percent."
    )
    assert len(pieces(text)) == 2


def test_wrapped_label_keeps_its_numbers() -> None:
    assert pieces("Revenue 1 2\nProceeds from sale of businesses, net of cash sold\n846 1,065 142")[1] == (
        "Proceeds from sale of businesses, net of cash sold\n846 1,065 142"
    )


def test_plain_row_knows_its_column_headings() -> None:
    text = "(Millions) 2018 2017 2016\nInventories (509) (387) 57"
    row = split_units(text)[1]
    assert row.columns is not None
    assert text[slice(*row.columns)] == "(Millions) 2018 2017 2016"


def test_row_that_names_its_columns_needs_no_heading() -> None:
    assert all(unit.columns is None for unit in split_units(CASH_FLOWS))


def test_prose_ends_a_table() -> None:
    text = "2018 2017\nInventories 5,009 387\nThe table ends here.\nReceivables 3,005 245"
    assert split_units(text)[-1].columns is None


@given(TEXTS)
def test_units_cover_all_but_blanks_in_order(text: str) -> None:
    position = 0
    for unit in split_units(text):
        assert not text[position : unit.start].strip()
        assert unit.start < unit.end
        assert text[unit.start : unit.end].strip() == text[unit.start : unit.end]
        position = unit.end
    assert not text[position:].strip()
