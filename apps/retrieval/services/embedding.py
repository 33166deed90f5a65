"""Record each request to an embedding provider that a question makes, within the question's deadline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from apps.corpus.providers.base.receivers import Model, Purpose
from apps.corpus.providers.errors import ProviderTimeoutError
from apps.corpus.providers.recording import RecordingProvider
from apps.corpus.providers.registry import ResidencyBoundProvider
from apps.retrieval.errors import GenerationTimeoutError
from apps.retrieval.generation.calls import Calls


def recorded_embedder(provider: ResidencyBoundProvider, calls: Calls) -> RecordingProvider:
    """Return the provider for one question."""

    @contextmanager
    def begin(to: Model, purpose: Purpose, timeout_seconds: float) -> Iterator[None]:
        try:
            with calls.begin(to, purpose, context=None, timeout_seconds=timeout_seconds):
                yield
        except GenerationTimeoutError as error:
            # The question's deadline has passed. The pipeline goes on without this provider, as after its own timeout.
            seconds = error.data["timeout_seconds"]
            raise ProviderTimeoutError(provider=to.name, timeout_seconds=seconds) from error

    return RecordingProvider(provider, begin)
