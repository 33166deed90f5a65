"""What an installation changes of the stages' settings: read, checked before anything is served, used and recorded."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.core import checks

from apps.audit.selectors import payloads_of
from apps.retrieval.errors import StageChoiceError
from apps.retrieval.services.ask import ask
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import Stage, StageStatus
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member
from tests.retrieval.asking import QUESTION


def problems() -> list[str]:
    return [f"{each.id}: {each.msg}" for each in checks.run_checks() if str(each.id).startswith("retrieval.")]


def test_nothing_said_is_as_shipped(settings: LazySettings) -> None:
    for nothing in ("", " ", ",", " , "):
        settings.GLASSBOX_RETRIEVAL_STAGES = nothing
        assert stages_in_use() == StageSettings()
        assert problems() == []


def test_what_is_said_is_changed_and_nothing_else(settings: LazySettings) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES = "reranker=keyword, cut_top_k = 20,likely_filter_boost=0.2, page_by_page=off"
    assert stages_in_use() == StageSettings(
        reranker="keyword", cut_top_k=20, likely_filter_boost=0.2, page_by_page=False
    )
    assert problems() == []


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("polish=on", "There is no setting 'polish'."),
        ("cut_top_k", "it must be given as cut_top_k=value"),
        ("cut_top_k=many", "it must be a whole number"),
        ("cut_top_k=0", "it must be between 1 and 1000"),
        ("rerank_enabled=true", "rerank_enabled belongs to the policy"),
    ],
)
def test_what_can_t_be_used_is_said_before_anything_is_served(settings: LazySettings, said: str, problem: str) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES = said
    with pytest.raises(StageChoiceError, match="GLASSBOX_RETRIEVAL_STAGES can't be used"):
        stages_in_use()
    (told,) = problems()
    assert told.startswith("retrieval.E001: ")
    assert problem in told


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("reranker=oracle", "there is no reranker 'oracle'; there are none, keyword, late_interaction, cross_encoder."),
        ("reranker=cross_encoder", "the reranker cross_encoder needs GLASSBOX_CROSS_ENCODER_MODEL."),
        ("healer=oracle", "there is no healer 'oracle'; there are none, coverage."),
    ],
)
def test_what_is_not_to_be_had_is_said_before_anything_is_served(
    settings: LazySettings, said: str, problem: str
) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES, settings.GLASSBOX_CROSS_ENCODER_MODEL = said, ""
    assert problems() == [f"retrieval.E002: GLASSBOX_RETRIEVAL_STAGES: {problem}"]


@pytest.mark.django_db
def test_a_question_is_answered_by_it_and_the_log_tells_how(firm: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES = "diversifier=mmr, expand_top_k=0"
    alice = make_member(firm, "amy", Role.ANALYST)
    with as_(alice):
        asked = ask(text=QUESTION)
    told = {record.stage: record.status for record in asked.result.trace.stages}
    # Chosen here; that it is used is for the policy to say.
    assert (told[Stage.DIVERSIFY], told[Stage.EXPAND]) == (StageStatus.SKIPPED, StageStatus.SKIPPED)
    with as_(alice):
        recorded = payloads_of([asked.event])[asked.event.id]["core"]["stage_settings"]
    assert (recorded["diversifier"], recorded["expand_top_k"]) == ("mmr", 0)
    assert recorded.keys() == StageSettings.__dataclass_fields__.keys()
