from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import IntentDecision, IntentRule, PolicySnapshot
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.intents.gate import gate

BASELINE = baseline_snapshot()
NAMES = [rule.name for rule in BASELINE.intents]


def decision(intent: str, *, recognised: bool = True) -> IntentDecision:
    return IntentDecision(
        intent=intent,
        label="",
        recognised=recognised,
        score=1.0,
        margin=1.0,
        reason="",
        nearest=(),
        matched_terms=(),
        set_aside=(),
        degraded=False,
    )


@pytest.mark.parametrize("rule", BASELINE.intents, ids=lambda rule: rule.name)
def test_an_intent_gets_its_kinds_and_no_other(rule: IntentRule) -> None:
    assert set(gate(decision(rule.name), BASELINE).permitted) == set(rule.kinds)


@given(st.sampled_from([*NAMES, "", "no_such_intent"]), st.booleans())
def test_permitted_and_withheld_are_all_kinds_once(intent: str, recognised: bool) -> None:
    grant = gate(decision(intent, recognised=recognised), BASELINE)
    assert sorted((*grant.permitted, *grant.withheld)) == sorted(FUND_HOUSE)


@pytest.mark.parametrize(
    "unknown", [decision(""), decision("no_such_intent"), decision("performance", recognised=False)]
)
def test_whatever_is_not_recognised_gets_the_fallback(unknown: IntentDecision) -> None:
    assert gate(unknown, BASELINE).permitted == (FundHouse.ORG_PROFILE,)


def test_budgets_come_in_priority_order() -> None:
    grant = gate(decision("performance"), BASELINE)
    assert [budget.kind for budget in grant.budgets] == [
        FundHouse.FUND_PROFILE,
        FundHouse.RUN,
        FundHouse.DATASET_SUMMARY,
    ]


def test_a_kind_without_a_budget_is_withheld() -> None:
    policy: PolicySnapshot = replace(BASELINE, budgets=tuple(b for b in BASELINE.budgets if b.kind != FundHouse.RUN))
    assert FundHouse.RUN in gate(decision("performance"), policy).withheld


def test_the_grant_names_its_policy_version() -> None:
    grant = gate(decision("performance"), BASELINE)
    assert (grant.policy_version, grant.policy_version_id) == (BASELINE.number, BASELINE.version_id)
