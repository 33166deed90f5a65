"""What the page of a policy says of its settings is what the trace of an answer says that was done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.conf import LazySettings

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.stage_words import cut_words, stage_words
from apps.retrieval.stages.ranking.cut_off import cut_off
from apps.tenants.roles import Role
from tests.factories import make_firm, make_member
from tests.retrieval.builders import candidate
from tests.visitor import Visitor

POLICY = RetrievalSettings()
STAGES = StageSettings()


def told(policy: RetrievalSettings, stages: StageSettings, *, scores: bool, calibrated: bool) -> str:
    """What the trace says of thirty passages."""
    found = [candidate("x", number, rerank_score=0.5 if scores else None) for number in range(1, 31)]
    return cut_off(
        [replace(each, rerank_calibrated=calibrated) for each in found],
        top_k=stages.cut_top_k,
        minimum=stages.cut_minimum,
        cumulative_probability=policy.cut_off_cumulative_probability,
        cliff=policy.cut_off_score_cliff,
        uncalibrated=stages.cut_adaptive_uncalibrated,
    ).reason


@pytest.mark.parametrize(
    ("policy", "stages", "scores", "calibrated"),
    [
        (POLICY, STAGES, False, False),
        (replace(POLICY, rerank_enabled=True), STAGES, False, False),
        (POLICY, replace(STAGES, reranker="cross_encoder"), False, False),
        (replace(POLICY, rerank_enabled=True), replace(STAGES, reranker="keyword"), True, False),
        (replace(POLICY, rerank_enabled=True), replace(STAGES, reranker="cross_encoder"), True, True),
        (
            replace(POLICY, rerank_enabled=True),
            replace(STAGES, reranker="keyword", cut_adaptive_uncalibrated=True),
            True,
            False,
        ),
    ],
)
def test_both_say_the_same_rule(
    policy: RetrievalSettings, stages: StageSettings, scores: bool, calibrated: bool
) -> None:
    page, trace = cut_words(policy, stages), told(policy, stages, scores=scores, calibrated=calibrated)
    for words in ("a fixed number", "without a reranker", "the reranker's scores are not probabilities"):
        assert (words in page) == (words in trace), (page, trace)
    assert f"{stages.cut_top_k}" in page


def test_what_the_policy_wants_and_nobody_installed_is_said() -> None:
    wanting = replace(POLICY, rerank_enabled=True, mmr_enabled=True, heal_rounds=2)
    said = " ".join(stage_words(wanting))
    assert said.count("this installation has") == 3
    assert "reorders" not in said


@pytest.mark.django_db
def test_the_page_in_force_says_it(settings: LazySettings) -> None:
    make_member(make_firm("acme"), "oscar", Role.COMPLIANCE_OFFICER)
    text = Visitor("oscar").open("intents_policyversion_in_force").text
    assert "The first 12 passages are kept, a fixed number: without a reranker no score is a probability" in text
    settings.GLASSBOX_RETRIEVAL_STAGES = "cut_top_k=7"
    assert "The first 7 passages are kept" in Visitor("oscar").open("intents_policyversion_in_force").text
