"""The test server itself: a mock that is wrong would prove nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import httpx
import httpx2
import numpy as np
import openai
import pytest

from tests.model_server import Fault, ModelServer, hashed_vector


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def client(server: ModelServer) -> openai.OpenAI:
    return openai.OpenAI(api_key="unused", base_url=server.base_url, max_retries=0, timeout=5)


def ask(client: openai.OpenAI, text: str = "hello, answer in JSON") -> str | None:
    completion = client.chat.completions.create(
        model="test-model", messages=[{"role": "user", "content": text}], response_format={"type": "json_object"}
    )
    return completion.choices[0].message.content


def test_similar_texts_are_nearer_than_different_ones() -> None:
    question = hashed_vector("maximum drawdown of the fund", 384)
    near, far = hashed_vector("the fund's maximum drawdown", 384), hashed_vector("office hours on Friday", 384)
    assert question @ near > 0.7 > 0.3 > question @ far


def test_the_real_client_reads_embeddings(client: openai.OpenAI) -> None:
    answer = client.embeddings.create(model="text-embedding-3-small", input=["alpha fund"])
    assert np.allclose(answer.data[0].embedding, hashed_vector("alpha fund", 1536), atol=1e-6)


def test_replies_are_given_in_order_and_may_look_at_the_request(server: ModelServer, client: openai.OpenAI) -> None:
    server.reply_with("first", lambda body: str(body["model"]))
    assert [ask(client), ask(client)] == ["first", "test-model"]


def test_closing_ends_the_connections_that_clients_keep() -> None:
    before = set(threading.enumerate())
    with ModelServer() as server:
        client = openai.OpenAI(api_key="unused", base_url=server.base_url, max_retries=0, timeout=5)
        ask(client)
        assert len(set(threading.enumerate()) - before) == 2
    assert set(threading.enumerate()) - before == set()


def test_without_a_script_the_first_ref_id_is_cited(client: openai.OpenAI) -> None:
    reply = json.loads(ask(client, "JSON. Context: [doc-7|p34|c2] The drawdown was 12 %.") or "")
    assert reply["ref_ids"] == ["doc-7|p34|c2"]


def test_a_stream_carries_the_whole_reply(server: ModelServer, client: openai.OpenAI) -> None:
    server.reply_with("one two three")
    stream = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}], stream=True)
    assert "".join(part.choices[0].delta.content or "" for part in stream) == "one two three"


def test_a_truncated_stream_breaks_off(server: ModelServer, client: openai.OpenAI) -> None:
    server.reply_with("one two three four")
    server.fail_with(Fault.TRUNCATED)
    stream = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}], stream=True)
    with pytest.raises((httpx2.RemoteProtocolError, openai.APIConnectionError)):
        list(stream)


def test_a_stream_that_fails_in_the_middle_says_so(server: ModelServer, client: openai.OpenAI) -> None:
    server.reply_with("one two three four")
    server.fail_with(Fault.STREAM_ERROR)
    stream = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}], stream=True)
    with pytest.raises(openai.APIError, match="had an error"):
        list(stream)


def test_a_stream_that_stalls_is_given_up(server: ModelServer) -> None:
    impatient = openai.OpenAI(api_key="unused", base_url=server.base_url, max_retries=0, timeout=0.3)
    server.reply_with("one two")
    server.fail_with(Fault.TRICKLE)
    stream = impatient.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}], stream=True)
    with pytest.raises((httpx2.TimeoutException, openai.APITimeoutError)):
        list(stream)


def test_json_mode_needs_the_word_as_it_does_at_openai(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="must contain the word 'json'"):
        ask(client, "hello")


def test_a_request_without_messages_is_refused(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="messages"):
        client.chat.completions.create(model="m", messages=[])


@pytest.mark.parametrize("fault", [Fault.RATE_LIMITED, Fault.RETRY_AT_DATE])
def test_a_rate_limit_says_when_to_come_again(server: ModelServer, client: openai.OpenAI, fault: Fault) -> None:
    server.fail_with(fault)
    with pytest.raises(openai.RateLimitError) as told:
        ask(client)
    wait = told.value.response.headers["retry-after"]
    assert wait == "7" if fault is Fault.RATE_LIMITED else wait.endswith("GMT")


def test_a_client_that_may_try_again_waits_as_long_as_it_is_told() -> None:
    with ModelServer(retry_after_seconds=1) as server:
        patient = openai.OpenAI(api_key="unused", base_url=server.base_url, max_retries=1, timeout=5)
        server.fail_with(Fault.RATE_LIMITED, times=1)
        began = time.monotonic()
        assert ask(patient)
        assert time.monotonic() - began >= 1
        assert len(server.requests) == 2


def test_the_key_is_asked_for_where_one_is_set() -> None:
    with ModelServer(api_key="sk-right") as server:
        wrong = openai.OpenAI(api_key="sk-wrong", base_url=server.base_url, max_retries=0, timeout=5)
        with pytest.raises(openai.AuthenticationError):
            ask(wrong)
        assert ask(openai.OpenAI(api_key="sk-right", base_url=server.base_url, max_retries=0, timeout=5))


def test_models_are_listed(client: openai.OpenAI) -> None:
    assert "text-embedding-3-small" in [model.id for model in client.models.list()]


def test_a_fault_ends_after_its_times(server: ModelServer, client: openai.OpenAI) -> None:
    server.fail_with(Fault.ERROR_500, times=2)
    for _ in range(2):
        with pytest.raises(openai.InternalServerError):
            ask(client)
    assert ask(client)


def test_requests_are_recorded_with_their_bodies(server: ModelServer, client: openai.OpenAI) -> None:
    ask(client, "who? (JSON)")
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].body["messages"][0]["content"] == "who? (JSON)"


@pytest.mark.slow
def test_it_runs_as_a_process_of_its_own() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.model_server", "--fault", "error_500"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            base_url = json.loads(process.stdout.readline())["base_url"]
            root = base_url.removesuffix("/v1")
            assert httpx.get(f"{base_url}/models").status_code == 500
            httpx.post(f"{root}/control/fault", json={"fault": None})
            assert httpx.get(f"{base_url}/models").status_code == 200
            assert len(httpx.get(f"{root}/control/requests").json()) == 2
        finally:
            process.kill()
