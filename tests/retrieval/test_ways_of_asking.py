"""Ways of asking for a figure that say no more than the plain way."""

from __future__ import annotations

from datetime import date

import pytest

from apps.filings.vocabulary.concepts import find_in_text
from apps.retrieval.contracts import AnswerKind
from apps.retrieval.stages.figures.calculating.asked_form import Form
from apps.retrieval.stages.figures.calculating.days import asked_day, is_near
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.question.answer_kind import read_answer_kind
from tests.retrieval.builders import analysed, entry


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Total assets at March 31, 2021?", date(2021, 3, 31)),
        ("Deposits at the end of June 2023", date(2023, 6, 30)),
        ("Cash at end-February 2024?", date(2024, 2, 29)),
        ("Bilanzsumme Ende September 2022", date(2022, 9, 30)),
        ("Total assets, mid-2023?", date(2023, 6, 30)),
        ("Total assets at March 31, 2021 and at June 30, 2021?", None),
        ("Total assets at the end of 2022?", None),
        ("Net sales at February 30, 2021?", None),
    ],
)
def test_the_day_that_is_asked_for(text: str, day: date | None) -> None:
    assert asked_day(text) == day


def test_a_fiscal_year_of_weeks_ends_near_the_day() -> None:
    assert is_near(date(2023, 6, 25), date(2023, 6, 30))
    assert not is_near(date(2023, 3, 31), date(2023, 6, 30))


@pytest.mark.parametrize(
    ("question", "above", "below"),
    [
        ("How many times over did its EBIT cover its interest in 2024?", "EBIT", "interest"),
        ("How often could EBIT pay for the interest in 2024?", "EBIT", "interest"),
        ("How many times was the interest covered by EBIT in 2024?", "EBIT", "interest"),
        ("Wie oft waren die Zinsen 2024 durch das EBIT gedeckt?", "EBIT", "Zinsen"),
    ],
)
def test_how_often_one_figure_covers_another_is_their_ratio(question: str, above: str, below: str) -> None:
    language = "de" if question.startswith("Wie") else "en"
    first = read_forms(analysed(question, entry("Cobbleton", 2024), language=language))[0]
    assert first.form is Form.RATIO
    assert above in first.parts[0]
    assert below in first.parts[1]


def test_how_often_something_happened_is_no_ratio() -> None:
    assert read_forms(analysed("How many times did the board meet in 2024?", entry("Cobbleton", 2024)))[0].form is (
        Form.VALUE
    )


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Cobbleton 2Q24: net interest income north of $20bn?", AnswerKind.YES_NO),
        ("Revenue 2024 above 5 billion?", AnswerKind.YES_NO),
        ("Umsatz 2024 \u00fcber 5 Mrd. Euro?", AnswerKind.YES_NO),
        ("Which revenue 2024 was above 5 billion?", AnswerKind.NUMBER),
        ("Revenue 2024 in millions?", AnswerKind.NUMBER),
    ],
)
def test_a_figure_against_an_amount_asks_whether_it_is_so(question: str, kind: AnswerKind) -> None:
    found = read_answer_kind(question, wants_number=True, language="de" if "Umsatz" in question else "en")
    assert (found is AnswerKind.YES_NO) is (kind is AnswerKind.YES_NO)


@pytest.mark.parametrize(
    "question",
    [
        "My PM wants to know by what percentage Cobbleton's revenue rose in 2024.",
        "Our CFO asked for Cobbleton's revenue in 2024.",
        "The Zurich CIO would like to know how much revenue Cobbleton had in 2024.",
    ],
)
def test_who_wants_to_know_is_no_name_asked_about(question: str) -> None:
    names = analysed(question, entry("Cobbleton", 2024)).names
    assert not {"PM", "CFO", "CIO"} & set(names)


def test_an_abbreviation_that_is_asked_about_is_a_name() -> None:
    assert "PM" in analysed("Which rules apply to PM at Cobbleton?", entry("Cobbleton", 2024)).names


def test_a_name_without_its_joined_legal_form_is_the_company() -> None:
    assert analysed("Cobble's revenue in 2024?", entry("CobbleCo", 2024)).companies_named == ("CobbleCo",)
    assert analysed("Cobble's revenue in 2024?", entry("CobbleGate", 2024)).companies_named == ()


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("die Ums\u00e4tze des Konzerns", "revenue"),
        ("der Umsatz des Konzerns", "revenue"),
        ("what had to be written off: goodwill written off", "goodwill impairment"),
    ],
)
def test_a_figure_is_known_in_its_other_forms(text: str, concept: str) -> None:
    assert concept in {each.concept.name for each in find_in_text(text)}
