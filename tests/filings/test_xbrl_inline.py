"""Facts of inline XBRL, and their place in the text."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from apps.corpus.extraction import extract
from apps.filings.contracts import FactUnit, HowRead, ReadFact
from apps.filings.xbrl.inline import read_inline
from tests.filings.inline_filings import InlineFiling

YEAR, PRIOR = "2024-02-04/2025-02-01", "2023-01-29/2024-02-03"
END, PRIOR_END = "2025-02-01", "2024-02-03"


def read(filing: InlineFiling, *, year: int | None = None) -> tuple[ReadFact, ...]:
    """Read a filing, and check that every fact is printed where it says."""
    content = filing.write()
    document = extract(content, filename="filing.htm")
    reading = read_inline(content, document, fiscal_year=year)
    pages = {page.number: page.text for page in document.pages}
    for fact in reading.facts:
        assert pages[fact.page][fact.cell.start : fact.cell.end] == fact.printed
        assert fact.row.start <= fact.cell.start < fact.cell.end <= fact.row.end
        assert "\n" not in pages[fact.page][fact.row.start : fact.row.end]
    return reading.facts


def annual() -> InlineFiling:
    """A 10-K of a year of 52 weeks that ends in February."""
    filing = InlineFiling()
    filing.cover(2024, "FY", YEAR)
    return filing


def test_a_row_with_two_years_is_read_with_its_place() -> None:
    filing = annual()
    filing.text("Results of operations", "h2")
    filing.table(
        [
            ["(in millions)", "Fiscal 2024", "Fiscal 2023"],
            [
                "Net sales",
                filing.fact("us-gaap:Revenues", "1,577", YEAR),
                filing.fact("us-gaap:Revenues", "1,373", PRIOR),
            ],
            ["Net loss", f"({filing.fact('us-gaap:ProfitLoss', '12', YEAR, negative=True)})", "5"],
        ]
    )
    now, before, loss = read(filing)
    assert (now.value, now.fiscal_year, now.fiscal_quarter, now.months) == (Decimal(1_577_000_000), 2024, 0, 12)
    assert (before.value, before.fiscal_year) == (Decimal(1_373_000_000), 2023)
    assert (now.concept, now.tag, now.label, now.column) == ("revenue", "us-gaap:Revenues", "Net sales", "Fiscal 2024")
    assert (now.printed, now.exponent, now.decimals, now.currency) == ("1,577", 6, 0, "USD")
    assert (now.starts_on, now.ends_on) == (date(2024, 2, 4), date(2025, 2, 1))
    assert (now.unit, now.how_read, now.heading is None) == (FactUnit.MONEY, HowRead.XBRL, False)
    assert (loss.printed, loss.value) == ("(12)", Decimal(-12_000_000))


def test_headings_are_where_they_say() -> None:
    filing = annual()
    filing.table(
        [
            ["", "2024", "2023"],
            [
                "Net sales",
                filing.fact("us-gaap:Revenues", "1,577", YEAR),
                filing.fact("us-gaap:Revenues", "1,373", PRIOR),
            ],
        ]
    )
    text = extract(filing.write(), filename="filing.htm").pages[0].text
    headings = [fact.heading for fact in read(filing)]
    assert [text[each.start : each.end] for each in headings if each] == ["2024", "2023"]


def test_the_same_number_in_one_row_and_in_several_tables_keeps_its_own_place() -> None:
    filing = annual()
    for heading in ("Income", "Again", "More"):
        filing.text(heading, "h2")
        filing.table(
            [
                ["", "2024", "2023"],
                ["Net sales", filing.fact("us-gaap:Revenues", "7", YEAR), filing.fact("us-gaap:Revenues", "7", PRIOR)],
                ["Other", "7", filing.fact("acme:Other", "7", PRIOR)],
            ]
        )
    facts = read(filing)
    assert len(facts) == 9
    assert [fact.fiscal_year for fact in facts] == [2024, 2023, 2023] * 3
    places = [(fact.page, fact.cell.start) for fact in facts]
    assert places == sorted(set(places))
    assert [fact.column for fact in facts[:3]] == ["2024", "2023", "2023"]


def test_a_row_whose_label_spans_rows_is_called_by_both_of_its_words() -> None:
    filing = annual()
    sales, income = filing.fact("us-gaap:Revenues", "5", YEAR), filing.fact("us-gaap:OperatingIncomeLoss", "5", YEAR)
    filing.body.append(
        f'<table><tr><td colspan="2">Segment</td><td>2024</td></tr><tr><td rowspan="2">Americas</td><td>Sales</td>'
        f"<td>{sales}</td></tr><tr><td>Income</td><td>{income}</td></tr></table>"
    )
    assert [(fact.label, fact.column) for fact in read(filing)] == [
        ("Americas Sales", "2024"),
        ("Americas Income", "2024"),
    ]


def test_headings_over_several_columns_are_said_and_the_lowest_is_the_place() -> None:
    filing = annual()
    year, prior = filing.fact("us-gaap:Revenues", "5", YEAR), filing.fact("us-gaap:Revenues", "5", PRIOR)
    filing.body.append(
        '<table><tr><td colspan="3"></td><td colspan="7">Year ended</td></tr><tr><td colspan="3">(In millions)</td>'
        '<td colspan="3">2024</td><td></td><td colspan="3">2023</td></tr><tr><td colspan="3">Sales</td><td>$</td>'
        f"<td>({year}</td><td>)</td><td></td><td>$</td><td>{prior}</td><td></td></tr></table>"
    )
    text = extract(filing.write(), filename="filing.htm").pages[0].text
    facts = read(filing)
    assert [fact.column for fact in facts] == ["Year ended 2024", "Year ended 2023"]
    assert [text[fact.heading.start : fact.heading.end] for fact in facts if fact.heading] == ["2024", "2023"]
    assert [fact.printed for fact in facts] == ["$(5)", "$5"]


def test_a_line_above_rows_is_their_group_until_a_total() -> None:
    filing = annual()
    cells = [filing.fact("acme:X", "5", YEAR), "4"]
    filing.table([["", "2024", "2023"], ["Net sales:"], ["Products", *cells], ["Total", *cells], ["Other", *cells]])
    assert [fact.group for fact in read(filing)] == ["Net sales:", "Net sales:", ""]


def test_a_balance_at_the_end_of_the_year_has_no_quarter_and_no_months() -> None:
    filing = annual()
    filing.table(
        [["Total assets", filing.fact("us-gaap:Assets", "9", END), filing.fact("us-gaap:Assets", "8", PRIOR_END)]]
    )
    facts = read(filing)
    assert [(fact.fiscal_year, fact.fiscal_quarter, fact.months, fact.starts_on) for fact in facts] == [
        (2024, 0, 0, None),
        (2023, 0, 0, None),
    ]


def test_a_quarterly_report_tells_quarters_from_the_year_to_date() -> None:
    filing = InlineFiling()
    filing.cover(2025, "Q2", "2025-02-02/2025-08-02")
    periods = ["2025-05-04/2025-08-02", "2024-05-05/2024-08-03", "2025-02-02/2025-08-02", "2024-02-04/2024-08-03"]
    filing.table(
        [["Net sales", *(filing.fact("us-gaap:Revenues", str(at), each) for at, each in enumerate(periods, 1))]]
    )
    days = ["2025-08-02", "2025-02-01"]
    filing.table([["Total assets", *(filing.fact("us-gaap:Assets", str(at), each) for at, each in enumerate(days, 1))]])
    assert [(fact.fiscal_year, fact.fiscal_quarter, fact.months) for fact in read(filing)] == [
        (2025, 2, 3),
        (2024, 2, 3),
        (2025, 2, 6),
        (2024, 2, 6),
        (2025, 2, 0),
        (2024, 0, 0),
    ]


def test_a_year_of_weeks_that_ends_in_january_is_the_year_before() -> None:
    filing = InlineFiling()
    periods = ["2024-01-01/2024-12-29", "2022-12-31/2023-12-31", "2022-01-02/2022-12-30"]
    filing.cover(2024, "FY", periods[0])
    filing.table(
        [["Net sales", *(filing.fact("us-gaap:Revenues", str(at), each) for at, each in enumerate(periods, 1))]]
    )
    assert [fact.fiscal_year for fact in read(filing)] == [2024, 2023, 2022]


def test_a_german_report_has_decimal_commas_and_no_cover() -> None:
    filing = InlineFiling()
    form = "ixt:num-comma-decimal"
    year, prior = "2024-01-01/2024-12-31", "2023-01-01/2023-12-31"
    filing.text("Konzern-Gewinn- und Verlustrechnung", "h2")
    filing.table(
        [
            ["in Mio. €", "2024", "2023"],
            [
                "Umsatzerlöse",
                filing.fact("ifrs-full:Revenue", "1.577,4", year, unit="eur", form=form),
                filing.fact("ifrs-full:Revenue", "1.373,0", prior, unit="eur", form=form),
            ],
            [
                "Ertragsteuern",
                f"-{filing.fact('ifrs-full:IncomeTaxExpenseContinuingOperations', '3,5', year, unit='eur', form=form)}",
                "\u2013",
            ],
        ]
    )
    now, before, tax = read(filing, year=2024)
    assert (now.concept, now.value, now.currency) == ("revenue", Decimal(1_577_400_000), "EUR")
    assert (now.decimals, now.fiscal_year, before.fiscal_year) == (1, 2024, 2023)
    assert (tax.printed, tax.value) == ("-3,5", Decimal(3_500_000))


def test_members_become_the_dimension_in_words() -> None:
    filing = annual()
    axis = {"us-gaap__StatementBusinessSegmentsAxis": "acme:NorthAmericaSegmentMember"}
    operating = {**axis, "srt__ConsolidationItemsAxis": "us-gaap:OperatingSegmentsMember"}
    typed = {"acme__ProgramAxis": "Falcon"}
    parent = {"dei__LegalEntityAxis": "srt:ParentCompanyMember"}
    restated = {"srt__RestatementAxis": "acme:RestatedMember"}
    filing.table(
        [
            [name, filing.fact("us-gaap:Revenues", str(at), YEAR, **members)]
            for at, (name, members) in enumerate(
                {"a": axis, "b": operating, "c": typed, "d": parent, "e": restated, "f": {}}.items(), 1
            )
        ]
    )
    facts = read(filing)
    assert [fact.dimension for fact in facts] == ["North America Segment"] * 2 + ["Falcon", "", "", ""]
    assert [fact.consolidated for fact in facts] == [True, True, True, False, True, True]
    assert [fact.restated for fact in facts] == [False] * 4 + [True, False]


def test_units_are_told_apart() -> None:
    filing = annual()
    filing.table(
        [
            ["", "2024", ""],
            ["Diluted", "$", filing.fact("us-gaap:EarningsPerShareDiluted", "1.25", YEAR, unit="usdPerShare", scale=0)],
            ["Shares", "", filing.fact("acme:Shares", "1,000.5", YEAR, unit="shares", scale=3)],
            ["Tax rate", "", filing.fact("acme:Rate", "21.5", YEAR, unit="pure", scale=-2) + "%"],
            ["Stores", "", filing.fact("acme:Stores", "48", YEAR, unit="pure", scale=None)],
        ]
    )
    facts = read(filing)
    assert [(fact.unit, fact.value) for fact in facts] == [
        (FactUnit.PER_SHARE, Decimal("1.25")),
        (FactUnit.SHARES, Decimal("1000500")),
        (FactUnit.PERCENT, Decimal("21.5")),
        (FactUnit.NUMBER, Decimal(48)),
    ]
    assert [fact.printed for fact in facts] == ["$1.25", "1,000.5", "21.5%", "48"]
    assert [fact.exponent for fact in facts] == [0, 3, None, None]


def test_nothing_is_a_zero_where_the_format_says_so_and_nil_is_no_figure() -> None:
    filing = annual()
    filing.table(
        [
            ["", "2024", "2023"],
            [
                "Goodwill",
                filing.fact("us-gaap:Goodwill", "—", END, form="ixt:fixed-zero"),
                filing.fact("us-gaap:Goodwill", "—", PRIOR_END, form="ixt:zerodash"),
            ],
            ["Debt", filing.fact("acme:Debt", "—", END, more='xsi:nil="true"'), "3"],
            ["Other", filing.fact("acme:Other", "", END, more='xsi:nil="true"'), "3"],
        ]
    )
    facts = read(filing)
    assert [(fact.value, fact.printed) for fact in facts] == [(Decimal(0), "—")] * 2


def test_nested_facts_are_both_read() -> None:
    filing = annual()
    inner = filing.fact("us-gaap:Revenues", "42", YEAR)
    filing.table([["Sales", filing.fact("acme:Sales", inner, YEAR), "40"]])
    assert sorted((fact.tag, fact.value, fact.printed) for fact in read(filing)) == [
        ("acme:Sales", Decimal(42_000_000), "42"),
        ("us-gaap:Revenues", Decimal(42_000_000), "42"),
    ]


def test_a_fact_in_running_text_and_one_in_a_label_are_read_where_they_stand() -> None:
    filing = annual()
    filing.text(f"Debt was ${filing.fact('acme:Debt', '1.2', END, scale=9)} billion, and 1.2 billion before.")
    value = filing.fact("us-gaap:CommonStockParOrStatedValuePerShare", "0.01", END, unit="usdPerShare", scale=0)
    filing.table([[f"Common stock, ${value} par value", filing.fact("us-gaap:CommonStockValue", "3", END), "3"]])
    text, par, stock = read(filing)
    assert (text.printed, text.value, text.label, text.column) == ("$1.2", Decimal(1_200_000_000), "Debt", "")
    assert (par.printed, par.label) == ("$0.01", "Common stock, $0.01 par value")
    assert (stock.printed, stock.label) == ("3", "Common stock, $0.01 par value")


def test_facts_of_a_paragraph_longer_than_a_page_are_read_on_their_page() -> None:
    filing = annual()
    words = "The group owes much to many. " * 60
    filing.text("".join(words + filing.fact("acme:Debt", str(at), END) + " " for at in range(1, 6)))
    facts = read(filing)
    assert [fact.printed for fact in facts] == ["1", "2", "3", "4", "5"]
    assert len({fact.page for fact in facts}) > 1


@pytest.mark.parametrize(
    ("end", "known", "expected"),
    [
        ("2024-12-31", None, 2024),
        ("2024-12-31", 2023, 2024),
        ("2025-02-01", 2024, 2024),
        ("2025-02-01", 2025, 2025),
        ("2025-02-01", None, 2025),
        ("2025-01-03", None, 2024),
        ("2025-02-01", 2019, 2025),
    ],
)
def test_without_a_cover_the_year_that_is_known_counts_where_it_can(end: str, known: int | None, expected: int) -> None:
    filing = InlineFiling()
    start = f"{int(end[:4]) - 1}{end[4:]}"
    filing.table([["Sales", filing.fact("us-gaap:Revenues", "7", f"{start}/{end}"), "6"]])
    assert [fact.fiscal_year for fact in read(filing, year=known)] == [expected]


def test_quarters_of_unequal_weeks_are_told_by_how_far_the_year_is() -> None:
    filing = InlineFiling()
    filing.cover(2024, "FY", "2024-02-04/2025-02-01")
    # Quarters of 16, 12, 12 and 12 weeks.
    ends = ["2024-05-25", "2024-08-17", "2024-11-09"]
    filing.table([["Total assets", *(filing.fact("us-gaap:Assets", str(at), end) for at, end in enumerate(ends, 1))]])
    assert [fact.fiscal_quarter for fact in read(filing)] == [1, 2, 3]


def test_a_fraction_is_divided() -> None:
    filing = annual()
    context = filing.context(YEAR)
    filing.text(
        f'A tax of <ix:fraction name="acme:Tax" contextRef="{context}" unitRef="pure"><ix:numerator>1</ix:numerator>'
        "/<ix:denominator>4</ix:denominator></ix:fraction> is due."
    )
    (fact,) = read(filing)
    assert (fact.value, fact.printed) == (Decimal("0.25"), "1/4")


def test_hidden_facts_and_those_that_refer_to_nothing_are_left_out() -> None:
    filing = annual()
    filing.hidden.append(filing.fact("us-gaap:Assets", "5", END))
    good = filing.fact("us-gaap:Revenues", "7", YEAR)
    filing.table(
        [
            ["Sales", good],
            ["No context", good.replace('contextRef="', 'contextRef="none')],
            ["No unit", good.replace('unitRef="', 'unitRef="none')],
            ["No number", filing.fact("acme:Odd", "NaN", YEAR)],
            ["Great scale", filing.fact("acme:Odd", "7", YEAR, scale=999)],
            ["Odd format", filing.fact("acme:Odd", "7", YEAR, form="ixt:date-day-month")],
        ]
    )
    assert [fact.label for fact in read(filing)] == ["Sales"]


@pytest.mark.parametrize("filename", ["filing.htm", "filing.xhtml"])
def test_a_file_without_inline_facts_has_none(filename: str) -> None:
    content = b"<html><body><h1>Report</h1><table><tr><td>Sales</td><td>5</td></tr></table></body></html>"
    assert read_inline(content, extract(content, filename=filename), fiscal_year=None).facts == ()
