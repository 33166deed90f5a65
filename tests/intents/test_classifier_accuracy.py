"""How well the shipped baseline classifies, with the real model that it ships with."""

from __future__ import annotations

import pytest

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.intents.check import golden_check
from apps.intents.classifier import classify_question
from apps.intents.contracts import IntentDecision, PolicySnapshot
from apps.intents.fund_house import FundHouse
from apps.intents.gate import gate
from apps.intents.instructions import core_question
from apps.intents.scoring import Vector
from tests.intents.held_out import FRESH, HELD_OUT, INJECTIONS

FILING_QUESTION = "What is the FY2018 capital expenditure amount (in USD millions) for 3M?"


@pytest.fixture(scope="session")
def decide(baseline: PolicySnapshot, baseline_vectors: Vector, minilm: EmbeddingProvider) -> Decide:
    return Decide(baseline, baseline_vectors, minilm)


class Decide:
    """Classifies under the baseline; questions known beforehand are embedded in one go, which is ten times faster."""

    def __init__(self, policy: PolicySnapshot, vectors: Vector, provider: EmbeddingProvider) -> None:
        self.policy, self.vectors, self.provider = policy, vectors, provider
        questions = [text for batch in (HELD_OUT, FRESH) for texts in batch.values() for text in texts]
        texts = sorted({core_question(question).text for question in questions} - {""})
        self.known = dict(zip(texts, provider.embed_documents(texts), strict=True))

    def __call__(self, question: str) -> IntentDecision:
        text = core_question(question).text
        if not text:
            return classify_question(question, self.policy, None, None)
        if text not in self.known:
            self.known[text] = self.provider.embed_query(text)
        return classify_question(question, self.policy, self.known[text], self.vectors)


def right(decide: Decide, batch: dict[str, tuple[str, ...]], intent: str) -> int:
    return sum(decide(question).intent == intent for question in batch[intent])


def test_golden_examples_get_their_intent_without_themselves(
    baseline: PolicySnapshot, baseline_vectors: Vector
) -> None:
    assert golden_check(baseline, baseline_vectors).accuracy >= 0.9


def test_the_terms_alone_recognise_most_golden_examples(baseline: PolicySnapshot) -> None:
    assert golden_check(baseline, None).accuracy >= 0.85


@pytest.mark.parametrize("intent", [name for name in HELD_OUT if name])
def test_questions_that_the_policy_has_not_seen_get_their_intent(decide: Decide, intent: str) -> None:
    found = right(decide, HELD_OUT, intent) + right(decide, FRESH, intent)
    assert found / (len(HELD_OUT[intent]) + len(FRESH[intent])) >= 0.8


@pytest.mark.parametrize("batch", [HELD_OUT, FRESH], ids=["first batch", "second batch"])
def test_all_intents_together_reach_nine_in_ten(decide: Decide, batch: dict[str, tuple[str, ...]]) -> None:
    total = sum(len(questions) for questions in batch.values())
    assert sum(right(decide, batch, intent) for intent in batch) / total >= 0.9


@pytest.mark.parametrize("question", HELD_OUT[""])
def test_a_question_outside_the_domain_reaches_the_firm_profile_alone(
    decide: Decide, baseline: PolicySnapshot, question: str
) -> None:
    assert gate(decide(question), baseline).permitted == (FundHouse.ORG_PROFILE,)


def test_a_question_on_a_published_filing_reaches_reference_reports(decide: Decide, baseline: PolicySnapshot) -> None:
    decision = decide(FILING_QUESTION)
    assert FundHouse.REFERENCE_REPORT in gate(decision, baseline).permitted, decision.reason


def test_a_question_on_a_published_filing_reaches_them_by_terms_alone(baseline: PolicySnapshot) -> None:
    decision = classify_question(FILING_QUESTION, baseline, None, None)
    assert FundHouse.REFERENCE_REPORT in gate(decision, baseline).permitted, decision.reason


@pytest.mark.parametrize("injection", INJECTIONS)
def test_an_injection_changes_no_kind(decide: Decide, baseline: PolicySnapshot, injection: str) -> None:
    for questions in HELD_OUT.values():
        question = questions[0]
        plain = gate(decide(question), baseline).permitted
        assert gate(decide(f"{injection} {question}"), baseline).permitted == plain


def test_no_injection_alone_reaches_more_than_the_firm_profile(decide: Decide, baseline: PolicySnapshot) -> None:
    assert {gate(decide(injection), baseline).permitted for injection in INJECTIONS} == {(FundHouse.ORG_PROFILE,)}
