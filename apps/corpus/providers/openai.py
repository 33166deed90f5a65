"""Embeddings from OpenAI, or from any server that speaks its protocol."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import openai

from .base.exchange import followed
from .base.http import Failures
from .base.openai import OpenAIServer
from .checks import verify_vectors
from .errors import (
    ProviderAuthError,
    ProviderRateLimitedError,
    ProviderRequestError,
    ProviderResponseError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)
from .profiles import EmbeddingProfile
from .protocol import Vectors


class OpenAIProvider(OpenAIServer[EmbeddingProfile]):
    """A provider that makes one HTTP call per `batch_inputs` texts. It never retries: the ingest job does, visibly."""

    failures = Failures(
        timed_out=ProviderTimeoutError,
        unavailable=ProviderUnavailableError,
        unusable=ProviderResponseError,
        key_refused=ProviderAuthError,
        rate_limited=ProviderRateLimitedError,
        request_refused=ProviderRequestError,
    )
    # 2,048 vectors of 3,072 floats as JSON text are about 70 MB; a body past this is not an answer to our question.
    largest_body_bytes = 128 * 1024 * 1024

    def __init__(self, profile: EmbeddingProfile) -> None:
        super().__init__(profile)
        self.dimension, self.max_input_tokens = profile.dimension, profile.max_input_tokens

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed_batch([text])[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        size = self._profile.inputs_at_once
        return np.concatenate([self._embed_batch(texts[start : start + size]) for start in range(0, len(texts), size)])

    def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        body = self._post(
            lambda client, timeout: client.embeddings.with_streaming_response.create(
                model=self.model,
                input=list(texts),
                encoding_format="base64",
                dimensions=self.dimension if self._profile.request_dimensions else openai.omit,
                timeout=timeout,
            )
        )
        return verify_vectors(
            self._vectors_in(body, count=len(texts)),
            provider=self.name,
            count=len(texts),
            dimension=self.dimension,
            normalise=self._profile.normalise or self._profile.request_dimensions,
        )

    def _vectors_in(self, body: bytes, *, count: int) -> np.ndarray[Any, np.dtype[Any]]:
        """Read the vectors in the order of the inputs. The request asks for base64; lists are accepted."""
        try:
            value = json.loads(body)
            followed().note_usage(value)
            rows = value["data"]
            by_index = {int(row["index"]): row["embedding"] for row in rows}
            if sorted(by_index) != list(range(count)) or len(rows) != count:
                raise self._unusable(f"{len(rows)} vectors for {count} texts")
            vectors = [_vector(by_index[index]) for index in range(count)]
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError, binascii.Error) as error:
            raise self._unusable("it is not an embeddings object") from error
        if len({len(vector) for vector in vectors}) != 1:
            raise self._unusable("its vectors differ in length")
        return np.stack(vectors)


def _vector(value: str | list[float]) -> np.ndarray[Any, np.dtype[Any]]:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    return np.asarray(value, dtype=np.float64)
