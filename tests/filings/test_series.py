"""Points of a series: a value is that of its own report; what agrees is a source, and what differs a restatement."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from apps.corpus.models import Document
from apps.filings.models import Fact
from apps.filings.selectors.series import Series, stitch

MILLION = 6


def report(year: int, *, created: int | None = None) -> Document:
    return Document(
        id=UUID(int=year),
        title=f"Report {year}",
        fiscal_year=year,
        created_at=datetime(created or year + 1, 3, 1, tzinfo=UTC),
    )


def fact(document: Document, year: int, value: str, **changes: Any) -> Fact:
    given: dict[str, Any] = {
        "concept": "revenue",
        "label": "Revenue",
        "value": Decimal(value),
        "exponent": MILLION,
        "decimals": 0,
        "unit": "money",
        "currency": "USD",
        "fiscal_year": year,
        "fiscal_quarter": 0,
        "months": 12,
        "statement": "income_statement",
        "confidence": Decimal(1),
        "check_result": "unchecked",
        "number": 1,
        "page": 3,
        "consolidated": True,
        "dimension": "",
    }
    return Fact(document=document, **(given | changes))


def only(facts: list[Fact]) -> Series:
    (series,) = stitch("Velden", facts)
    return series


def test_points_are_in_the_order_of_their_periods() -> None:
    series = only([fact(report(2024), 2024, "9000000"), fact(report(2024), 2023, "8000000")])
    assert [(point.fiscal_year, point.value) for point in series.points] == [
        (2023, Decimal(8000000)),
        (2024, Decimal(9000000)),
    ]


def test_a_later_report_with_the_same_value_is_a_further_source() -> None:
    own, later = fact(report(2023), 2023, "8000000"), fact(report(2024), 2023, "8000000")
    (point,) = only([later, own]).points
    assert point.facts == (own, later)
    assert point.restatements == ()


def test_another_value_stands_beside_that_of_its_own_report() -> None:
    own, later = fact(report(2023), 2023, "8000000"), fact(report(2024), 2023, "7900000")
    (point,) = only([later, own]).points
    assert (point.value, point.fact) == (Decimal(8000000), own)
    assert [(each.value, each.facts) for each in point.restatements] == [(Decimal(7900000), (later,))]


def test_a_rounded_value_agrees_with_the_exact_one() -> None:
    exact = fact(report(2023), 2023, "8012345", exponent=3)
    rounded = fact(report(2024), 2023, "8000000")
    (point,) = only([exact, rounded]).points
    assert (point.value, len(point.facts)) == (Decimal(8012345), 2)


def test_two_values_of_one_precision_do_not_agree() -> None:
    (point,) = only([fact(report(2023), 2023, "8000000"), fact(report(2024), 2023, "8000001")]).points
    assert len(point.restatements) == 1


@pytest.mark.parametrize(
    "worse",
    [
        {"statement": "", "number": 0},
        {"check_result": "failed", "number": 0},
        {"confidence": Decimal("0.5"), "number": 0},
        {"number": 2},
    ],
)
def test_of_one_document_the_best_read_fact_counts(worse: dict[str, Any]) -> None:
    best, other = fact(report(2024), 2024, "9000000"), fact(report(2024), 2024, "1000000", **worse)
    (point,) = only([other, best]).points
    assert (point.fact, point.restatements) == (best, ())


def test_what_differs_in_currency_is_another_series() -> None:
    two = stitch("Velden", [fact(report(2024), 2024, "9"), fact(report(2024), 2024, "8", currency="EUR")])
    assert {series.key.currency for series in two} == {"USD", "EUR"}


def test_a_fact_without_a_currency_joins_the_only_series_that_has_one() -> None:
    stated, unstated = fact(report(2024), 2024, "9"), fact(report(2023), 2023, "8", currency="")
    series = only([stated, unstated])
    assert (series.key.currency, len(series.points)) == ("USD", 2)


def test_a_fact_without_a_currency_joins_none_of_two() -> None:
    facts = [fact(report(2024), 2024, "9"), fact(report(2024), 2024, "8", currency="EUR")]
    three = stitch("Velden", [*facts, fact(report(2023), 2023, "7", currency="")])
    assert sorted(series.key.currency for series in three) == ["", "EUR", "USD"]


def test_rows_that_the_vocabulary_does_not_know_are_told_apart_by_their_labels() -> None:
    two = stitch("Velden", [fact(report(2024), 2024, "1", concept="", label=label) for label in ("Cranes", "Lifts")])
    assert {series.key.label for series in two} == {"Cranes", "Lifts"}
