from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from apps.retrieval.contracts import RefusalReason
from apps.retrieval.errors import (
    GenerationError,
    GenerationKeyError,
    GenerationRateLimitedError,
    GenerationRequestError,
    GenerationTimeoutError,
    GenerationUnavailableError,
    MalformedAnswerError,
    UnknownReferenceError,
)
from apps.retrieval.generation.openai import OpenAICompatibleGenerator
from apps.retrieval.generation.profiles import GenerationBackend, GenerationProfile
from tests.model_server import Fault, ModelServer
from tests.retrieval.builders import analysed, candidate, context_of

ANALYSIS = analysed("What does the custody policy say?")
CONTEXT = context_of(ANALYSIS, [candidate("The custody policy covers client assets.")])
(REF_ID,) = (passage.ref_id for passage in CONTEXT.passages)
GOOD = json.dumps({"answer": "It covers client assets.", "ref_ids": [REF_ID]})
INVENTED = json.dumps({"answer": "It covers all.", "ref_ids": ["invented|p1|c1"]})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def generator(server: ModelServer, *, timeout_seconds: float = 5.0, api_key_env: str = "") -> OpenAICompatibleGenerator:
    return OpenAICompatibleGenerator(
        GenerationProfile(
            name="test",
            backend=GenerationBackend.OPENAI,
            region="eu",
            model="test-chat",
            base_url=server.base_url,
            timeout_seconds=timeout_seconds,
            api_key_env=api_key_env,
        )
    )


def test_answer_with_its_ref_ids(server: ModelServer) -> None:
    server.reply_with(GOOD)
    answer = generator(server).generate(ANALYSIS, CONTEXT)
    assert (answer.text, answer.ref_ids, answer.attempts) == ("It covers client assets.", (REF_ID,), 1)


def test_request_is_in_json_mode_at_temperature_zero(server: ModelServer) -> None:
    server.reply_with(GOOD)
    generator(server).generate(ANALYSIS, CONTEXT)
    body = server.requests[0].body
    assert (body["response_format"], body["temperature"], body["model"]) == ({"type": "json_object"}, 0.0, "test-chat")


def test_context_goes_as_data_to_the_user_s_turn(server: ModelServer) -> None:
    server.reply_with(GOOD)
    generator(server).generate(ANALYSIS, CONTEXT)
    system, user = server.requests[0].body["messages"]
    assert CONTEXT.text in user["content"]
    assert CONTEXT.text not in system["content"]


def test_malformed_reply_is_sent_back_once(server: ModelServer) -> None:
    server.reply_with("Certainly!", GOOD)
    answer = generator(server).generate(ANALYSIS, CONTEXT)
    assert answer.attempts == 2
    assert answer.notes == ("The first reply was sent back: it is not one JSON object.",)


def test_twice_malformed_is_an_error(server: ModelServer) -> None:
    server.reply_with("Certainly!", "Really!")
    with pytest.raises(MalformedAnswerError, match="even when asked again"):
        generator(server).generate(ANALYSIS, CONTEXT)
    assert len(server.requests) == 2


def test_twice_an_invented_ref_id_is_an_error(server: ModelServer) -> None:
    server.reply_with(INVENTED, INVENTED)
    with pytest.raises(UnknownReferenceError, match="cited 1 passages that it was not given"):
        generator(server).generate(ANALYSIS, CONTEXT)


def test_empty_answer_is_a_refusal(server: ModelServer) -> None:
    server.reply_with(json.dumps({"answer": "", "ref_ids": []}))
    refusal = generator(server).generate(ANALYSIS, CONTEXT).refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NOT_IN_CONTEXT


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.ERROR_500, GenerationUnavailableError),
        (Fault.RATE_LIMITED, GenerationRateLimitedError),
        (Fault.RETRY_AT_DATE, GenerationRateLimitedError),
        (Fault.CUT_SHORT, GenerationUnavailableError),
        (Fault.FILTERED, GenerationUnavailableError),
        (Fault.NO_CHOICES, GenerationUnavailableError),
        (Fault.MALFORMED_JSON, GenerationUnavailableError),
        (Fault.DROPPED, GenerationUnavailableError),
        (Fault.TRUNCATED, GenerationUnavailableError),
        (Fault.NOT_JSON, GenerationUnavailableError),
        (Fault.UNAUTHORISED, GenerationKeyError),
        (Fault.BAD_REQUEST, GenerationRequestError),
    ],
)
def test_faults_of_the_server_have_their_errors(
    server: ModelServer, fault: Fault, error: type[GenerationError]
) -> None:
    server.fail_with(fault)
    with pytest.raises(error):
        generator(server).generate(ANALYSIS, CONTEXT)


@pytest.mark.parametrize(
    ("fault", "told"),
    [(Fault.RATE_LIMITED, r"again in 7 seconds"), (Fault.RETRY_AT_DATE, r"again after \w{3}, .* GMT")],
)
def test_a_rate_limit_tells_when_to_ask_again(server: ModelServer, fault: Fault, told: str) -> None:
    server.fail_with(fault)
    with pytest.raises(GenerationRateLimitedError, match=told):
        generator(server).generate(ANALYSIS, CONTEXT)


def test_half_an_answer_is_no_answer(server: ModelServer) -> None:
    server.reply_with(GOOD)
    server.fail_with(Fault.CUT_SHORT)
    with pytest.raises(GenerationUnavailableError, match="was cut off"):
        generator(server).generate(ANALYSIS, CONTEXT)


def test_a_reply_without_content_is_sent_back_and_then_an_error(server: ModelServer) -> None:
    server.fail_with(Fault.NO_CONTENT)
    with pytest.raises(MalformedAnswerError):
        generator(server).generate(ANALYSIS, CONTEXT)
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.TRICKLE])
def test_slow_server_is_left_at_the_deadline(server: ModelServer, fault: Fault) -> None:
    server.fail_with(fault)
    with pytest.raises(GenerationTimeoutError, match=r"within 0\.3 seconds"):
        generator(server, timeout_seconds=0.3).generate(ANALYSIS, CONTEXT)


def test_reply_past_the_limit_is_left(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenAICompatibleGenerator, "largest_body_bytes", 10)
    with pytest.raises(GenerationUnavailableError, match="too large"):
        generator(server).generate(ANALYSIS, CONTEXT)


def test_nobody_listens() -> None:
    with ModelServer() as closed:
        pass
    with pytest.raises(GenerationUnavailableError, match="no connection"):
        generator(closed).generate(ANALYSIS, CONTEXT)


def test_missing_key_names_its_variable(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_CHAT_KEY", raising=False)
    with pytest.raises(GenerationKeyError, match="Set TEST_CHAT_KEY"):
        generator(server, api_key_env="TEST_CHAT_KEY").generate(ANALYSIS, CONTEXT)
    assert server.requests == ()
