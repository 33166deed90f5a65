"""A question of several parts: each is of the run's intent, or it is left out of the plan and the plan says so."""

from __future__ import annotations

import pytest

from apps.research.models import RunMode
from apps.research.runs.contracts import Plan
from apps.research.runs.showing import shown
from apps.tenants.principals import Principal
from tests.factories import Firm, as_
from tests.research.running import carry_out, person, request, steps

DRAWDOWN = "What was the maximum drawdown of the Alpha Fund in the fourth quarter of 2024"
# Together with the other one, this one decides the intent.
RULES = "Which compliance rules and approvals apply to our marketing under the compliance profile"


@pytest.fixture
def alice(house: Firm) -> Principal:
    return person(house, "alice")


def planned(who: Principal, text: str, mode: RunMode | None = None) -> Plan:
    found = request(who, text, confirm_plan=True, mode=mode)
    with as_(who):
        plan = shown(found.id).plan
        assert plan is not None
        return plan


@pytest.mark.parametrize("between", ["; ", "? "])
@pytest.mark.parametrize("mode", [None, RunMode.DIRECT, RunMode.DETAILED])
def test_a_part_of_another_intent_is_left_out_and_the_plan_says_so(
    house: Firm, alice: Principal, between: str, mode: RunMode | None
) -> None:
    plan = planned(alice, f"{DRAWDOWN}{between}{RULES}?", mode)
    asked = " ".join(each.text for each in plan.sub_questions)
    assert "compliance rules" in asked
    assert "drawdown" not in asked
    assert plan.companies == (), "what that part alone names is not planned either"
    (notice,) = [each for each in plan.notices if each.startswith("Left out")]
    assert DRAWDOWN in notice
    assert "Compliance" in notice


def test_nothing_of_such_a_part_is_asked(house: Firm, alice: Principal) -> None:
    found = request(alice, f"{DRAWDOWN}; {RULES}?")
    assert found.intent == "compliance"
    carry_out(found)
    assert [each for each in steps(alice, found.id) if each.kind == "search"]
    with as_(alice):
        contents = [each.content for each in shown(found.id).steps if each.row.kind == "search"]
    assert "drawdown of the Alpha Fund" not in str([getattr(each, "text", "") for each in contents])


def test_parts_of_the_same_intent_are_all_asked(house: Firm, alice: Principal) -> None:
    plan = planned(alice, f"{DRAWDOWN}? How did the maximum drawdown of the Beta Fund develop in 2024?")
    assert not [each for each in plan.notices if each.startswith("Left out")]
    assert {each.company for each in plan.companies} == {"Alpha Fund", "Beta Fund"}


def test_a_part_that_no_intent_recognises_is_left_out(house: Firm, alice: Principal) -> None:
    plan = planned(alice, f"{DRAWDOWN}; What is the capital of Australia?")
    assert [each.text for each in plan.sub_questions] == [DRAWDOWN]
    assert any("What is the capital of Australia" in each for each in plan.notices)
