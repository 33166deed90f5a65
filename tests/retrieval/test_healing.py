"""Asking for what the candidates lack: by words, by a model, and when it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import Candidate, Healing, Ranking, SearchBounds, SearchQuery
from apps.retrieval.dependencies import Slots
from apps.retrieval.optional.healing.coverage import coverage_of, phrases_for
from apps.retrieval.optional.healing.healer import ADDED_A_ROUND, CoverageHealer
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.services.recording import recorded_hits
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import FusedRanking, HealedList, Stage, StageRecord, StageStatus
from tests.model_server import Fault, ModelServer
from tests.retrieval.builders import analysed, candidate
from tests.retrieval.doubles import ListRetriever, asked, dependencies
from tests.retrieval.wording_model import healing, model_of, profile, reply

QUESTION = "How do capital expenditures and treasury stock compare with the dividend policy?"
ANALYSIS = analysed(QUESTION)
CAPEX = candidate("Capital expenditures were 1,577 in 2018.", 1)
TREASURY = candidate("Treasury stock of 4,870 was bought back.", 2)
DIVIDENDS = candidate("The dividend policy is compared once a year.", 3)
OTHER = candidate("Apples and pears are sold on the market.", 4)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@dataclass(slots=True)
class Shelf:
    """Answers each sub-query with the next of its finds, then with nothing; remembers what it was asked."""

    finds: Sequence[tuple[Candidate, ...]]
    asked: list[str] = field(default_factory=list)

    def __call__(self, text: str) -> tuple[Candidate, ...]:
        self.asked.append(text)
        return self.finds[len(self.asked) - 1] if len(self.asked) <= len(self.finds) else ()


def healed(shelf: Shelf, *candidates: Candidate, rounds: int = 5, minimum: float = 1.0, model: Any = None) -> Healing:
    healer = CoverageHealer(model, StageSettings(model_wording_timeout_seconds=1.0))
    return healer.heal(ANALYSIS, candidates, search=shelf, rounds=rounds, minimum_coverage=minimum)


def numbers(found: Sequence[Candidate]) -> list[int]:
    return [each.hit.chunk_id.int for each in found]


# --- what is covered ---


def test_nothing_found_covers_nothing() -> None:
    coverage = coverage_of([], ANALYSIS)
    assert (coverage.share, len(coverage.missing)) == (0.0, len(ANALYSIS.concepts))


def test_passages_cover_together_what_none_covers_alone() -> None:
    alone = [coverage_of([each], ANALYSIS).share for each in (CAPEX, TREASURY, DIVIDENDS)]
    together = coverage_of([CAPEX, TREASURY, DIVIDENDS], ANALYSIS)
    assert max(alone) < together.share == pytest.approx(1.0)
    assert together.missing == ()


def test_what_is_missing_is_put_in_the_question_s_words_and_then_the_glossary_s() -> None:
    missing = coverage_of([TREASURY, DIVIDENDS], ANALYSIS).missing
    assert [each.label for each in missing] == ["capital expenditure"]
    phrases = phrases_for(missing[0], ANALYSIS)
    assert phrases[0] == "capital expenditures"
    assert "purchases of property, plant and equipment" in phrases


def test_a_plain_word_is_asked_for_as_written_and_not_as_its_stem() -> None:
    said = [phrases_for(each, ANALYSIS)[0] for each in coverage_of([CAPEX], ANALYSIS).missing]
    assert "policy" in said


# --- rounds ---


def test_covered_questions_are_not_asked_again() -> None:
    result = healed(shelf := Shelf([]), CAPEX, TREASURY, DIVIDENDS, minimum=0.7)
    assert (shelf.asked, result.rounds, result.candidates) == ([], (), (CAPEX, TREASURY, DIVIDENDS))
    assert result.ended == "At least 70% of the question is covered."


def test_what_is_missing_is_asked_for_and_added() -> None:
    result = healed(shelf := Shelf([(OTHER, CAPEX)]), TREASURY, DIVIDENDS)
    assert shelf.asked == ["capital expenditures"]
    assert numbers(result.candidates) == [2, 3, 1]
    (made,) = result.rounds
    assert (made.found, made.added, made.by, made.missing) == (2, 1, "", ("capital expenditures",))
    assert made.coverage < result.coverage == pytest.approx(1.0)


def test_what_is_added_comes_after_the_best_and_before_the_rest() -> None:
    rest = [candidate("The dividend policy is compared with treasury stock.", number) for number in range(5, 10)]
    result = healed(Shelf([(CAPEX,)]), *rest)
    assert numbers(result.candidates) == [5, 6, 7, 1, 8, 9]


def test_no_round_adds_more_than_its_share() -> None:
    many = tuple(candidate("Capital expenditures of the year.", number) for number in range(10, 20))
    result = healed(Shelf([many]), TREASURY, DIVIDENDS)
    assert (result.rounds[0].found, result.rounds[0].added) == (10, ADDED_A_ROUND)


def test_healing_stops_where_no_new_passage_comes() -> None:
    result = healed(shelf := Shelf([(TREASURY,)]), TREASURY, DIVIDENDS)
    assert len(shelf.asked) == 1
    assert result.ended == "The search for it found no passage that was not known."


def test_a_passage_that_was_turned_away_before_is_not_new() -> None:
    result = healed(shelf := Shelf([(OTHER,), (OTHER,), (CAPEX,)]), TREASURY, DIVIDENDS)
    assert len(shelf.asked) == 2
    assert result.candidates == (TREASURY, DIVIDENDS)


def test_healing_stops_where_no_new_phrase_is_left() -> None:
    useless = [(candidate("Apples and pears are sold on the market.", number),) for number in range(20, 60)]
    result = healed(shelf := Shelf(useless), TREASURY, DIVIDENDS, rounds=40)
    assert len(shelf.asked) == len(set(shelf.asked)) == len(phrases_for(ANALYSIS.concepts[0], ANALYSIS))
    assert result.ended == "There is no other wording for what is missing."


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_no_more_rounds_than_the_policy_allows(rounds: int) -> None:
    useless = [(candidate("Apples and pears are sold on the market.", number),) for number in range(20, 60)]
    result = healed(shelf := Shelf(useless), TREASURY, DIVIDENDS, rounds=rounds)
    assert (len(shelf.asked), len(result.rounds)) == (rounds, rounds)
    assert result.ended == "The policy allows no further round."


def test_the_same_question_heals_the_same_way() -> None:
    first, second = (healed(Shelf([(OTHER,), (CAPEX,)]), TREASURY) for _ in range(2))
    assert first == second


# --- by a model ---


def test_the_model_puts_the_sub_query_where_there_is_one(settings: Any, server: ModelServer) -> None:
    server.reply_with(reply("money spent on plants"))
    result = healed(shelf := Shelf([(CAPEX,)]), TREASURY, DIVIDENDS, model=model_of(settings, profile(server)))
    assert (shelf.asked, result.rounds[0].by) == (["money spent on plants"], "chat")
    sent = json.loads(server.requests[0].body["messages"][1]["content"])
    assert sent == {"question": QUESTION, "missing": ["capital expenditures"], "already searched for": [QUESTION]}


def test_a_model_that_repeats_itself_ends_it(settings: Any, server: ModelServer) -> None:
    server.reply_with(reply("plants"), reply("Plants!"))
    result = healed(shelf := Shelf([(OTHER,)]), TREASURY, model=model_of(settings, profile(server)))
    assert shelf.asked == ["plants"]
    assert result.ended == "There is no other wording for what is missing."


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault.ERROR_500, "retrieval.generation_unavailable"),
        (Fault.TRICKLE, "retrieval.generation_timeout"),
        (Fault.NO_CONTENT, "retrieval.malformed_wordings"),
    ],
)
def test_a_failing_model_is_replaced_by_words_and_said(
    settings: Any, server: ModelServer, fault: Fault, code: str
) -> None:
    server.fail_with(fault)
    result = healed(
        shelf := Shelf([(OTHER,), (CAPEX,)]), TREASURY, DIVIDENDS, model=model_of(settings, profile(server))
    )
    assert result.degradation is not None
    assert (result.degradation.stage, result.degradation.code) == ("heal", code)
    assert len(shelf.asked) == 2
    assert len(server.requests) == 1, "it is asked once, and not again in each round"
    assert numbers(result.candidates) == [2, 3, 1]


def test_nothing_is_sent_out_of_the_tenant_s_region(settings: Any, server: ModelServer) -> None:
    result = healed(Shelf([(CAPEX,)]), TREASURY, model=model_of(settings, profile(server, region="us")))
    assert server.requests == ()
    assert result.degradation is not None
    assert "must stay in region eu" in result.degradation.message


def test_a_profile_without_a_model_asks_by_words_and_fails_nothing(settings: Any) -> None:
    model = model_of(settings, {"backend": "extractive", "region": "us"})
    result = healed(shelf := Shelf([(CAPEX,)]), TREASURY, DIVIDENDS, model=model)
    assert (shelf.asked, result.degradation, result.rounds[0].by) == (["capital expenditures"], None, "")


# --- in the pipeline ---


class FindsMoreLater(ListRetriever):
    """Finds its first passage for the question, and all of them for what is asked afterwards."""

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        found = ListRetriever.retrieve(self, query, within=within, top_k=top_k)
        first = len([each for each, _ in self.seen if not each.required_terms]) == 1
        return Ranking(name=found.name, hits=found.hits[:1]) if first else found


def through_the_pipeline(slots: Slots, rounds: int = 2) -> tuple[PipelineResult, FindsMoreLater, StageRecord]:
    held = [TREASURY, DIVIDENDS, CAPEX]
    dense, sparse = FindsMoreLater("dense", held), FindsMoreLater("sparse", held)
    policy = RetrievalSettings(heal_rounds=rounds)
    result = answer(asked(QUESTION), deps=dependencies(held, dense=dense, sparse=sparse, slots=slots, policy=policy))
    record = result.trace.record(Stage.HEAL)
    assert record is not None
    return result, sparse, record


def test_each_round_is_searched_within_the_same_bounds_and_stands_in_the_trace() -> None:
    result, sparse, record = through_the_pipeline(healing())
    bounds = [within for _, within in sparse.seen]
    assert len({repr(each) for each in bounds}) == 1
    assert (record.status, record.count_in, record.count_out) == (StageStatus.RAN, 1, 3)
    assert record.notes[0].startswith("Round 1: ")
    assert isinstance(record.output, HealedList)
    assert len(record.output.rounds) == 1
    first, again = result.trace.outputs(FusedRanking)
    assert {each.ranking for hit in first.hits for each in hit.ranks} <= {"dense", "sparse", "statements"}
    assert {each.ranking for hit in again.hits for each in hit.ranks} == {"dense heal 1", "sparse heal 1"}


def test_the_record_holds_what_only_a_later_search_found() -> None:
    result, _, _ = through_the_pipeline(healing())
    hits = recorded_hits(result.trace)
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert {hit["chunk_id"] for hit in hits} == {str(each.hit.chunk_id) for each in (TREASURY, DIVIDENDS, CAPEX)}
    assert all(hit["ref_id"] for hit in hits)


def test_a_policy_without_rounds_heals_nothing() -> None:
    _, sparse, record = through_the_pipeline(healing(), rounds=0)
    assert record.status is StageStatus.SKIPPED
    assert len([query for query, _ in sparse.seen if not query.required_terms]) == 1


def test_a_model_that_fails_while_healing_flags_the_answer(settings: Any, server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500)
    result, _, record = through_the_pipeline(healing(model_of(settings, profile(server))))
    assert record.status is StageStatus.DEGRADED
    assert [(each.stage, each.code) for each in result.answer.degradations] == [
        ("heal", "retrieval.generation_unavailable")
    ]
