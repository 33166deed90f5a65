"""The default provider with its real model, loaded once for all tests of this file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from apps.corpus.providers.errors import ProviderConfigurationError
from apps.corpus.providers.local import SentenceTransformersProvider
from apps.corpus.providers.profiles import EMBEDDING_PROFILES


def provider_with(**entry: Any) -> SentenceTransformersProvider:
    base: dict[str, Any] = {"backend": "sentence-transformers", "dimension": 384, "region": "eu"}
    return SentenceTransformersProvider(EMBEDDING_PROFILES.parse("local", {**base, **entry}))


@pytest.fixture(scope="session")
def minilm() -> SentenceTransformersProvider:
    return provider_with()


@pytest.mark.slow
def test_documents_are_unit_vectors_of_the_models_length(minilm: SentenceTransformersProvider) -> None:
    vectors = minilm.embed_documents(["The fund lost 4 %.", "Fees are charged quarterly."])
    assert vectors.shape == (2, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_question_is_nearest_to_the_passage_that_answers_it(minilm: SentenceTransformersProvider) -> None:
    passages = minilm.embed_documents(
        ["The office is closed on Fridays.", "The maximum drawdown of the fund was 12 %.", "Alice is the officer."]
    )
    assert int(np.argmax(passages @ minilm.embed_query("How deep was the drawdown?"))) == 1


def test_the_same_text_gives_the_same_bytes(minilm: SentenceTransformersProvider) -> None:
    first, second = minilm.embed_query("capital expenditure"), minilm.embed_query("capital expenditure")
    assert first.tobytes() == second.tobytes()


def test_order_survives_sorting_by_length(minilm: SentenceTransformersProvider) -> None:
    texts = ["net income " * length for length in (40, 1, 20, 2, 30)]
    alone = np.stack([minilm.embed_documents([text])[0] for text in texts])
    assert np.allclose(minilm.embed_documents(texts), alone, atol=1e-4)


def test_no_documents_give_an_empty_matrix() -> None:
    assert provider_with().embed_documents([]).shape == (0, 384)


def test_the_input_limit_is_the_models_own(minilm: SentenceTransformersProvider) -> None:
    assert minilm.max_input_tokens == 256


@pytest.mark.slow
def test_threads_share_one_model(minilm: SentenceTransformersProvider) -> None:
    expected = minilm.embed_query("drawdown")
    results: list[bool] = []

    def embed(length: int) -> None:
        minilm.embed_documents(["net income " * length] * 5)
        results.append(np.allclose(minilm.embed_query("drawdown"), expected, atol=1e-5))

    threads = [threading.Thread(target=embed, args=(10 * number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_a_child_process_that_forked_after_loading_can_embed(minilm: SentenceTransformersProvider) -> None:
    expected = minilm.embed_query("drawdown")
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        same = np.allclose(minilm.embed_query("drawdown"), expected, atol=1e-5)
        os._exit(0 if same and minilm._loaded_by_pid == os.getpid() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_profile_of_another_length_than_the_models_is_refused() -> None:
    with pytest.raises(ProviderConfigurationError, match="length 384"):
        provider_with(dimension=768).embed_query("drawdown")


@pytest.mark.parametrize("model", ["/nowhere/at-all", "example/not-in-the-cache"])
def test_a_model_that_is_not_here_is_not_downloaded(model: str) -> None:
    with pytest.raises(ProviderConfigurationError, match="already in the local model cache"):
        provider_with(model=model).embed_query("drawdown")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProviderConfigurationError):
        provider_with(model=str(tmp_path)).embed_query("drawdown")


@pytest.mark.slow
def test_nothing_heavy_is_imported_before_the_first_call() -> None:
    """Neither a model's library nor a remote one's client: every command and every worker starts like this."""
    program = "import sys, django; django.setup(); print({'torch', 'openai', 'apps.corpus'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "{'apps.corpus'}"
