"""Tables in PDF files: each number keeps its row's label and its columns' names."""

from __future__ import annotations

from collections.abc import Sequence

from apps.corpus.extraction import Block, BlockKind, extract
from tests.corpus.files import PdfPage, Text, pdf

COLUMNS = (400.0, 470.0, 540.0)


def right(x: float, y: float, text: str) -> Text:
    """Text whose right edge is at x, roughly: digits of Helvetica are 0.556 em wide."""
    return Text(x - 5.56 * len(text), y, text)


def table(header: Sequence[str], *rows: Sequence[str], top: float = 700) -> list[Text]:
    """A header line and rows; the first cell is the label, the others are set flush right."""
    texts: list[Text] = []
    for number, row in enumerate([header, *rows]):
        y = top - 12 * number
        if row[0]:
            texts.append(Text(72, y, row[0]))
        texts.extend(right(x, y, cell) for x, cell in zip(COLUMNS, row[1:], strict=False) if cell)
    return texts


def read(texts: Sequence[Text]) -> tuple[Block, ...]:
    return extract(pdf([PdfPage(texts)]), filename="a.pdf").pages[0].blocks


def rows_of(texts: Sequence[Text]) -> list[str]:
    return [block.text for block in read(texts) if block.kind is BlockKind.TABLE_ROW]


CASH_FLOWS = table(
    ("(Millions)", "2018", "2017", "2016"),
    ("Depreciation", "1,488", "1,544", "1,474"),
    ("Purchases of property, plant and equipment (PP&E)", "(1,577)", "(1,373)", "(1,420)"),
)


def test_row_carries_label_and_years() -> None:
    assert rows_of(CASH_FLOWS)[1] == (
        "Purchases of property, plant and equipment (PP&E) | 2018: (1,577) | 2017: (1,373) | 2016: (1,420)"
    )


def test_header_is_kept_as_printed() -> None:
    assert [b.text for b in read(CASH_FLOWS) if b.kind is BlockKind.TABLE_HEADER] == ["(Millions) | 2018 | 2017 | 2016"]


def test_unit_is_the_context_of_each_row() -> None:
    assert {block.context for block in read(CASH_FLOWS) if block.kind is BlockKind.TABLE_ROW} == {"(Millions)"}


def test_unit_is_taken_from_the_caption() -> None:
    texts = [Text(72, 730, "Statement of fees (in thousands of euros)", bold=True)]
    texts += table(("", "2018", "2017"), ("Fees", "10", "12"), ("Costs", "8", "9"))
    assert "thousands" in next(block for block in read(texts) if block.kind is BlockKind.TABLE_ROW).context


def test_currency_sign_apart_belongs_to_its_number() -> None:
    texts = table(("", "2018", "2017"), ("Net income", "5,363", "4,869"), ("Taxes", "57", "107"))
    texts[3:5] = [Text(350, 688, "$"), texts[3], Text(420, 688, "$"), texts[4]]
    assert rows_of(texts)[0] == "Net income | 2018: $5,363 | 2017: $4,869"


def test_missing_value_leaves_the_other_column_alone() -> None:
    rows = rows_of(table(("", "2018", "2017"), ("Fees", "10", "12"), ("Refund", "", "3"), ("Costs", "8", "9")))
    assert rows[1] == "Refund | 2017: 3"


def test_spanning_header_is_said_once_a_group() -> None:
    texts: list[Text] = []
    for y, label, values in ((700, "Net fees", ("10", "20", "30", "40")), (688, "Costs", ("1", "2", "3", "4"))):
        texts.append(Text(72, y, label))
        texts += [right(x, y, value) for x, value in zip((280, 340, 440, 500), values, strict=True)]
    header = [right(x, 714, year) for x, year in ((284, "2023"), (344, "2022"), (444, "2023"), (504, "2022"))]
    spanning = [Text(250, 728, "Three months ended"), Text(415, 728, "Six months ended")]
    assert rows_of([*spanning, *header, *texts])[0] == (
        "Net fees | Three months ended 2023: 10 | 2022: 20 | Six months ended 2023: 30 | 2022: 40"
    )


