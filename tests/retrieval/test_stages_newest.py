"""A question that names no period: the newest report of each series is preferred, and nothing is left out."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import Certainty, CorpusInventory, FilterField, MetadataFilter
from apps.retrieval.stages.question.analyse import analyse
from apps.retrieval.stages.question.relax import document_filter
from apps.retrieval.stages.ranking.fuse import boost
from tests.retrieval.builders import analysed, candidate, document, entry

HELD = (
    entry("Northwind", 2018),
    entry("Northwind", 2022),
    entry("Northwind", 2022, 2, document_type="10-Q"),
    entry("Northwind", 2023, 1, document_type="10-Q"),
    entry("Northwind", 2022, document_type="8-K"),
    entry("Northwind", 2023, document_type="8-K"),
    entry("Contoso", 2020),
    entry("Contoso", 2021),
)


def preferred(text: str, *, language: str = "en") -> list[MetadataFilter]:
    analysis = analysed(text, *HELD, language=language)
    return [each for each in analysis.filters if each.field is FilterField.NEWEST_REPORT]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Is Northwind's business cyclical?", "en"),
        ("What is the current redemption notice of Northwind?", "en"),
        ("Who audits Northwind?", "en"),
        ("What does Northwind spend on research and development?", "en"),
        ("Was gibt Northwind für Forschung und Entwicklung aus?", "de"),
        ("Wie hoch ist die aktuelle Dividende von Northwind?", "de"),
    ],
)
def test_without_a_period_the_newest_of_each_series_of_the_company_is_preferred(text: str, language: str) -> None:
    (found,) = preferred(text, language=language)
    assert found.values == ("Northwind 10-K FY2022", "Northwind 10-Q Q1 2023")
    assert (found.certainty, found.periods) == (Certainty.LIKELY, ())


def test_what_is_preferred_is_said() -> None:
    analysis = analysed("Is Northwind's business cyclical?", *HELD)
    (notice,) = analysis.notices
    assert notice.startswith(
        "No period named: the newest report of Northwind, FY2022 (10-K); Northwind, Q1 2023 (10-Q)"
    )


def test_it_narrows_nothing_and_asks_for_no_period() -> None:
    analysis = analysed("Is Northwind's business cyclical?", *HELD)
    assert document_filter(analysis.filters).periods == ()
    assert (analysis.periods, analysis.years) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "Is Northwind's business cyclical as of FY2018?",
        "What did Northwind earn in 2018?",
        "How did Northwind's sales change year over year?",
        "What did Northwind earn in its latest fiscal year?",
        "How did Northwind's sales develop since 2019?",
        "How has Northwind's staff grown since the merger?",
        "What is the trend of Northwind's margins?",
        "How did Northwind's margin change over the last three years?",
        "How did Northwind's claims develop over the years?",
        "What was Northwind's margin historically?",
        "What did Northwind pay each year?",
        "Who was Northwind's former auditor?",
    ],
)
def test_a_question_that_says_when_or_asks_about_time_is_left_alone(text: str) -> None:
    assert preferred(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Wie entwickelte sich der Umsatz von Northwind seit der Fusion?",
        "Welchen Trend zeigt die Marge von Northwind?",
        "Was zahlte Northwind in den letzten drei Jahren?",
        "Wie war die Entwicklung der Marge von Northwind?",
        "Was war der Umsatz von Northwind im Geschäftsjahr 2018?",
    ],
)
def test_a_german_question_about_time_is_left_alone(text: str) -> None:
    assert preferred(text, language="de") == []


def test_where_nobody_is_named_the_newest_of_each_series_held_is_preferred() -> None:
    (found,) = preferred("Is the business cyclical?")
    assert found.values == ("Contoso 10-K FY2021", "Northwind 10-K FY2022", "Northwind 10-Q Q1 2023")
    assert analysed("Is the business cyclical?", *HELD).notices == ()


def test_one_report_alone_is_no_series() -> None:
    assert analysed("Is the business cyclical?", entry("Northwind", 2022), entry("Contoso", 2021)).filters == ()


def test_the_older_report_comes_later_and_what_is_of_no_series_keeps_its_place() -> None:
    analysis = analysed("Is Northwind's business cyclical?", *HELD)
    facts = (
        document(1, fiscal_year=2018),
        document(2, fiscal_year=2018, document_type="8-K"),
        document(3, fiscal_year=2022),
        document(4, fiscal_year=None, company="", document_type="policy"),
    )
    candidates = [candidate("x", number, facts=each) for number, each in enumerate(facts, start=1)]
    lifted = boost(candidates, filters=analysis.filters, weight=0.1)
    assert [each.hit.chunk_id.int for each in lifted] == [2, 3, 4, 1]
    assert [each.boost for each in lifted] == [0.1, 0.1, 0.1, 0.0]
    assert lifted[0].boost_reasons == ("no newer report of its series is held",)


def test_an_older_report_that_fits_much_better_still_comes_first() -> None:
    analysis = analysed("Is Northwind's business cyclical?", *HELD)
    old = candidate("x", 1, facts=document(1, fiscal_year=2018), rrf_score=2 / 61)
    new = candidate("x", 2, facts=document(2, fiscal_year=2022), rrf_score=1 / 61)
    assert [each.hit.chunk_id.int for each in boost([new, old], filters=analysis.filters, weight=0.1)] == [1, 2]


def test_order_of_the_inventory_changes_nothing() -> None:
    text = "Is the business cyclical?"
    assert analysed(text, *HELD) == analysed(text, *reversed(HELD))


def test_it_can_be_switched_off() -> None:
    analysis = analyse(
        "Is Northwind's business cyclical?",
        language="en",
        inventory=CorpusInventory(entries=HELD),
        minimum_chars=3,
        expansion_weight=0.6,
        statement_weight=1.0,
        newest_first=False,
    )
    assert [each.field for each in analysis.filters] == [FilterField.COMPANY]
    assert analysis.notices == ()
