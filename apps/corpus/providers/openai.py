"""Embeddings from OpenAI, or from any server that speaks its protocol."""

from __future__ import annotations

import base64
import binascii
import json
import os
import time
from collections.abc import Sequence
from typing import Any

import httpx2
import numpy as np
import openai

from .checks import verify_vectors
from .errors import (
    ProviderAuthError,
    ProviderError,
    ProviderRateLimitedError,
    ProviderRequestError,
    ProviderResponseError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)
from .profiles import EmbeddingProfile
from .protocol import Vectors

DEFAULT_BATCH_INPUTS = 128
# Set here, since the client would otherwise use OPENAI_BASE_URL, and an environment variable must not send a tenant's
# text to another region than the profile says.
PUBLIC_BASE_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT_SECONDS = 5.0
# 2,048 vectors of 3,072 floats as JSON text are about 70 MB; a body past this is not an answer to our question.
LARGEST_BODY_BYTES = 128 * 1024 * 1024


class OpenAIProvider:
    """A provider that makes one HTTP call per `batch_inputs` texts. It never retries: the ingest job does, visibly."""

    def __init__(self, profile: EmbeddingProfile) -> None:
        self._profile = profile
        self._batch_inputs = profile.batch_inputs or DEFAULT_BATCH_INPUTS
        self._client: openai.OpenAI | None = None

    @property
    def name(self) -> str:
        return self._profile.name

    @property
    def model(self) -> str:
        return self._profile.model

    @property
    def dimension(self) -> int:
        return self._profile.dimension

    @property
    def region(self) -> str:
        return self._profile.region

    @property
    def max_input_tokens(self) -> int:
        return self._profile.max_input_tokens

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed_batch([text])[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        batches = [texts[start : start + self._batch_inputs] for start in range(0, len(texts), self._batch_inputs)]
        return np.concatenate([self._embed_batch(batch) for batch in batches])

    def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        body = self._post(texts)
        vectors = _vectors_in(body, provider=self.name, count=len(texts))
        return verify_vectors(
            vectors,
            provider=self.name,
            count=len(texts),
            dimension=self.dimension,
            normalise=self._profile.normalise or self._profile.request_dimensions,
        )

    def _post(self, texts: Sequence[str]) -> bytes:
        """Send one request and read the whole body before the deadline.

        The client's own timeout counts from one received block to the next, so a server that sends one byte per second
        would hold a worker for ever. Reading the body block by block applies the deadline to the whole body.
        """
        deadline = time.monotonic() + self._profile.timeout_seconds
        blocks: list[bytes] = []
        size_bytes = 0
        try:
            with self._connected().embeddings.with_streaming_response.create(
                model=self.model,
                input=list(texts),
                encoding_format="base64",
                dimensions=self.dimension if self._profile.request_dimensions else openai.omit,
            ) as response:
                for block in response.iter_bytes():
                    blocks.append(block)
                    size_bytes += len(block)
                    if time.monotonic() > deadline:
                        raise self._timed_out()
                    if size_bytes > LARGEST_BODY_BYTES:
                        raise ProviderResponseError(provider=self.name, reason="the answer is too large")
        except openai.OpenAIError as error:
            raise self._translated(error) from error
        except httpx2.TimeoutException as error:
            raise self._timed_out() from error
        except httpx2.RequestError as error:
            raise ProviderUnavailableError(provider=self.name, reason="the connection broke off") from error
        return b"".join(blocks)

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            variable = self._profile.api_key_env
            key = os.environ.get(variable, "") if variable else "unused"
            if not key:
                raise ProviderAuthError(provider=self.name, api_key_env=variable)
            self._client = openai.OpenAI(
                api_key=key,
                base_url=self._profile.base_url or PUBLIC_BASE_URL,
                max_retries=0,
                timeout=openai.Timeout(self._profile.timeout_seconds, connect=CONNECT_TIMEOUT_SECONDS),
            )
        return self._client

    def _timed_out(self) -> ProviderTimeoutError:
        return ProviderTimeoutError(provider=self.name, timeout_seconds=self._profile.timeout_seconds)

    def _translated(self, error: openai.OpenAIError) -> ProviderError:
        match error:
            case openai.APITimeoutError():
                return self._timed_out()
            case openai.APIConnectionError():
                return ProviderUnavailableError(provider=self.name, reason="no connection")
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return ProviderAuthError(provider=self.name, api_key_env=self._profile.api_key_env or "the key")
            case openai.RateLimitError():
                return ProviderRateLimitedError(
                    provider=self.name, retry_after_seconds=_seconds_in(error.response.headers.get("retry-after"))
                )
            case openai.APIStatusError() if error.status_code >= 500 or error.status_code in (408, 409):
                return ProviderUnavailableError(provider=self.name, reason=f"HTTP {error.status_code}")
            case openai.APIStatusError():
                return ProviderRequestError(provider=self.name, http_status=error.status_code)
            case _:
                return ProviderUnavailableError(provider=self.name, reason=type(error).__name__)


def _vectors_in(body: bytes, *, provider: str, count: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Read the vectors of a response in the order of the inputs. The request asks for base64; lists are accepted."""
    try:
        rows = json.loads(body)["data"]
        by_index = {int(row["index"]): row["embedding"] for row in rows}
        if sorted(by_index) != list(range(count)) or len(rows) != count:
            raise ProviderResponseError(provider=provider, reason=f"{len(rows)} vectors for {count} texts")
        vectors = [_vector(by_index[index]) for index in range(count)]
    except (ValueError, TypeError, KeyError, binascii.Error) as error:
        raise ProviderResponseError(provider=provider, reason="it is not an embeddings object") from error
    if len({len(vector) for vector in vectors}) != 1:
        raise ProviderResponseError(provider=provider, reason="its vectors differ in length")
    return np.stack(vectors)


def _vector(value: str | list[float]) -> np.ndarray[Any, np.dtype[Any]]:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    return np.asarray(value, dtype=np.float64)


def _seconds_in(header: str | None) -> float | None:
    """Read Retry-After in seconds; its other form, a date, is left to the job's own backoff."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
