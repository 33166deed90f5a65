"""Late interaction with the real model that comes with the installation."""

from __future__ import annotations

import numpy as np
import pytest

from apps.corpus.providers.errors import ProviderConfigurationError, ResidencyError
from apps.corpus.providers.local import SentenceTransformersProvider
from apps.corpus.providers.protocol import TokenVectorProvider
from apps.corpus.providers.registry import PROVIDERS, provider_for, token_vectors_for
from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import FloatVector
from apps.retrieval.dependencies import Slots
from apps.retrieval.optional.rerankers.late_interaction import LateInteractionReranker, max_similarity
from apps.retrieval.optional.slots import SlotParts, slots_for
from apps.retrieval.pipeline import answer
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import CandidateList, Stage, StageStatus
from tests.retrieval.builders import analysed, candidate
from tests.retrieval.doubles import asked, dependencies

QUESTION = "How deep was the maximum drawdown of the fund?"
PARTS = SlotParts(policy=RetrievalSettings(rerank_keyword_weight=0.0), tenant_region="eu", tenant_strict=True)
FOUND = [
    candidate("The office is closed on Fridays.", 1, page=1),
    candidate("Alice is the officer of the fund.", 2, page=2),
    candidate("The maximum drawdown of the fund was 12 %.", 3, page=3),
]


def vectors(*rows: tuple[float, float]) -> FloatVector:
    return np.array(rows, dtype=np.float32).reshape(-1, 2)


def test_mean_is_taken_of_each_question_tokens_nearest() -> None:
    question = vectors((1, 0), (0, 1))
    assert max_similarity(question, vectors((1, 0), (0, 1), (-1, 0))) == 1.0
    assert max_similarity(question, vectors((1, 0))) == 0.5
    assert max_similarity(question, vectors((-1, 0), (0, -1))) == 0.0


def test_score_is_never_negative() -> None:
    assert max_similarity(vectors((1, 0)), vectors((-1, 0))) == 0.0


def test_nothing_is_near_to_nothing() -> None:
    assert max_similarity(vectors(), vectors((1, 0))) == max_similarity(vectors((1, 0)), vectors()) == 0.0


def test_tokens_have_unit_vectors_and_no_marks_of_the_tokenizer() -> None:
    encoder = token_vectors_for("local", tenant_region="eu", tenant_strict=True)
    question = encoder.embed_query_tokens("net income")
    assert question.shape == (2, 384)
    assert np.allclose(np.linalg.norm(question, axis=1), 1.0, atol=1e-5)


def test_batch_gives_what_each_text_alone_gives() -> None:
    encoder = token_vectors_for("local", tenant_region="eu", tenant_strict=True)
    texts = ["net income " * 9, "drawdown", "fees are charged quarterly"]
    for text, found in zip(texts, encoder.embed_document_tokens(texts), strict=True):
        assert np.allclose(found, encoder.embed_document_tokens([text])[0], atol=1e-4)
    assert encoder.embed_document_tokens([]) == ()


def test_model_is_the_one_that_embeds() -> None:
    provider_for("local", tenant_region="eu", tenant_strict=True).embed_query("drawdown")
    encoder = token_vectors_for("local", tenant_region="eu", tenant_strict=True)
    assert isinstance(encoder, SentenceTransformersProvider)
    loaded = encoder._loaded
    encoder.embed_query_tokens("drawdown")
    assert loaded is not None
    assert encoder._loaded is loaded
    assert encoder in PROVIDERS._providers.values()


def test_profile_of_another_make_is_refused_by_the_settings_name() -> None:
    with pytest.raises(ProviderConfigurationError, match="GLASSBOX_LATE_INTERACTION_PROFILE"):
        token_vectors_for("openai", tenant_region="us", tenant_strict=False)


def test_strict_tenant_is_not_computed_elsewhere() -> None:
    with pytest.raises(ResidencyError):
        token_vectors_for("local", tenant_region="ch", tenant_strict=True)


def test_passage_that_answers_comes_first() -> None:
    reranker = slots_for(StageSettings(reranker="late_interaction"), PARTS).reranker
    assert reranker is not None
    ordered = reranker.apply(analysed(QUESTION), tuple(FOUND))
    assert ordered[0].chunk.text == FOUND[2].chunk.text
    scores = [each.rerank_score or 0.0 for each in ordered]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= each <= 1.0 for each in scores)
    assert not any(each.rerank_calibrated for each in ordered)


def test_pipeline_shows_the_new_order() -> None:
    policy = RetrievalSettings(rerank_enabled=True)
    slots = slots_for(StageSettings(reranker="late_interaction"), PARTS)
    record = answer(asked(QUESTION), deps=dependencies(FOUND, policy=policy, slots=slots)).trace.record(Stage.RERANK)
    assert record is not None
    assert record.status is StageStatus.RAN
    assert isinstance(record.output, CandidateList)
    assert record.output.candidates[0].page == 3


def test_model_that_is_refused_leaves_the_order_and_the_answer_says_so() -> None:
    def encoder() -> TokenVectorProvider:
        return token_vectors_for("openai", tenant_region="us", tenant_strict=False)

    policy = RetrievalSettings(rerank_enabled=True)
    slots = Slots(reranker=LateInteractionReranker(encoder=encoder, keyword_weight=0.3))
    result = answer(asked(QUESTION), deps=dependencies(FOUND, policy=policy, slots=slots))
    assert [(each.stage, each.code) for each in result.answer.degradations] == [
        ("rerank", "corpus.provider_configuration")
    ]
