"""Ruled tables in PDF files: what is within a cell's lines belongs to that cell, and to no other."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.extraction import Block, BlockKind, extract
from tests.corpus.files import PdfPage, Stroke, Text, pdf

HEIGHT = 20.0
XS = (72.0, 190.0, 230.0, 290.0)
# A cell: its text, or lines of text one under the other.
Cell = str | tuple[str, ...]


def cells(
    *rows: Sequence[Cell], xs: Sequence[float] = XS, top: float = 700.0, height: float = HEIGHT, pad: float = 4.0
) -> list[Text]:
    """Rows of cells, set flush left."""
    texts: list[Text] = []
    for number, row in enumerate(rows):
        for x, cell in zip(xs, row, strict=False):
            for line, text in enumerate((cell,) if isinstance(cell, str) else cell):
                if text:
                    texts.append(Text(x + pad, top - height * number - 13 - 10 * line, text, size=9))
    return texts


def ruled(
    rows: int,
    *,
    xs: Sequence[float] = XS,
    top: float = 700.0,
    height: float = HEIGHT,
    without: Sequence[tuple[int, int]] = (),
    across_without: Sequence[tuple[int, int]] = (),
    filled: bool = False,
) -> list[Stroke]:
    """The lines of a table, cell by cell.

    Args: without: (row, line) of the lines between columns that are left out; across_without: (line, column) of those
          between rows.
    """
    strokes: list[Stroke] = []
    for line in range(rows + 1):
        for column in range(len(xs) - 1):
            if (line, column) not in across_without:
                y = top - height * line
                strokes.append(Stroke(xs[column], y, xs[column + 1], y, filled=filled))
    for row in range(rows):
        for line, x in enumerate(xs):
            if (row, line) not in without:
                strokes.append(Stroke(x, top - height * row, x, top - height * (row + 1), filled=filled))
    return strokes


def read(texts: Sequence[Text], strokes: Sequence[Stroke]) -> tuple[Block, ...]:
    return extract(pdf([PdfPage(texts, strokes=strokes)]), filename="a.pdf").pages[0].blocks


def rows_of(texts: Sequence[Text], strokes: Sequence[Stroke]) -> list[str]:
    return [block.text for block in read(texts, strokes) if block.kind is BlockKind.TABLE_ROW]


FEES = (("Role", "bps", "Share"), ("Portfolio manager", "180", "100%"), ("Analyst", "20", "40%"))


def test_a_number_close_to_its_label_stays_in_its_own_column() -> None:
    """The label ends nearer to its number than columns are apart: only the line between tells them apart."""
    texts = [
        *cells(FEES[0]),
        Text(82, 667, "Portfolio manager of funds", size=9),
        Text(191, 667, "180", size=9),
        Text(234, 667, "100%", size=9),
        *cells(("Analyst of funds", "20", "40%"), top=660.0),
    ]
    assert rows_of(texts, [])[0] == "Portfolio manager of funds 180 | Share: 100%", "by the gaps alone it slips"
    assert rows_of(texts, ruled(3)) == [
        "Portfolio manager of funds | bps: 180 | Share: 100%",
        "Analyst of funds | bps: 20 | Share: 40%",
    ]


@pytest.mark.parametrize("filled", [False, True])
def test_stroked_lines_and_thin_filled_ones_bound_cells(filled: bool) -> None:
    assert rows_of(cells(*FEES), ruled(3, filled=filled)) == [
        "Portfolio manager | bps: 180 | Share: 100%",
        "Analyst | bps: 20 | Share: 40%",
    ]


def test_a_dashed_line_is_one_line() -> None:
    dashes = [
        Stroke(x, y, min(x + 3, XS[-1]), y, filled=True)
        for y in (700.0, 680.0, 660.0, 640.0)
        for x in [XS[0] + 5 * step for step in range(44)]
    ]
    uprights = [Stroke(x, 700, x, 640) for x in XS]
    assert rows_of(cells(*FEES), [*dashes, *uprights]) == rows_of(cells(*FEES), ruled(3))


def test_an_empty_cell_leaves_the_others_alone() -> None:
    rows = (("Role", "bps", "Share"), ("Manager", "", "100%"), ("Analyst", "20", ""), ("", "7", "8%"))
    assert rows_of(cells(*rows), ruled(4)) == ["Manager | Share: 100%", "Analyst | bps: 20", "bps: 7 | Share: 8%"]


def test_words_under_columns_are_values_also_without_a_label() -> None:
    rows = (("Role", "Limit", "Share"), ("Manager", "180", "100%"), ("", "none", "n/a"))
    assert rows_of(cells(*rows), ruled(3))[-1] == "Limit: none | Share: n/a"


def test_lines_within_a_cell_are_one_text() -> None:
    rows: tuple[Sequence[Cell], ...] = (
        ("Role", ("Limit", "(bps)"), "Share"),
        (("Portfolio manager", "of the fund"), "180", "100%"),
        ("Analyst", "20", ("40%", "at most")),
    )
    assert rows_of(cells(*rows, height=30), ruled(3, height=30)) == [
        "Portfolio manager of the fund | Limit (bps): 180 | Share: 100%",
        "Analyst | Limit (bps): 20 | Share: 40% at most",
    ]


FOUR = (72.0, 170.0, 230.0, 290.0, 350.0, 410.0)


def test_a_header_over_two_columns_names_both() -> None:
    rows = (
        ("", "Class A", "", "Class B", ""),
        ("Fee", "2024", "2023", "2024", "2023"),
        ("Management", "10", "20", "30", "40"),
        ("Custody", "1", "2", "3", "4"),
    )
    strokes = ruled(4, xs=FOUR, without=[(0, 2), (0, 4)])
    assert rows_of(cells(*rows, xs=FOUR), strokes) == [
        "Management | Class A 2024: 10 | 2023: 20 | Class B 2024: 30 | 2023: 40",
        "Custody | Class A 2024: 1 | 2023: 2 | Class B 2024: 3 | 2023: 4",
    ]


def test_a_header_over_two_rows_is_said_once() -> None:
    rows = (
        ("Fee", "Class A", "", "Limit"),
        ("", "2024", "2023", ""),
        ("Management", "10", "20", "30"),
        ("Custody", "1", "2", "3"),
    )
    xs = FOUR[:5]
    strokes = ruled(4, xs=xs, without=[(0, 2)], across_without=[(1, 0), (1, 3)])
    assert rows_of(cells(*rows, xs=xs), strokes) == [
        "Management | Class A 2024: 10 | 2023: 20 | Limit: 30",
        "Custody | Class A 2024: 1 | 2023: 2 | Limit: 3",
    ]


def test_a_label_over_two_rows_stands_in_both() -> None:
    rows = (
        ("Fund", "Class", "Fee", "Share"),
        ("Alpha", "A", "10", "60%"),
        ("", "B", "20", "40%"),
        ("Beta", "A", "30", "100%"),
    )
    xs = FOUR[:5]
    assert rows_of(cells(*rows, xs=xs), ruled(4, xs=xs, across_without=[(2, 0)])) == [
        "Alpha | Class: A | Fee: 10 | Share: 60%",
        "Alpha | Class: B | Fee: 20 | Share: 40%",
        "Beta | Class: A | Fee: 30 | Share: 100%",
    ]


def test_a_value_over_two_columns_stands_in_both() -> None:
    rows = (("Fee", "2024", "2023", "2022"), ("Management", "10", "", "20"), ("Custody", "1", "2", "3"))
    xs = FOUR[:5]
    assert rows_of(cells(*rows, xs=xs), ruled(3, xs=xs, without=[(1, 2)])) == [
        "Management | 2024: 10 | 2023: 10 | 2022: 20",
        "Custody | 2024: 1 | 2023: 2 | 2022: 3",
    ]


def test_a_title_over_all_columns_is_a_group() -> None:
    rows = (("Fee", "2024", "2023"), ("Retail classes", "", ""), ("Management", "10", "20"), ("Custody", "1", "2"))
    found = read(cells(*rows), ruled(4, without=[(1, 1), (1, 2)]))
    assert [(block.kind, block.text) for block in found][1:] == [
        (BlockKind.TABLE_GROUP, "Retail classes"),
        (BlockKind.TABLE_ROW, "Management | 2024: 10 | 2023: 20"),
        (BlockKind.TABLE_ROW, "Custody | 2024: 1 | 2023: 2"),
    ]


def test_two_tables_side_by_side_are_two() -> None:
    right = [x + 250 for x in XS]
    other = (("Cost", "EUR", "Rate"), ("Audit", "900", "1%"), ("Legal", "50", "2%"))
    # Drawn line by line across both, as a reader of the page's width would write it.
    texts = [
        text
        for left, beside, top in zip(FEES, other, (700.0, 680.0, 660.0), strict=True)
        for text in (*cells(left, top=top), *cells(beside, xs=right, top=top))
    ]
    assert rows_of(texts, [*ruled(3), *ruled(3, xs=right)]) == [
        "Portfolio manager | bps: 180 | Share: 100%",
        "Analyst | bps: 20 | Share: 40%",
        "Audit | EUR: 900 | Rate: 1%",
        "Legal | EUR: 50 | Rate: 2%",
    ]


def test_rows_without_lines_between_them_are_told_by_their_numbers() -> None:
    rows = (
        ("Role", "bps", "Share"),
        *((name, str(number), f"{number}%") for name, number in zip("ABC", (7, 8, 9), strict=True)),
    )
    strokes = [stroke for stroke in ruled(4) if not (stroke.y0 == stroke.y1 and stroke.y0 in (660.0, 640.0))]
    assert rows_of(cells(*rows), strokes) == [
        f"{name} | bps: {n} | Share: {n}%" for name, n in zip("ABC", (7, 8, 9), strict=True)
    ]


def test_text_around_a_table_stays_in_its_order_and_names_the_unit() -> None:
    texts = [
        Text(72, 740, "Fees of the fund (in thousands of euros)", bold=True),
        *cells(*FEES),
        Text(72, 600, "All fees are paid once a year, at its end, by the fund itself."),
    ]
    found = read(texts, ruled(3))
    assert [block.kind for block in found] == [
        BlockKind.HEADING,
        BlockKind.TABLE_HEADER,
        BlockKind.TABLE_ROW,
        BlockKind.TABLE_ROW,
        BlockKind.PARAGRAPH,
    ]
    assert "thousands" in found[2].context


def test_a_table_turned_on_its_page_is_read() -> None:
    def turned(x: float, y: float) -> tuple[float, float]:
        return (700 - y + 100, x)

    texts = [Text(*turned(text.x, text.y), text.text, text.size, turned=True) for text in cells(*FEES)]
    strokes = [Stroke(*turned(each.x0, each.y0), *turned(each.x1, each.y1)) for each in ruled(3)]
    assert rows_of(texts, strokes) == rows_of(cells(*FEES), ruled(3))


# --- lines that bound no cells ---

UNRULED = [*cells(*FEES)]


@pytest.mark.parametrize(
    "strokes",
    [
        [],
        [Stroke(72, y, 290, y) for y in (700, 680, 640)],
        [Stroke(x, 700, x, 640) for x in XS],
        [Stroke(72, 700, 290, 700), Stroke(72, 640, 290, 640), Stroke(72, 700, 72, 640), Stroke(290, 700, 290, 640)],
        [Stroke(72, 690, 290, 690, filled=True, width=20), Stroke(72, 650, 290, 650, filled=True, width=20)],
        [Stroke(400 + x, 300 + y, 420 + x, 305 + y) for x in range(0, 60, 20) for y in range(0, 60, 20)],
    ],
    ids=["none", "across alone", "upright alone", "a frame", "shaded rows", "slanted"],
)
def test_without_lines_both_ways_the_gaps_decide(strokes: list[Stroke]) -> None:
    assert [block.text for block in read(UNRULED, strokes)] == [block.text for block in read(UNRULED, [])]
    assert rows_of(UNRULED, strokes) == ["Portfolio manager | bps: 180 | Share: 100%", "Analyst | bps: 20 | Share: 40%"]


def test_a_frame_of_columns_of_text_is_no_table() -> None:
    words = "The fund invests in bonds of issuers that pay their debts, and in no others whatever they may promise. "
    texts = [Text(x, 690 - 11 * line, words[:46], size=9) for x in (76, 320) for line in range(40)]
    xs = (72.0, 310.0, 560.0)
    strokes = ruled(2, xs=xs, top=700, height=240)
    assert {block.kind for block in read(texts, strokes)} == {BlockKind.PARAGRAPH}


def test_a_drawing_of_many_lines_costs_no_more_than_its_limits() -> None:
    strokes = [Stroke(72 + n % 400, 100 + n // 400, 72.4 + n % 400, 100 + n // 400) for n in range(21_000)]
    assert rows_of(UNRULED, [*ruled(3), *strokes]) == rows_of(UNRULED, [])


def test_lines_around_groups_of_columns_bound_no_cells() -> None:
    xs = (72.0, 330.0, 560.0)
    columns = (210.0, 270.0, 400.0, 460.0)
    texts = [
        text
        for x, year in zip(columns, ("2024", "2023", "2024", "2023"), strict=True)
        for text in (Text(x, 687, year, 9),)
    ]
    for row, (name, *values) in enumerate((("Net fees", "10", "20", "30", "40"), ("Custody", "1", "2", "3", "4"))):
        y = 667 - 20 * row
        texts += [Text(76, y, name, 9), *(Text(x, y, value, 9) for x, value in zip(columns, values, strict=True))]
    assert (
        rows_of(texts, ruled(3, xs=xs))
        == rows_of(texts, [])
        == [
            "Net fees | 2024: 10 | 2023: 20 | 2024: 30 | 2023: 40",
            "Custody | 2024: 1 | 2023: 2 | 2024: 3 | 2023: 4",
        ]
    )


def test_lines_beside_the_labels_alone_bound_no_table() -> None:
    xs = (200.0, 260.0, 320.0)
    texts = cells(("", "2024", "2023"), ("Net fees", "10", "20"), ("Custody", "1", "2"), xs=(72.0, 200.0, 260.0))
    assert (
        rows_of(texts, ruled(3, xs=xs))
        == rows_of(texts, [])
        == [
            "Net fees | 2024: 10 | 2023: 20",
            "Custody | 2024: 1 | 2023: 2",
        ]
    )


def test_a_head_whose_years_stand_in_one_cell_bounds_no_columns() -> None:
    rows = (("Fee", "2024", "2023"), ("Net fees", "10", "20"), ("Custody", "1", "2"))
    strokes = ruled(3, without=[(0, 1), (0, 2)])
    assert (
        rows_of(cells(*rows), strokes)
        == rows_of(cells(*rows), [])
        == [
            "Net fees | 2024: 10 | 2023: 20",
            "Custody | 2024: 1 | 2023: 2",
        ]
    )


def test_rows_that_are_bounded_on_one_side_only_are_told_by_gaps() -> None:
    rows = (("Fee", "2024", "2023"), ("Net fees", "10", "20"), ("Custody", "1", "2"), ("Audit", "3", "4"))
    strokes = ruled(4, across_without=[(2, 0), (2, 1), (3, 0), (3, 1)])
    assert rows_of(cells(*rows), strokes) == rows_of(cells(*rows), [])


def test_a_first_row_with_a_figure_heads_no_columns() -> None:
    rows = (("$804 billion", "Credit provided"), ("$69 billion", "Credit for consumers"))
    xs = (72.0, 190.0, 420.0)
    assert rows_of(cells(*rows, xs=xs), ruled(2, xs=xs)) == [
        "$804 billion | Credit provided",
        "$69 billion | Credit for consumers",
    ]


def test_a_label_set_halfway_between_two_low_rows_takes_neither_row_s_words() -> None:
    """Its line and theirs are so near that they are one line of text; each word stays where it stands itself."""
    xs, top, height = (72.0, 120.0, 150.0, 180.0, 210.0), 700.0, 11.0
    texts = [
        Text(76, 685, "Role", size=9),
        Text(122, 690, "Class A", size=9),
        Text(182, 685, "Limit", size=9),
        Text(122, 680.3, "2024", size=9),
        Text(152, 680.3, "2023", size=9),
        *(Text(x + 2, 669.3, text, size=9) for x, text in zip(xs, ("Manager", "180", "100%", "12"), strict=False)),
        *(Text(x + 2, 658.3, text, size=9) for x, text in zip(xs, ("Analyst", "20", "40%", "3"), strict=False)),
    ]
    strokes = ruled(4, xs=xs, top=top, height=height, without=[(0, 2)], across_without=[(1, 0), (1, 3)])
    assert rows_of(texts, strokes) == [
        "Manager | Class A 2024: 180 | 2023: 100% | Limit: 12",
        "Analyst | Class A 2024: 20 | 2023: 40% | Limit: 3",
    ]


_PLACES = st.tuples(st.integers(4, 32), st.integers(5, 40))
_LINES = st.lists(st.tuples(st.booleans(), st.integers(3, 34), st.integers(3, 34), st.integers(3, 34)), max_size=14)


@settings(max_examples=60, deadline=None)
@given(places=st.lists(_PLACES, min_size=1, max_size=16, unique=True), lines=_LINES)
def test_whatever_lines_are_drawn_no_word_is_lost_and_none_is_said_but_printed(
    places: list[tuple[int, int]], lines: list[tuple[bool, int, int, int]]
) -> None:
    words = [f"w{number}x" for number in range(len(places))]
    texts = [Text(15.0 * x, 18.0 * y, word, size=9) for (x, y), word in zip(places, words, strict=True)]
    strokes = [
        Stroke(15.0 * at, 18.0 * low, 15.0 * at, 18.0 * high)
        if is_upright
        else Stroke(15.0 * low, 18.0 * at, 15.0 * high, 18.0 * at)
        for is_upright, at, low, high in lines
    ]
    found = " ".join(block.text for block in read(texts, strokes))
    assert set(re.findall(r"w\d+x", found)) == set(words)
