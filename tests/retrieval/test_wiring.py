"""What a question is answered with: here, that its text is embedded once for the intent and for the search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from apps.corpus.providers.errors import ProviderError, ProviderUnavailableError
from apps.corpus.providers.protocol import Vectors
from apps.retrieval.services.wiring import EmbeddedOnce


class Counting:
    name, model, dimension, region, max_input_tokens = "counting", "words", 2, "local", 256

    def __init__(self, *, fails: int = 0) -> None:
        self.asked: list[str] = []
        self._fails = fails

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        if len(self.asked) <= self._fails:
            raise ProviderUnavailableError(provider=self.name, reason="no connection")
        return np.array([len(text), 0], dtype=np.float32)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 2), dtype=np.float32)


def test_the_same_question_is_embedded_once_and_another_one_anew() -> None:
    provider = Counting()
    once = EmbeddedOnce(provider)
    vectors = [once.embed_query(text) for text in ("one", "one", "three", "one")]
    assert provider.asked == ["one", "three", "one"]
    assert [vector[0] for vector in vectors] == [3, 3, 5, 3]


def test_what_failed_is_asked_again() -> None:
    provider = Counting(fails=1)
    once = EmbeddedOnce(provider)
    with pytest.raises(ProviderError):
        once.embed_query("one")
    assert once.embed_query("one")[0] == 3
    assert provider.asked == ["one", "one"]


def test_it_is_the_provider_in_everything_else() -> None:
    once = EmbeddedOnce(Counting())
    assert (once.name, once.model, once.dimension, once.region) == ("counting", "words", 2, "local")
    assert once.max_input_tokens == 256
    assert once.embed_documents(["a", "b"]).shape == (2, 2)
