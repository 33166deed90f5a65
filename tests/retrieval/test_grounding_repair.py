"""What becomes of a model's answer that does not stand: asked once more, shortened, or refused. Over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from apps.retrieval.contracts import GroundingStatus, RefusalReason, Repair
from apps.retrieval.generation.openai import OpenAICompatibleGenerator
from apps.retrieval.generation.profiles import GenerationBackend, GenerationProfile
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.trace import Stage
from tests.model_server import Fault, ModelServer
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, candidate
from tests.retrieval.doubles import asked, dependencies

FOUND = [candidate(CASH_FLOWS, 2, page=60), candidate("Apples and pears are sold on the market.", 3, page=9)]
CASH = "northwind-1|p60|c2"
RIGHT = "Purchases of property, plant and equipment were 1,577 million in 2018."
WRONG_SCALE = "Purchases of property, plant and equipment were 1,577 billion in 2018."
ANOTHER_YEAR = "Purchases of property, plant and equipment were 1,373 million in 2018."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def reply(text: str, *ref_ids: str) -> str:
    return json.dumps({"answer": text, "ref_ids": list(ref_ids or (CASH,))})


def ask(server: ModelServer) -> PipelineResult:
    profile = GenerationProfile(
        name="test",
        backend=GenerationBackend.OPENAI,
        region="eu",
        model="test-chat",
        base_url=server.base_url,
        timeout_seconds=5.0,
        api_key_env="",
    )
    return answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=OpenAICompatibleGenerator(profile)))


def test_an_answer_that_stands_costs_one_request(server: ModelServer) -> None:
    server.reply_with(reply(RIGHT))
    result = ask(server)
    assert (result.answer.text, result.answer.repair, len(server.requests)) == (RIGHT, Repair.NONE, 1)


@pytest.mark.parametrize("wrong", [WRONG_SCALE, ANOTHER_YEAR])
def test_the_model_is_told_what_does_not_stand_and_asked_once_more(server: ModelServer, wrong: str) -> None:
    server.reply_with(reply(wrong), reply(RIGHT))
    result = ask(server)
    assert (result.answer.text, result.answer.grounding, result.answer.repair) == (
        RIGHT,
        GroundingStatus.GROUNDED,
        Repair.ASKED_AGAIN,
    )
    *_, told = server.requests[1].body["messages"]
    assert "does not stand" in told["content"]
    assert wrong.split(" were ")[1].split(" in ")[0] in told["content"]
    record = result.trace.record(Stage.GROUND)
    assert record is not None
    assert any("Repaired" in note for note in record.notes)
    assert record.exclusions


def test_it_is_not_asked_a_third_time(server: ModelServer) -> None:
    server.reply_with(reply(WRONG_SCALE), reply(ANOTHER_YEAR), reply(RIGHT))
    result = ask(server).answer
    assert (result.generator, len(server.requests)) == ("extractive", 2)


def test_an_answer_that_is_withheld_is_replaced_by_quotations_and_marked(server: ModelServer) -> None:
    server.reply_with(reply(WRONG_SCALE), reply(ANOTHER_YEAR))
    result = ask(server).answer
    assert result.text.startswith("Purchases of property, plant and equipment (PP&E)")
    assert "(1,577)" in result.text
    assert result.refusal is None
    (marked,) = result.degradations
    assert marked.code == "retrieval.answer_withheld"
    assert "These are quotations." in marked.message
    (named,) = [notice for notice in result.notices if notice.startswith("Left out")]
    assert "do not confirm it" in named


def test_what_still_does_not_stand_is_taken_out(server: ModelServer) -> None:
    server.reply_with(reply(f"{RIGHT} That is 99 % of all."), reply(f"{RIGHT} That is 98 % of all."))
    result = ask(server)
    assert (result.answer.text, result.answer.repair) == (RIGHT, Repair.SHORTENED)
    assert [citation.ref_id for citation in result.answer.citations] == [CASH]
    assert any("98 %" in notice for notice in result.answer.notices)


def test_the_first_answer_is_shortened_where_the_second_is_no_better(server: ModelServer) -> None:
    server.reply_with(reply(f"{RIGHT} That is 99 % of all."), reply(ANOTHER_YEAR))
    assert ask(server).answer.text == RIGHT


def test_a_model_that_gives_its_answer_up_is_taken_at_its_word(server: ModelServer) -> None:
    server.reply_with(reply(ANOTHER_YEAR), json.dumps({"answer": "", "ref_ids": []}))
    refusal = ask(server).answer.refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NOT_IN_CONTEXT


@pytest.mark.parametrize("second", ["Certainly!", reply(RIGHT, "invented|p1|c1")])
def test_a_second_reply_that_can_not_be_used_is_flagged_and_the_first_mended(server: ModelServer, second: str) -> None:
    server.reply_with(reply(f"{RIGHT} That is 99 % of all."), second)
    result = ask(server).answer
    assert (result.text, result.repair, [each.stage for each in result.degradations]) == (
        RIGHT,
        Repair.SHORTENED,
        ["ground"],
    )


def test_a_provider_that_fails_at_the_repair_leaves_nothing_unchecked(server: ModelServer) -> None:
    server.reply_with(reply(ANOTHER_YEAR))
    server.at_request(2, lambda: Fault.ERROR_500)
    result = ask(server).answer
    assert result.generator == "extractive"
    assert ANOTHER_YEAR not in result.text
    assert [each.code for each in result.degradations] == [
        "retrieval.generation_unavailable",
        "retrieval.answer_withheld",
    ]
