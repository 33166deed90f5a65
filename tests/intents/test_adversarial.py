"""No kind is gained by words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.corpus.providers.protocol import EmbeddingProvider
from apps.intents.baseline import baseline_snapshot
from apps.intents.classifier import classify_question
from apps.intents.contracts import PolicySnapshot
from apps.intents.gate import gate
from apps.intents.instructions import CoreQuestion, core_question
from apps.intents.scoring import Vector
from apps.retrieval.stages.question.validate import validate
from tests.intents.adversarial import FRESH, KNOWN, Family, wordings
from tests.intents.held_out import HELD_OUT

_PLAIN = {intent: questions[:4] for intent, questions in HELD_OUT.items() if intent}
_BASELINE = baseline_snapshot()
_SETS = {frozenset(rule.kinds) for rule in (*_BASELINE.intents, _BASELINE.fallback)}

Reach = Callable[[str], frozenset[Kind]]


def _read(text: str) -> str:
    """As the pipeline reads it, before anything else."""
    return validate(text, maximum_chars=4000)


def _core(text: str) -> str:
    return core_question(_read(text)).text


@pytest.fixture(scope="session")
def reach(baseline: PolicySnapshot, baseline_vectors: Vector, minilm: EmbeddingProvider) -> Reach:
    """The kinds that a question reaches under the baseline, with the real model."""
    asked = [question for questions in _PLAIN.values() for question in questions]
    said = asked + [text for question in asked for family in (KNOWN, FRESH) for _, text in wordings(question, family)]
    known = sorted({_core(text) for text in said} - {""})
    vectors = dict(zip(known, minilm.embed_documents(known), strict=True))

    def kinds(text: str) -> frozenset[Kind]:
        vector = vectors.get(_core(text))
        decision = classify_question(_read(text), baseline, vector, None if vector is None else baseline_vectors)
        return frozenset(gate(decision, baseline).permitted)

    return kinds


@pytest.mark.parametrize("family", [KNOWN, FRESH], ids=["known", "fresh"])
@pytest.mark.parametrize("intent", _PLAIN)
def test_no_wording_gains_a_kind(reach: Reach, intent: str, family: Family) -> None:
    fallback = frozenset(_BASELINE.fallback.kinds)
    gains = [
        text
        for question in _PLAIN[intent]
        for _, text in wordings(question, family)
        if reach(text) - reach(question) - fallback
    ]
    assert gains == []


def test_the_attacks_would_gain_kinds_if_all_that_is_said_decided(
    baseline: PolicySnapshot,
    baseline_vectors: Vector,
    minilm: EmbeddingProvider,
    reach: Reach,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = "How much money does the fund manage right now?"
    permitted = reach(question) | frozenset(baseline.fallback.kinds)
    monkeypatch.setattr(
        "apps.intents.classifier.core_question",
        lambda text: CoreQuestion(text=text, search_text=text, instructions=(), beside=()),
    )
    attacks = [text for _, text in wordings(question, KNOWN)]
    vectors = minilm.embed_documents(attacks)
    decisions = [
        classify_question(text, baseline, vector, baseline_vectors)
        for text, vector in zip(attacks, vectors, strict=True)
    ]
    assert [each for each in decisions if frozenset(gate(each, baseline).permitted) - permitted]


@given(
    st.text(max_size=200) | st.sampled_from([text for q in HELD_OUT["performance"] for _, text in wordings(q, KNOWN)])
)
def test_whatever_is_said_reaches_what_one_intent_reaches_and_never_a_mixture(text: str) -> None:
    decision = classify_question(text, _BASELINE, None, None)
    assert frozenset(gate(decision, _BASELINE).permitted) in _SETS