def test_header_over_all_columns_is_context() -> None:
    spanning = Text(400, 714, "Years ended December 31,")
    texts = [spanning, *table(("", "2018", "2017", "2016"), ("Fees", "1", "2", "3"), ("Costs", "4", "5", "6"))]
    assert [block.context for block in read(texts) if block.kind is BlockKind.TABLE_ROW] == [
        "Years ended December 31,"
    ] * 2


def test_wrapped_label_is_joined() -> None:
    texts = table(("", "2018", "2017"), ("Fees", "1", "2"))
    texts += [
        Text(72, 676, "Adjustments to reconcile the net income of the fund with the net cash"),
        Text(78, 664, "provided by operations"),
    ]
    texts += [right(400, 664, "77"), right(470, 664, "88")]
    assert rows_of(texts)[1] == (
        "Adjustments to reconcile the net income of the fund with the net cash provided by operations"
        " | 2018: 77 | 2017: 88"
    )


def test_title_inside_a_table_is_a_group() -> None:
    texts = table(("", "2018", "2017"), ("Fees", "1", "2"), ("Financing activities", "", ""), ("Loans", "3", "4"))
    assert [block.kind for block in read(texts)][1:] == [
        BlockKind.TABLE_ROW,
        BlockKind.TABLE_GROUP,
        BlockKind.TABLE_ROW,
    ]


def test_group_title_under_the_header_does_not_hide_it() -> None:
    texts = table(("", "2018", "2017"), ("Assets", "", ""), ("Cash", "1", "2"), ("Loans", "3", "4"))
    assert rows_of(texts)[0] == "Cash | 2018: 1 | 2017: 2"


def test_second_header_renames_the_columns() -> None:
    texts = table(
        ("", "2018", "2017"), ("Fees", "10", "12"), ("Costs", "8", "9"), ("", "2016", "2015"), ("Fees", "6", "7")
    )
    assert rows_of(texts)[-1] == "Fees | 2016: 6 | 2015: 7"


def test_year_in_a_sentence_makes_no_table() -> None:
    page = [
        Text(72, 700, "The fund was launched in Dublin in the year 2018"),
        Text(72, 688, "and merged into another one in 2023."),
    ]
    assert [block.kind for block in read(page)] == [BlockKind.PARAGRAPH]


def test_footnotes_under_a_table_are_no_rows() -> None:
    texts = table(("", "2018", "2017"), ("Fees", "10", "12"), ("Costs", "8", "9"))
    texts += [Text(72, 640, "(1)"), Text(90, 640, "These measures exclude costs that do not come back.")]
    assert len(rows_of(texts)) == 2


def test_numbers_drawn_after_their_labels_find_their_row() -> None:
    labels = [Text(72, 700 - 12 * n, name) for n, name in enumerate(("", "Fees")) if name]
    texts = [
        *labels,
        right(400, 688, "10"),
        right(470, 688, "12"),
        Text(72, 676, "Costs"),
        right(400, 673, "8"),
        right(470, 673, "9"),
    ]
    assert rows_of(texts) == ["Fees | 10 | 12", "Costs | 8 | 9"]


def test_table_drawn_by_columns_is_put_in_rows() -> None:
    names = ("Fees", "Costs", "Taxes", "Net")
    texts = [Text(72, 688 - 12 * row, name) for row, name in enumerate(names)]
    for x, year, values in ((400.0, "2018", ("10", "8", "1", "1")), (470.0, "2017", ("12", "9", "1", "2"))):
        texts.append(right(x, 700, year))
        texts += [right(x, 688 - 12 * row, value) for row, value in enumerate(values)]
    assert rows_of(texts) == [
        "Fees | 2018: 10 | 2017: 12",
        "Costs | 2018: 8 | 2017: 9",
        "Taxes | 2018: 1 | 2017: 1",
        "Net | 2018: 1 | 2017: 2",
    ]
