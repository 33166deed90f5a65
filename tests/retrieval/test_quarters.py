"""Questions of a quarter: only figures of that quarter are taken, whatever stands beside them."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import GroundingStatus
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.steps.quoting import check_quoted
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

_COLUMNS = [f"{months} months ended June 30, {year}" for months in ("Three", "Six") for year in (2024, 2023)]


def row(label: str, *figures: str) -> str:
    cells = (f"{column}: {figure}" for column, figure in zip(_COLUMNS, figures, strict=True))
    return " | ".join((label, *cells))


SO_FAR = "\n".join(
    (
        "Condensed income statement",
        "(EUR million)",
        row("Harnesses sold", "12.0", "10.0", "25.0", "19.0"),
        row("Operating income", "3.0", "2.0", "5.5", "4.4"),
    )
)
NAMED = """\
Quarterly results
(EUR million)
Saddle sales | 2Q24: 31.0 | 1Q24: 30.0 | 2Q23: 25.0"""
BALANCE = """\
Condensed balance sheet
(EUR million)
Total assets | June 30, 2024: 90.0 | December 31, 2023: 84.0"""


def answered(question: str, language: str = "en") -> str:
    facts = document(1, title="Bridlewick Q2 2024", company="Bridlewick", fiscal_year=2024, fiscal_quarter=2)
    analysis = analysed(question, entry("Bridlewick", 2024, 2), language=language)
    passages = [candidate(text, at, facts=facts, page=at) for at, text in enumerate((SO_FAR, NAMED, BALANCE), start=1)]
    context = context_of(analysis, passages)
    draft = ExtractiveGenerator().generate(analysis, context)
    report = check_quoted(draft, context, analysis)
    assert report.status in (GroundingStatus.GROUNDED, None) or draft.closest, report.findings
    return "" if draft.closest else draft.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("By how much did Bridlewick's harnesses sold rise in Q2 2024?", "12.0 - 10.0 = 2.0"),
        ("Operating income as a share of harnesses sold at Bridlewick, 2Q24?", "3.0 / 12.0 = 25.0 %"),
        (
            "Did Bridlewick's saddle sales grow in the second quarter of 2024?",
            "Yes: \u201cSaddle sales\u201d rose from 25.0 in Q2 2023 to 31.0 in Q2 2024",
        ),
        (
            "Were Bridlewick's saddle sales above EUR 30.5 million in Q2 2024?",
            "Yes: \u201cSaddle sales\u201d was 31.0 in Q2 2024",
        ),
        (
            "Were Bridlewick's saddle sales above EUR 30.5 million in Q1 2024?",
            "No: \u201cSaddle sales\u201d was 30.0 in Q1 2024",
        ),
        ("Bridlewick total assets at the end of Q2 2024 in billions of euros?", "90.0 million = 0.090 billion"),
    ],
)
def test_the_figures_of_the_quarter_are_taken(question: str, said: str) -> None:
    assert said in answered(question)


def test_a_german_question_of_a_quarter() -> None:
    text = answered("Um wie viel sind die Saddle Sales von Bridlewick im 2. Quartal 2024 gestiegen?", "de")
    assert "stieg von 25,0 in Q2 2023 auf 31,0 in Q2 2024" in text


@pytest.mark.parametrize(
    "question",
    [
        "By how much did Bridlewick's harnesses sold rise in Q1 2024?",
        "By how much did Bridlewick's total assets rise in Q2 2024?",
        "By how much did Bridlewick's harnesses sold rise in the first half of 2024?",
        "Operating income as a share of harnesses sold at Bridlewick, year to date Q2 2024?",
    ],
)
def test_nothing_is_taken_from_another_time(question: str) -> None:
    assert " = " not in answered(question)
