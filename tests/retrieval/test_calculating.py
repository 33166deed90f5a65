"""Questions of figures that are answered by a calculation over rows: by their form, whatever the rows are called."""

from __future__ import annotations

from random import Random

import pytest

from apps.retrieval.contracts import ContextBlock, GroundingStatus, QueryAnalysis
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.figures.calculating.asked_form import Form
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.figures.calculating.work import asks_for_a_calculation, calculate, find_value
from apps.retrieval.steps.quoting import check_quoted
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

KENNELS = """\
Operating data
(EUR million)
Dog kennels | 2024: 41.5 | 2023: 38.0 | 2022: 35.2 | 2021: 30.1
Cat houses | 2024: 12.6 | 2023: 14.0 | 2022: 13.1 | 2021: 12.9
Aviaries | 2024: 6.9 | 2023: 5.0 | 2022: 5.5 | 2021: 6.0
Total turnover by type of housing | 2024: 61.0 | 2023: 57.0 | 2022: 53.8 | 2021: 49.0"""
INCOME = """\
Consolidated income statement
(EUR million)
Net sales | 2024: 61.0 | 2023: 57.0 | 2022: 53.8
Operating income | 2024: 9.2 | 2023: 7.4 | 2022: 8.1
Marketing costs | 2024: (4.8) | 2023: (4.0) | 2022: (5.0)
Maximum length of stay | 2024: 44 | 2023: 28 | 2022: 31
Occupancy | 2024: 81.5 % | 2023: 79.0 % | 2022: 84.0 %"""
OTHER = """\
Consolidated income statement
(EUR million)
Net sales | 2024: 70.2 | 2023: 71.0"""


def read(question: str, *, others: bool = False) -> tuple[QueryAnalysis, ContextBlock]:
    own = document(1, title="Pawfield annual report 2024", company="Pawfield", fiscal_year=2024)
    passages = [candidate(KENNELS, 1, facts=own), candidate(INCOME, 2, facts=own, page=2)]
    entries = [entry("Pawfield", 2024)]
    if others:
        facts = document(2, title="Hoofdale annual report 2024", company="Hoofdale", fiscal_year=2024)
        passages.append(candidate(OTHER, 3, facts=facts))
        entries.append(entry("Hoofdale", 2024))
    analysis = analysed(question, *entries)
    return analysis, context_of(analysis, passages)


def answered(question: str, *, others: bool = False) -> str:
    """Return the answer by quotation to a question, after its check."""
    analysis, context = read(question, others=others)
    draft = ExtractiveGenerator().generate(analysis, context)
    report = check_quoted(draft, context, analysis)
    assert report.status is GroundingStatus.GROUNDED, (
        draft.text,
        [each for each in report.findings if not each.supported],
    )
    assert draft.worked_out
    return draft.text


