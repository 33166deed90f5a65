"""What a model says that it claims is checked at the cell it names, and what it says it calculated is repeated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.retrieval.contracts import Claim, ClaimedCalculation, GroundingStatus
from apps.retrieval.stages.grounding.ground import ground
from tests.retrieval.builders import analysed, candidate, context_of, document, entry, written

INCOME = """\
Income statement
EUR million | 2024 | 2023
Revenue | 2024: 2,684 | 2023: 2,465
Operating income | 2024: 297 | 2023: 232"""
ANALYSIS = analysed("What was Northwind's revenue in FY2024?", entry("Northwind", 2024))
CONTEXT = context_of(ANALYSIS, [candidate(INCOME, 1, page=61, facts=document(1, fiscal_year=2024))])
(REF,) = (passage.ref_id for passage in CONTEXT.passages)
CLAIM = Claim(
    company="Northwind",
    measure="revenue",
    period="2024",
    value="2,684",
    unit="EUR million",
    ref_id=REF,
    row="Revenue",
    column="2024",
)
CALCULATION = ClaimedCalculation(
    measure="growth of revenue", expression="(2,684 - 2,465) / 2,465", operands=("2,684", "2,465"), result="8.9 %"
)


def status(text: str, *claims: Claim, calculations: tuple[ClaimedCalculation, ...] = ()) -> GroundingStatus:
    answer = replace(written(text, REF), claims=claims, calculations=calculations)
    return ground(answer, CONTEXT, analysis=ANALYSIS).status


def test_a_claim_at_its_cell_holds() -> None:
    assert status("Revenue was EUR 2,684 million in 2024.", CLAIM) is GroundingStatus.GROUNDED


@pytest.mark.parametrize(
    "changed",
    [
        {"value": "2,648"},
        {"unit": "EUR billion"},
        {"unit": "USD million"},
        {"period": "2023", "column": "2023"},
        {"row": "Operating income", "measure": "operating income"},
        {"company": "Vindaro"},
        {"ref_id": "invented|p1|c1"},
    ],
)
def test_a_claim_that_differs_in_one_thing_does_not(changed: dict[str, str]) -> None:
    claim = replace(CLAIM, **changed)
    assert status("Revenue was EUR 2,684 million in 2024.", claim) is not GroundingStatus.GROUNDED


def test_a_result_is_worked_out_and_may_stand_in_the_text() -> None:
    text = "Revenue grew by 8.9 % in 2024."
    assert status(text, CLAIM, calculations=(CALCULATION,)) is GroundingStatus.GROUNDED


@pytest.mark.parametrize(
    "changed",
    [
        {"result": "9.9 %"},
        {"expression": "(2,684 - 2,456) / 2,456"},
        {"expression": "__import__('os').getcwd()"},
        {"expression": "9 ** 9 ** 9 ** 9"},
    ],
)
def test_a_calculation_that_does_not_come_out_does_not_hold(changed: dict[str, str]) -> None:
    calculation = replace(CALCULATION, **changed)  # type: ignore[arg-type]
    text = "Revenue grew by 8.9 % in 2024."
    assert status(text, CLAIM, calculations=(calculation,)) is not GroundingStatus.GROUNDED


def test_a_result_may_be_an_operand() -> None:
    average = ClaimedCalculation(
        measure="average revenue",
        expression="(2,684 + 2,465) / 2",
        operands=("2,684", "2,465"),
        result="2,574.5",
    )
    share = ClaimedCalculation(
        measure="operating income / average revenue",
        expression="297 / 2,574.5",
        operands=("297", "2,574.5"),
        result="11.5 %",
    )
    text = "Operating income was 11.5 % of average revenue in 2024."
    assert status(text, calculations=(average, share)) is GroundingStatus.GROUNDED
