"""Record each request to an embedding provider that a question makes. A model within this process is no request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from apps.corpus.providers.around import ProviderAround
from apps.corpus.providers.base.prices import Price, read_price
from apps.corpus.providers.errors import ProviderTimeoutError
from apps.corpus.providers.protocol import EmbeddingProvider, Vectors
from apps.corpus.providers.registry import ResidencyBoundProvider
from apps.retrieval.errors import GenerationTimeoutError
from apps.retrieval.generation.calls import Calls, Purpose


class RecordedEmbedder(ProviderAround):
    """A provider whose requests are recorded, each by itself, and kept within the question's deadline."""

    def __init__(self, provider: ResidencyBoundProvider, calls: Calls) -> None:
        self._provider, self._calls = provider, calls

    def inner(self) -> EmbeddingProvider:
        return self._provider

    @property
    def price(self) -> Price | None:
        return read_price(self._provider.profile.price)

    def embed_query(self, text: str) -> Vectors:
        if not self._provider.profile.is_remote:
            return self._provider.embed_query(text)
        # Before anything is recorded as about to be sent.
        self._provider.check()
        with self._begun(Purpose.EMBED_QUESTION):
            return self._provider.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        profile = self._provider.profile
        if not texts or not profile.is_remote:
            return self._provider.embed_documents(texts)
        self._provider.check()
        found: list[Vectors] = []
        for start in range(0, len(texts), profile.inputs_at_once):
            with self._begun(Purpose.EMBED_EXAMPLES):
                found.append(self._provider.embed_documents(texts[start : start + profile.inputs_at_once]))
        return np.concatenate(found)

    @contextmanager
    def _begun(self, purpose: Purpose) -> Iterator[None]:
        try:
            begun = self._calls.begin(
                self, purpose, context=None, timeout_seconds=self._provider.profile.timeout_seconds
            )
            with begun:
                yield
        except GenerationTimeoutError as error:
            # The question's deadline has passed. The pipeline goes on without this provider, as after its own timeout.
            seconds = error.data["timeout_seconds"]
            raise ProviderTimeoutError(provider=self.name, timeout_seconds=seconds) from error