@pytest.mark.parametrize(
    ("question", "calculation"),
    [
        ("Pawfield: \u0394 dog kennels, 12/31/2022 to 12/31/2024", "41.5 - 35.2 = 6.3"),
        ("total marketing costs pawfield FY22+FY23+FY24", "5.0 + 4.0 + 4.8 = 13.8"),
        ("Pawfield marketing outlay trend 2022 to 2024?", "4.8 - 5.0 = -0.2"),
        ("How far apart were dog kennels and cat houses at Pawfield in 2023?", "38.0 - 14.0 = 24.0"),
        ("By how much was Pawfield's net sales larger than operating income in 2023?", "57.0 - 7.4 = 49.6"),
        ("Dog kennels versus cat houses at Pawfield, 2023: what is the gap?", "38.0 - 14.0 = 24.0"),
        ("Operating income to net sales at Pawfield, 2023 (%)", "7.4 / 57.0 = 13.0 %"),
        ("Geometric mean yearly growth of dog kennels at Pawfield, 2021 to 2024", "(41.5 / 30.1) ^ (1/3) - 1"),
        (
            "Average net sales for Pawfield in 2023 (opening plus closing figure, divided by two)",
            "(53.8 + 57.0) / 2 = 55.40",
        ),
        ("By how much did Pawfield's aviaries grow in 2024?", "6.9 - 5.0 = 1.9"),
        ("Pawfield cat houses, change from 2021 to 2023 in per cent", "(14.0 - 12.9) / 12.9 = 8.5 %"),
        (
            "How did the occupancy of Pawfield develop between 2022 and 2024?",
            "81.5 % - 84.0 % = -2.5 percentage points",
        ),
        ("Marketing costs at Pawfield: how far did they rise in 2024?", "4.8 - 4.0 = 0.8"),
        ("What is the CAGR of Pawfield's dog kennels from 2021 to 2024?", "(41.5 / 30.1) ^ (1/3) - 1 = 11.3 %"),
        ("Average of Pawfield's net sales over the three years 2022 to 2024?", "(53.8 + 57.0 + 61.0) / 3 = 57.27"),
        ("What did Pawfield spend on marketing costs in 2023 and 2024 together?", "4.0 + 4.8 = 8.8"),
        ("365 x dog kennels divided by net sales of Pawfield in 2024", "365 * 41.5 / 61.0 = 248.32"),
        ("What share of Pawfield's net sales came from aviaries in 2024?", "6.9 / 61.0 = 11.3 %"),
        ("Dog kennels as a percentage of net sales, Pawfield 2023", "38.0 / 57.0 = 66.7 %"),
        ("How much higher were the dog kennels than the cat houses of Pawfield in 2022?", "35.2 - 13.1 = 22.1"),
        ("What is the difference between dog kennels and aviaries at Pawfield in 2024?", "41.5 - 6.9 = 34.6"),
        ("By how much did Pawfield's maximum length of stay change from 2022 to 2024?", "44 - 31 = 13"),
        ("By how much did Pawfield's operating margin change in 2024?", "15.1 % - 13.0 % = 2.1 percentage points"),
    ],
)
def test_a_calculation_is_shown_with_its_operands(question: str, calculation: str) -> None:
    assert calculation in answered(question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Did Pawfield's cat houses grow in 2024?",
            "No: \u201cCat houses\u201d fell from 14.0 in FY2023 to 12.6 in FY2024.",
        ),
        (
            "Has the operating margin of Pawfield improved in 2024?",
            "Yes: operating margin rose from 13.0 % in FY2023",
        ),
        (
            "In which year was Pawfield's operating income lowest?",
            "\u201cOperating income\u201d was lowest in FY2023: 7.4",
        ),
        (
            "Which type of housing brought Pawfield the most turnover in 2024?",
            "\u201cDog kennels\u201d has the highest figure",
        ),
        (
            "Which type of housing grew fastest at Pawfield in 2024?",
            "\u201cAviaries\u201d, FY2023 to FY2024: (6.9 - 5.0) / 5.0 = 38.0 %",
        ),
    ],
)
def test_a_verdict_is_said_with_its_figures(question: str, said: str) -> None:
    assert said in answered(question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Pawfield: aviaries divided by cat houses in 2024", "6.9 / 12.6 = 0.55"),
        (
            "What is the excess of dog kennels over cat houses, divided by aviaries, at Pawfield in 2023?",
            "(38.0 - 14.0) / 5.0 = 4.80",
        ),
        ("Net sales of Pawfield in 2023, in thousands of euros?", "57.0 million = 57,000 thousand"),
        (
            "What were Pawfield's net sales in 2024, in billions, rounded to two decimals?",
            "61.0 million = 0.06 billion",
        ),
    ],
)
def test_a_ratio_of_the_question_s_own_and_another_scale(question: str, said: str) -> None:
    assert said in answered(question)


