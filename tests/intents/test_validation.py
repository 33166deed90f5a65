from __future__ import annotations

from dataclasses import replace

import pytest

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.fund_house import FundHouse
from apps.intents.validation import policy_problems, require_valid

BASELINE = baseline_snapshot()


def with_fallback(*kinds: Kind) -> PolicySnapshot:
    return replace(BASELINE, fallback=replace(BASELINE.fallback, kinds=kinds))


def with_intents(count: int, examples: int) -> PolicySnapshot:
    rules = tuple(replace(BASELINE.intents[0], name=f"intent_{number}") for number in range(count))
    texts = [(rule.name, f"{rule.name} {number}?") for rule in rules for number in range(examples)]
    asked = tuple(replace(BASELINE.examples[0], intent=name, text=text) for name, text in texts)
    return replace(BASELINE, intents=rules, examples=asked)


def test_thirty_intents_with_many_examples_can_be_used() -> None:
    assert policy_problems(with_intents(30, 66)) == ()


@pytest.mark.parametrize(
    ("policy", "problem"),
    [
        (
            with_fallback(FundHouse.ORG_PROFILE, FundHouse.RUN, FundHouse.SCHEDULE, FundHouse.METHODOLOGY),
            "more than the 3",
        ),
        (replace(BASELINE, intents=BASELINE.intents[:4]), "4 intents"),
        (with_intents(31, 5), "31 intents; 5 to 30 are required"),
        (with_intents(30, 67), "have 2,010 review examples together; 2,000 are enough"),
        (replace(BASELINE, intents=(*BASELINE.intents, BASELINE.intents[0])), "occurs more than once"),
        (replace(BASELINE, intents=(replace(BASELINE.intents[0], kinds=()), *BASELINE.intents[1:])), "no kind"),
        (replace(BASELINE, examples=BASELINE.examples[40:]), "review examples"),
        (replace(BASELINE, examples=(*BASELINE.examples, BASELINE.examples[0])), "occurs more than once"),
        (replace(BASELINE, examples=(replace(BASELINE.examples[0], text=" "), *BASELINE.examples[1:])), "is empty"),
        (replace(BASELINE, examples=BASELINE.examples + BASELINE.examples[:1] * 200), "200 are enough"),
        (
            replace(BASELINE, intents=(replace(BASELINE.intents[0], label=" "), *BASELINE.intents[1:])),
            "a name for people",
        ),
        (replace(BASELINE, fallback=replace(BASELINE.fallback, label="")), "questions need a name for people"),
        (replace(BASELINE, budgets=(replace(BASELINE.budgets[0], label=""), *BASELINE.budgets[1:])), "a heading"),
        (replace(BASELINE, examples=(replace(BASELINE.examples[0], intent="gone"), *BASELINE.examples[1:])), "'gone'"),
        (replace(BASELINE, budgets=BASELINE.budgets[1:]), "'org_profile', which is not among the kinds"),
        (
            replace(BASELINE, budgets=(*BASELINE.budgets, BASELINE.budgets[0])),
            "'org_profile' occurs more than once",
        ),
        (replace(BASELINE, budgets=(replace(BASELINE.budgets[0], cap_chars=0), *BASELINE.budgets[1:])), "at least one"),
        (replace(BASELINE, budgets=(replace(BASELINE.budgets[0], position=2), *BASELINE.budgets[1:])), "a position"),
        (replace(BASELINE, total_cap_chars=0), "total cap"),
        (
            replace(BASELINE, total_cap_chars=4799),
            "'style_sample', 4,800 characters, is larger than the total of 4,799",
        ),
        (replace(BASELINE, classifier=replace(BASELINE.classifier, neighbours=0)), "neighbours"),
        (replace(BASELINE, classifier=replace(BASELINE.classifier, term_weight=-1.0)), "term_weight"),
        (replace(BASELINE, classifier=replace(BASELINE.classifier, minimum_golden_accuracy=1.5)), "between 0 and 1"),
    ],
)
def test_a_problem_is_named(policy: PolicySnapshot, problem: str) -> None:
    assert any(problem in sentence for sentence in policy_problems(policy))


def test_caps_may_add_up_to_more_than_the_total() -> None:
    assert sum(budget.cap_chars for budget in BASELINE.budgets) > BASELINE.total_cap_chars
    assert policy_problems(replace(BASELINE, total_cap_chars=4800)) == ()


def test_the_error_names_all_problems_at_once() -> None:
    policy = replace(BASELINE, total_cap_chars=0, budgets=BASELINE.budgets[1:])
    with pytest.raises(InvalidPolicyError, match=r"not among the kinds.*total cap"):
        require_valid(policy)
