"""The shipped baseline says what the design says."""

from __future__ import annotations

import pytest

from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import UNRECOGNISED, PolicySnapshot
from apps.intents.fund_house import FundHouse
from apps.intents.matching import index_words, matching_terms
from apps.intents.packs import fund_house as defaults
from apps.intents.packs.catalogue import PACKS
from apps.intents.validation import policy_problems

WHITELIST = {
    "performance": {"run", "fund_profile", "dataset_summary"},
    "compliance": {"compliance_profile", "org_profile", "methodology", "schedule"},
    "methodology": {"methodology", "fund_profile", "reference_report"},
    "narrative": {"style_sample", "report_edit_pattern", "reference_report"},
    "attribution": {"run", "methodology", "fund_profile"},
}
BUDGETS = [
    ("org_profile", "Firm profile", 3200),
    ("compliance_profile", "Compliance", 3200),
    ("methodology", "Methodology", 3200),
    ("fund_profile", "Funds", 4000),
    ("style_sample", "House style", 4800),
    ("run", "Past runs", 2800),
    ("report_edit_pattern", "Edit patterns", 2000),
    ("dataset_summary", "Dataset notes", 2000),
    ("schedule", "Schedules", 1600),
    ("reference_report", "Reference packs", 2400),
]


def test_each_intent_reaches_exactly_its_kinds(baseline: PolicySnapshot) -> None:
    assert {rule.name: {kind.value for kind in rule.kinds} for rule in baseline.intents} == WHITELIST


def test_an_unrecognised_question_reaches_the_firm_profile_alone(baseline: PolicySnapshot) -> None:
    assert baseline.fallback.kinds == (FundHouse.ORG_PROFILE,)


def test_budgets_are_in_priority_order(baseline: PolicySnapshot) -> None:
    rows = sorted(baseline.budgets, key=lambda budget: budget.position)
    assert [(row.kind.value, row.label, row.cap_chars) for row in rows] == BUDGETS


def test_the_total_cap(baseline: PolicySnapshot) -> None:
    assert baseline.total_cap_chars == 16384


def test_no_questions_text_is_written(baseline: PolicySnapshot) -> None:
    modes = {rule.recording_mode for rule in baseline.intents} | {baseline.fallback.recording_mode}
    assert modes == {"hash_only"}


def test_the_baseline_has_no_problems(baseline: PolicySnapshot) -> None:
    assert policy_problems(baseline) == ()


@pytest.mark.parametrize("intent", defaults.INTENTS, ids=lambda intent: intent["name"])
def test_each_intent_has_examples_in_both_languages(intent: dict[str, list[str]]) -> None:
    german = [
        text
        for text in intent["examples"]
        if text.split()[0] in {"Wie", "Welche", "Wer", "Was", "Warum", "In", "Dürfen", "Nach"}
        and not text.startswith(("In which", "In what"))
    ]
    assert len(intent["examples"]) >= 8
    assert len(german) >= 3


def test_there_are_counter_examples(baseline: PolicySnapshot) -> None:
    assert sum(example.intent == UNRECOGNISED for example in baseline.examples) >= 10


@pytest.mark.parametrize("pack", PACKS)
def test_no_intent_names_a_term_twice(pack: str) -> None:
    for rule in baseline_snapshot((pack,)).intents:
        texts = [term.text for term in rule.terms]
        assert len(texts) == len(set(texts)), rule.name


def test_no_supporting_term_hides_a_decisive_one(baseline: PolicySnapshot) -> None:
    """The longer match counts alone, so a supporting phrase around a decisive word would take its weight away."""
    for rule in baseline.intents:
        decisive = [term.text for term in rule.terms if term.decisive]
        hiding = [
            term.text for term in rule.terms if not term.decisive and matching_terms(index_words(term.text), decisive)
        ]
        assert hiding == [], rule.name


def test_the_baseline_is_the_same_value_each_time() -> None:
    assert baseline_snapshot() == baseline_snapshot()