GERMAN = """\
Betriebszahlen
(in Mio. EUR)
Hundezwinger | 2024: 1.041,5 | 2023: 938,0
Katzenhäuser | 2024: 12,6 | 2023: 14,0"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Um wie viel sind die Hundezwinger von Pfotenfeld 2024 gestiegen?", "1.041,5 - 938,0 = 103,5"),
        ("Sind bei Pfotenfeld die Katzenhäuser 2024 gestiegen?", "Nein: “Katzenhäuser” sank von 14,0 im Jahr 2023"),
        ("Lagen die Hundezwinger von Pfotenfeld 2024 über 1,04 Mrd. EUR?", "Ja: “Hundezwinger”: 1.041,5 im Jahr"),
        ("Überstiegen bei Pfotenfeld die Katzenhäuser 2024 die Marke von 13 Mio. Euro?", "Nein: “Katzenhäuser”"),
        ("Stiegen die Hundezwinger von Pfotenfeld 2024 um mehr als 10,5 %?", "Ja: “Hundezwinger” stieg von 938,0"),
        ("Welchen Anteil an den Hundezwingern haben bei Pfotenfeld 2023 die Katzenhäuser?", "14,0 / 938,0 = 1,5 %"),
    ],
)
def test_a_german_question_is_answered_in_german_numbers(question: str, said: str) -> None:
    facts = document(1, title="Pfotenfeld Geschäftsbericht 2024", company="Pfotenfeld", fiscal_year=2024)
    analysis = analysed(question, entry("Pfotenfeld", 2024), language="de")
    context = context_of(analysis, [candidate(GERMAN, 1, facts=facts, language="de")])
    draft = ExtractiveGenerator().generate(analysis, context)
    assert said in draft.text
    assert check_quoted(draft, context, analysis).status is GroundingStatus.GROUNDED


def test_companies_are_compared_side_by_side() -> None:
    text = answered("Who had higher net sales in 2024, Pawfield or Hoofdale?", others=True)
    assert text.index("Hoofdale, \u201cNet sales\u201d, FY2024: 70.2") < text.index(
        "Pawfield, \u201cNet sales\u201d, FY2024: 61.0"
    )


def test_nothing_is_calculated_where_the_company_is_left_open() -> None:
    assert calculate(*read("By how much did net sales change in 2024?", others=True)) is None
    assert calculate(*read("By how much did net sales change in 2024?")) is not None


@pytest.mark.parametrize(
    "question",
    [
        "By how much did Pawfield's aviaries grow in 2019?",
        "What is the CAGR of Pawfield's fish tanks from 2021 to 2024?",
        "What share of Pawfield's net sales came from fish tanks in 2024?",
        "Why did Pawfield's net sales grow in 2024?",
        "By how much did Pawfield's sales of kennels in Norway grow in 2024?",
        "By how much did Pawfield's organic net sales grow in 2024?",
        "Which type of housing was not the largest by turnover at Pawfield in 2024?",
        "What are Pawfield's three largest types of housing by turnover in 2024?",
        "Pawfield: change of operating income per employee in 2024",
    ],
)
def test_nothing_is_calculated_from_figures_that_are_not_held(question: str) -> None:
    assert calculate(*read(question)) is None


@pytest.mark.parametrize(
    "question",
    [
        "Why did Pawfield grow faster than Hoofdale in 2024?",
        "Pawfield and Hoofdale " + "% of " * 700,
        "Pawfield " + "divided by less " * 200,
        "between " * 300 + "which Pawfield",
        "How did Pawfield's Total change from 2023 to 2024 in thousands with 4 decimals?",
    ],
)
def test_odd_questions_are_answered_without_a_calculation_or_an_error(question: str) -> None:
    analysis, context = read(question, others=True)
    assert ExtractiveGenerator().generate(analysis, context).generator == "extractive"
    assert calculate(analysis, context) is None or len(question) < 100


def of_tables(question: str, *tables: str, language: str = "en", years: tuple[int, ...] = ()) -> str:
    """Return the checked answer from tables of one company; nothing if none is calculated or it does not hold.

    Args: years: of the report of each table, in their order; 2024 for those without one.
    """
    of = [*years, *[2024] * (len(tables) - len(years))]
    facts = {year: document(year, title=f"Pawfield {year}", company="Pawfield", fiscal_year=year) for year in of}
    analysis = analysed(question, *(entry("Pawfield", year) for year in facts), language=language)
    passages = [
        candidate(table, number, facts=facts[year], page=number, language=language)
        for number, (table, year) in enumerate(zip(tables, of, strict=True), start=1)
    ]
    context = context_of(analysis, passages)
    draft = ExtractiveGenerator().generate(analysis, context)
    holds = check_quoted(draft, context, analysis).status is GroundingStatus.GROUNDED
    return draft.text if holds and draft.worked_out and not draft.closest else ""


@pytest.mark.parametrize("unit", ["EUR thousand", "USD million"])
def test_figures_of_two_units_are_not_set_against_each_other(unit: str) -> None:
    earlier = f"Income\n({unit})\nNet sales | 2023: 57,000 | 2022: 53,000"
    later = "Income\n(EUR million)\nNet sales | 2024: 61.0 | 2023: 57.0"
    for question in ("Sum of Pawfield's net sales 2022 to 2024?", "Change of Pawfield's net sales from 2022 to 2024?"):
        assert not of_tables(question, earlier, later, years=(2023, 2024))
    assert "61.0 - 57.0 = 4.0" in of_tables("By how much did Pawfield's net sales grow in 2024?", later)


@pytest.mark.parametrize(
    "table",
    [
        "Sales\n(EUR million)\n| Q1 2024 | Q2 2024 | Q1 2023 | Q2 2023\nNet sales | 15.0 | 16.0 | 13.0 | 14.0",
        "Sales\n(EUR million)\n| H1 2024 | H1 2023\nNet sales | 31.0 | 27.0",
        "Six months ended 30 June\n(EUR million)\nNet sales | 2024: 31.0 | 2023: 27.0",
        "Sales\n(EUR million)\n| 2023 | 2024E | 2025E\nNet sales | 57.0 | 61.0 | 65.0",
        "Sales\n(EUR million)\n| 2023 | Budget 2024\nNet sales | 57.0 | 61.0",
    ],
)
def test_a_part_of_a_year_or_a_forecast_is_no_actual_year(table: str) -> None:
    assert not of_tables("By how much did Pawfield's net sales grow in 2024?", table)


def test_of_several_columns_those_of_whole_years_are_taken() -> None:
    table = "Sales\n(EUR million)\n| 9M 2024 | 9M 2023 | FY 2024 | FY 2023\nNet sales | 41.0 | 37.0 | 61.0 | 57.0"
    assert "61.0 - 57.0 = 4.0" in of_tables("By how much did Pawfield's net sales grow in 2024?", table)
    assert not of_tables("How did Pawfield's net sales develop from H1 2023 to H1 2024?", table)


ADJUSTED = """\
Income statement
(EUR million)
Net sales | 2024: 61.0 | 2023: 57.0
Adjusted operating income | 2024: 10.2 | 2023: 8.4"""


@pytest.mark.parametrize(
    "question",
    [
        "By how much did Pawfield's operating income grow in 2024?",
        "By how much did Pawfield's operating margin change in 2024?",
        "By how much did Pawfield's comparable net sales grow in 2024?",
        "By how much did Pawfield's net sales grow in 2024, like for like?",
    ],
)
def test_a_qualified_figure_is_another_figure(question: str) -> None:
    assert not of_tables(question, ADJUSTED)
    assert "10.2 - 8.4" in of_tables("By how much did Pawfield's adjusted operating income grow in 2024?", ADJUSTED)


@pytest.mark.parametrize(
    "question",
    [
        "Um wie viel ist das bereinigte Betriebsergebnis von Pawfield 2024 gestiegen?",
        "Um wie viel ist das Betriebsergebnis von Pawfield 2024 organisch gestiegen?",
        "Um wie viel ist das Betriebsergebnis von Pawfield 2024 w\u00e4hrungsbereinigt gestiegen?",
    ],
)
def test_a_german_qualifier_is_heeded_wherever_it_stands(question: str) -> None:
    table = "Betriebszahlen\n(in Mio. EUR)\nBetriebsergebnis | 2024: 92,5 | 2023: 74,0"
    assert not of_tables(question, table, language="de")


def test_a_loss_has_its_sign_and_a_cost_its_size() -> None:
    table = "Income\n(EUR million)\n{} | 2024: (5.0) | 2023: (4.0) | 2022: (6.0)"
    losses, costs = table.format("Net income"), table.format("Marketing costs")
    assert "highest in FY2023: (4.0)" in of_tables("In which year was Pawfield's net income highest?", losses)
    assert "highest in FY2022: (6.0)" in of_tables("In which year were Pawfield's marketing costs highest?", costs)


SUBTOTALS = """\
Revenue by segment
(EUR million)
Cranes | 2024: 30.0 | 2023: 28.0
Lifts | 2024: 20.0 | 2023: 19.0
of which escalators | 2024: 8.0 | 2023: 7.0
Machinery | 2024: 50.0 | 2023: 47.0
Services | 2024: 11.0 | 2023: 10.0
Total revenue | 2024: 61.0 | 2023: 57.0"""
RESULTS = """\
Operating profit by segment
(EUR million)
Cranes | 2024: {} | 2023: (2.0)
Lifts | 2024: (1.0) | 2023: (0.5)
Services | 2024: 4.0 | 2023: 3.0
Total operating profit | 2024: {} | 2023: 0.5"""


def test_neither_a_subtotal_nor_a_part_of_a_row_is_ranked() -> None:
    text = of_tables("Which segment grew fastest at Pawfield in 2024?", SUBTOTALS)
    assert text.startswith("\u201cServices\u201d, FY2023 to FY2024")
    assert "Machinery" not in text
    assert "escalators" not in text
    assert "Machinery" not in of_tables("Which segment had the highest revenue at Pawfield in 2024?", SUBTOTALS)


def test_losses_are_ranked_below_profits() -> None:
    question = "Which segment had the lowest operating profit at Pawfield in 2024?"
    assert "\u201cCranes\u201d has the lowest figure" in of_tables(question, RESULTS.format("(3.0)", "0.0"))
    # 3.0 is half of the sum of all by chance.
    assert "\u201cCranes\u201d: 3.0" in of_tables(question, RESULTS.format("3.0", "6.0"))


def test_what_is_subtracted_stays_in_the_order_of_the_question() -> None:
    assert "12.6 - 41.5 = -28.9" in answered("Cat houses minus dog kennels at Pawfield in 2024")


@pytest.mark.parametrize(
    "question",
    [
        "Did Pawfield's net sales grow by more than 10% in 2024?",
        "Did Pawfield's net sales not grow in 2024?",
        "Were Pawfield's net sales in 2023 higher than in 2024?",
        "Would Pawfield's net sales have grown in 2024?",
        "Did Pawfield's net sales grow more in 2024 than in 2023?",
    ],
)
def test_a_direction_alone_is_no_yes(question: str) -> None:
    assert "Yes" not in of_tables(question, INCOME)


@pytest.mark.parametrize(
    "question",
    [
        "What was the average of net sales of Pawfield and Hoofdale in 2024?",
        "What did Pawfield and Hoofdale together have in net sales in 2024?",
        "How much higher were Pawfield's net sales in 2024 than Hoofdale's in 2023?",
    ],
)
def test_a_comparison_of_companies_answers_nothing_else(question: str) -> None:
    assert calculate(*read(question, others=True)) is None


def test_years_that_span_two_count_as_a_range() -> None:
    table = "Income\n(EUR million)\n| 2023/24 | 2022/23 | 2021/22\nNet sales | 61.0 | 57.0 | 53.0"
    text = of_tables("Average net sales of Pawfield from 2021/22 to 2023/24?", table)
    assert "(53.0 + 57.0 + 61.0) / 3" in text


def test_no_figure_is_given_in_another_currency() -> None:
    assert not of_tables("By how much did Pawfield's net sales grow in 2024 in USD?", INCOME)
    assert of_tables("By how much did Pawfield's net sales grow in 2024 in EUR?", INCOME)


@pytest.mark.parametrize("asked", ["liability", "current liability"])
def test_rows_under_another_heading_of_a_table_are_not_ranked(asked: str) -> None:
    table = """\
