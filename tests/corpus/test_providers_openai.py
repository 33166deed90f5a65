"""The OpenAI provider against a server that speaks the protocol, well and badly."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from apps.corpus.providers.errors import (
    ProviderAuthError,
    ProviderError,
    ProviderRateLimitedError,
    ProviderRequestError,
    ProviderResponseError,
    ProviderTimeoutError,
    ProviderUnavailableError,
)
from apps.corpus.providers.openai import OpenAIProvider
from apps.corpus.providers.profiles import EMBEDDING_PROFILES
from tests.model_server import Fault, ModelServer, hashed_vector

KEY = "sk-test"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_EMBEDDING_KEY", KEY)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(api_key=KEY) as running:
        yield running


def provider_at(server: ModelServer, **entry: Any) -> OpenAIProvider:
    base: dict[str, Any] = {
        "backend": "openai",
        "model": "text-embedding-3-small",
        "dimension": 1536,
        "region": "us",
        "base_url": server.base_url,
        "api_key_env": "TEST_EMBEDDING_KEY",
        "timeout_seconds": 5,
    }
    return OpenAIProvider(EMBEDDING_PROFILES.parse("openai", {**base, **entry}))


def test_a_query_comes_back_as_the_model_made_it(server: ModelServer) -> None:
    vector = provider_at(server).embed_query("What was the drawdown?")
    assert vector.shape == (1536,)
    assert vector.dtype == np.float32
    assert np.allclose(vector, hashed_vector("What was the drawdown?", 1536), atol=1e-6)


def test_documents_keep_their_order_across_batches(server: ModelServer) -> None:
    texts = [f"passage {number}" for number in range(7)]
    vectors = provider_at(server, batch_inputs=3).embed_documents(texts)
    assert np.allclose(vectors, [hashed_vector(text, 1536) for text in texts], atol=1e-6)


def test_no_request_carries_more_inputs_than_allowed(server: ModelServer) -> None:
    provider_at(server, batch_inputs=3).embed_documents(["a b"] * 7)
    assert [len(request.body["input"]) for request in server.requests] == [3, 3, 1]


def test_no_documents_cost_no_request(server: ModelServer) -> None:
    vectors = provider_at(server).embed_documents([])
    assert vectors.shape == (0, 1536)
    assert server.requests == ()


def test_dimensions_are_asked_for_only_where_configured(server: ModelServer) -> None:
    provider_at(server).embed_query("drawdown")
    provider_at(server, dimension=256, request_dimensions=True).embed_query("drawdown")
    assert [request.body.get("dimensions") for request in server.requests] == [None, 256]


def test_shortened_vectors_are_brought_to_unit_norm(server: ModelServer) -> None:
    server.fail_with(Fault.NOT_UNIT_NORM)
    vector = provider_at(server, dimension=256, request_dimensions=True).embed_query("drawdown")
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)


def test_the_key_and_the_compact_encoding_are_sent(server: ModelServer) -> None:
    provider_at(server).embed_query("drawdown")
    request = server.requests[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["encoding_format"] == "base64"


FAULTS: list[tuple[Fault, type[ProviderError]]] = [
    (Fault.ERROR_500, ProviderUnavailableError),
    (Fault.DROPPED, ProviderUnavailableError),
    (Fault.TRUNCATED, ProviderUnavailableError),
    (Fault.RATE_LIMITED, ProviderRateLimitedError),
    (Fault.RETRY_AT_DATE, ProviderRateLimitedError),
    (Fault.MALFORMED_JSON, ProviderResponseError),
    (Fault.UNAUTHORISED, ProviderAuthError),
    (Fault.BAD_REQUEST, ProviderRequestError),
    (Fault.NOT_JSON, ProviderResponseError),
    (Fault.WRONG_LENGTH, ProviderResponseError),
    (Fault.WRONG_COUNT, ProviderResponseError),
    (Fault.NOT_A_NUMBER, ProviderResponseError),
    (Fault.ZERO_VECTOR, ProviderResponseError),
    (Fault.NOT_UNIT_NORM, ProviderResponseError),
]


@pytest.mark.parametrize(("fault", "expected"), FAULTS)
def test_each_fault_is_its_own_error(server: ModelServer, fault: Fault, expected: type[ProviderError]) -> None:
    server.fail_with(fault)
    with pytest.raises(expected):
        provider_at(server).embed_documents(["alpha fund", "beta fund"])


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.TRICKLE])
def test_a_server_that_takes_too_long_is_given_up(server: ModelServer, fault: Fault) -> None:
    server.fail_with(fault)
    started = time.monotonic()
    with pytest.raises(ProviderTimeoutError, match=r"0\.4 s"):
        provider_at(server, timeout_seconds=0.4).embed_query("drawdown")
    assert time.monotonic() - started < 3


def test_a_body_past_the_limit_is_given_up(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenAIProvider, "largest_body_bytes", 1_000)
    with pytest.raises(ProviderResponseError, match="too large"):
        provider_at(server).embed_query("drawdown")


def test_a_failure_is_not_tried_again_behind_the_callers_back(server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500)
    with pytest.raises(ProviderUnavailableError):
        provider_at(server).embed_query("drawdown")
    assert len(server.requests) == 1


def test_the_wait_that_a_server_asks_for_is_carried(server: ModelServer) -> None:
    server.fail_with(Fault.RATE_LIMITED)
    with pytest.raises(ProviderRateLimitedError) as caught:
        provider_at(server).embed_query("drawdown")
    assert caught.value.retry_after_seconds == 7.0


def test_the_same_provider_works_again_after_a_fault(server: ModelServer) -> None:
    provider = provider_at(server)
    server.fail_with(Fault.DROPPED, times=1)
    with pytest.raises(ProviderUnavailableError):
        provider.embed_query("drawdown")
    assert provider.embed_query("drawdown").shape == (1536,)


def test_nobody_listening_is_unavailable() -> None:
    with ModelServer() as closed:
        provider = provider_at(closed)
    with pytest.raises(ProviderUnavailableError):
        provider.embed_query("drawdown")


def test_a_missing_key_names_its_variable(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_EMBEDDING_KEY")
    with pytest.raises(ProviderAuthError, match="TEST_EMBEDDING_KEY"):
        provider_at(server).embed_query("drawdown")
    assert server.requests == ()


def test_a_server_without_keys_needs_none() -> None:
    with ModelServer() as server:
        assert provider_at(server, api_key_env="").embed_query("drawdown").shape == (1536,)


def test_an_environment_variable_does_not_move_the_text_elsewhere(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    provider = provider_at(server, base_url="")
    assert str(provider._connected().base_url) == "https://api.openai.com/v1/"


def test_plain_lists_are_understood_as_well(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.model_server._base64", lambda vector: vector.tolist())
    assert np.allclose(provider_at(server).embed_query("alpha fund"), hashed_vector("alpha fund", 1536), atol=1e-6)


def test_broken_base64_is_not_an_embedding(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.model_server._base64", lambda vector: "%%%" + base64.b64encode(b"abc").decode())
    with pytest.raises(ProviderResponseError, match="not an embeddings object"):
        provider_at(server).embed_query("alpha fund")


def test_errors_never_carry_the_text(server: ModelServer) -> None:
    server.fail_with(Fault.BAD_REQUEST)
    with pytest.raises(ProviderError) as caught:
        provider_at(server).embed_query("Charlie's salary")
    assert "Charlie" not in str(caught.value) + repr(caught.value.data)