Balance sheet
(EUR million)
Non-current liabilities:
Borrowings | 2024: 30.0 | 2023: 20.0
Provisions | 2024: 3.0 | 2023: 2.0
Current liabilities:
Borrowings | 2024: 5.0 | 2023: 6.0
Trade payables | 2024: 9.0 | 2023: 8.0"""
    text = of_tables(f"Which {asked} of Pawfield was largest in 2024?", table)
    assert ("Trade payables\u201d has the highest" in text) is (asked != "liability")


PARTS = [
    *(
        "what was",
        "by how much did",
        "which",
        "why did",
        "is that so",
        "how much more",
        "did",
        "between",
        "um wie viel",
    ),
    *("the average of", "the sum of", "highest", "lowest", "not the largest", "three largest", "share of", "Anteil an"),
    *("as a percentage of", "divided by", "excess of", "over", "less", "minus", "and", "CAGR", "grow", "fall", "stieg"),
    *("change", "improve", "double", "in 2024", "in 2023", "than 2000", "2021 to 2024", "since 2022", "than in 2023"),
    *(
        "in thousands",
        "rounded to two decimals",
        "in USD",
        "in EUR",
        "%",
        "segment",
        "type of housing",
        "year",
        "?",
        ":",
    ),
    *("net sales", "operating margin", "effective tax rate", "marketing costs", "aviaries", "dog kennels", "occupancy"),
    *("Pawfield", "Hoofdale", "(", ")", "/", "-", ",", ".", "?", ":"),
]


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_question_made_of_its_words_ends_in_an_error(language: str) -> None:
    own = document(1, title="Pawfield annual report 2024", company="Pawfield", fiscal_year=2024)
    other = document(2, title="Hoofdale annual report 2024", company="Hoofdale", fiscal_year=2024)
    passages = [
        candidate(KENNELS, 1, facts=own),
        candidate(INCOME, 2, facts=own, page=2),
        candidate(OTHER, 3, facts=other),
    ]
    entries = [entry("Pawfield", 2024), entry("Hoofdale", 2024)]
    random = Random(20241128)
    for _ in range(300):
        question = " ".join(random.choices(PARTS, k=random.randint(2, 18)))
        analysis = analysed(question, *entries, language=language)
        context = context_of(analysis, passages)
        for found in (calculate(analysis, context), find_value(analysis, context)):
            assert found is None or found.rows, question


def test_a_restated_year_is_not_set_against_an_original_one() -> None:
    analysis = analysed(
        "By how much did Pawfield's net sales grow in 2023?", entry("Pawfield", 2024), entry("Pawfield", 2023)
    )
    reports = [
        candidate(
            f"Income statement\n(EUR million)\nNet sales | {figures}",
            year,
            facts=document(year, title=f"Pawfield annual report {year}", company="Pawfield", fiscal_year=year),
        )
        for year, figures in ((2024, "2024: 61.0 | 2023: 57.0"), (2023, "2023: 58.5 | 2022: 53.0"))
    ]
    assert calculate(analysis, context_of(analysis, reports)) is None


def test_a_loss_has_no_share() -> None:
    own = document(1, title="Pawfield annual report 2024", company="Pawfield", fiscal_year=2024)
    table = "Profit by type\n(EUR million)\nKennels | 2024: (1.0) | 2023: 2.0\nTotal | 2024: 6.0 | 2023: 7.0"
    analysis = analysed("What share of Pawfield's total profit came from kennels in 2024?", entry("Pawfield", 2024))
    assert calculate(analysis, context_of(analysis, [candidate(table, 1, facts=own)])) is None


@pytest.mark.parametrize(
    ("question", "calculation"),
    [
        ("What did dog kennels and aviaries bring in together at Pawfield in 2024?", "41.5 + 6.9 = 48.4"),
        ("Pawfield: dog kennels, cat houses and aviaries combined, 2023", "38.0 + 14.0 + 5.0 = 57.0"),
    ],
)
def test_rows_that_are_named_one_by_one_are_added(question: str, calculation: str) -> None:
    assert calculation in answered(question)


def test_of_rows_of_which_one_is_not_there_there_is_no_sum() -> None:
    question = "What did dog kennels, hamster wheels and aviaries bring in together at Pawfield in 2024?"
    assert calculate(*read(question)) is None


def test_the_average_of_one_year_may_be_the_name_of_a_row() -> None:
    analysis, _ = read("What was the average yield of Pawfield in 2024?")
    assert not asks_for_a_calculation(analysis)


def test_a_name_with_the_word_combined_asks_for_no_sum() -> None:
    analysis, _ = read("What was the combined ratio of Pawfield for dogs and cats in 2024?")
    assert Form.SUM not in [each.form for each in read_forms(analysis)]


@pytest.mark.parametrize(
    "question",
    [
        "Which type of cost rose in 2024 at Pawfield: marketing costs?",
    ],
)
def test_what_leaves_out_a_part_of_the_question_is_no_answer(question: str) -> None:
    analysis, context = read(question)
    assert calculate(analysis, context) is None
    assert find_value(analysis, context) is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Were Pawfield's net sales higher than Hoofdale's in 2024?", "No: Pawfield, \u201cNet sales\u201d was 61.0"),
        ("Did Hoofdale have higher net sales than Pawfield in 2024?", "Yes: Hoofdale, \u201cNet sales\u201d was 70.2"),
        (
            "By how much did Hoofdale's net sales exceed Pawfield's in 2024, in thousands?",
            "9.2 million = 9,200 thousand",
        ),
    ],
)
def test_companies_are_compared_with_a_verdict_and_in_the_unit_asked_for(question: str, said: str) -> None:
    assert said in answered(question, others=True)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "Did Pawfield's dog kennels exceed cat houses and aviaries combined in 2024?",
            "Yes: \u201cDog kennels\u201d was 41.5 and \u201cCat houses\u201d, \u201cAviaries\u201d 19.5 in FY2024.",
        ),
        (
            "Would Pawfield's operating income have covered its marketing costs in 2024?",
            "Yes: \u201cOperating income\u201d",
        ),
        ("Did aviaries make up more than half of Pawfield's cat houses in 2024?", "Yes: \u201cAviaries\u201d was 6.9"),
        (
            "Did aviaries make up at least two thirds of Pawfield's cat houses in 2024?",
            "No: \u201cAviaries\u201d was 6.9",
        ),
        ("Pawfield 2024 net result, i.e. operating income less marketing costs?", "9.2 - 4.8 = 4.4"),
        ("Pawfield cost ratio 2024 (marketing costs over net sales)?", "4.8 / 61.0 = 0.08"),
        ("What was the change in Pawfield's net sales from 2022 to 2024 in thousands of euros?", "7.2 million = 7,200"),
    ],
)
def test_sums_shares_and_formulas_in_the_question_s_own_words(question: str, said: str) -> None:
    assert said in answered(question)
