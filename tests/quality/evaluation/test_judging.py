"""One question judged, and many together: what counts where, and what is left out."""

from __future__ import annotations

import pytest

from apps.quality.evaluation.contracts import EvaluationQuestion, Observation
from apps.quality.evaluation.figures import Judged, by_stage, by_type, is_failure, latency_of, metrics_of
from apps.quality.evaluation.judging import judge
from tests.quality.evaluation.rankings import observation, question

KEYS = {
    "page_recall@1",
    "page_recall@5",
    "page_recall@10",
    "page_recall@30",
    "document_hit@5",
    "mrr",
    "ndcg@10",
    "precision@5",
    "context_precision",
    "context_recall",
    "faithfulness",
    "pass_rate",
    "answered",
    "refused",
}


def judged(asked: EvaluationQuestion, seen: Observation) -> Judged:
    return Judged(question=asked, seen=seen, judgement=judge(asked, seen))


def test_ranks_and_the_context_are_those_of_the_expected_pages() -> None:
    found = judge(question("a2", "a7"), observation("b1", "a2", "a2", context=("a2", "b1", "c1", "a2")))
    assert found.ranks == {("a", 2): 2, ("a", 7): None}
    assert found.first_rank == 2
    assert (found.scores["context_precision"], found.scores["context_recall"]) == (0.5, 0.5)
    assert (found.scores["page_recall@1"], found.scores["page_recall@5"], found.scores["mrr"]) == (0, 0.5, 0.5)


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (observation("a2", refusal="not_in_context", grounding=""), "refused"),
        (observation("a2", grounding="partial", answer="1,577"), "not grounded"),
        (observation("a2", answer="1,373", cited=("a2",)), "does not contain the expected figure"),
    ],
)
def test_a_question_passes_only_answered_grounded_and_with_its_figure(seen: Observation, why: str) -> None:
    asked = question("a2", answer="$1577.00", text="Capital expenditure in USD millions?")
    found = judge(asked, seen)
    assert (found.passed, why in found.why) == (False, True)
    assert judge(asked, observation("a2", answer="It was 1,577.")).passed


def test_without_a_figure_a_citation_of_an_expected_page_passes() -> None:
    asked = question("a2", answer="Packaging.")
    assert judge(asked, observation("a2", cited=("a2",))).passed
    assert not judge(asked, observation("a2", cited=("a3",))).passed


def test_faithfulness_is_of_the_claims_of_answers_alone() -> None:
    asked = question("a2")
    assert judge(asked, observation("a2", claims=(3, 4))).scores["faithfulness"] == 0.75
    assert judge(asked, observation("a2", claims=(0, 0))).scores["faithfulness"] is None
    assert judge(asked, observation("a2", refusal="not_in_context", claims=(0, 4))).scores["faithfulness"] is None


def test_metrics_are_means_over_the_questions_that_can_be_answered() -> None:
    found = metrics_of(
        [
            judged(question("a2"), observation("a2", cited=("a2",), claims=(1, 2))),
            judged(question("a2"), observation("b1", refusal="nothing_found")),
            judged(question(), observation("a1", refusal="not_in_context")),
            judged(question(), observation("a1")),
        ]
    )
    assert found.keys() == KEYS | {"refused_rightly"}
    assert (found["page_recall@5"], found["mrr"], found["pass_rate"]) == (0.5, 0.5, 0.5)
    assert (found["answered"], found["refused"], found["refused_rightly"], found["faithfulness"]) == (1, 1, 0.5, 0.5)


def test_where_nothing_can_be_said_it_says_nothing() -> None:
    found = metrics_of([judged(question(), observation(refusal="nothing_found"))])
    assert (found["page_recall@5"], found["pass_rate"], found["faithfulness"]) == (None, None, None)
    assert metrics_of([judged(question("a1"), observation("a1"))])["refused_rightly"] is None


def test_sorts_of_questions_are_told_apart_and_counted() -> None:
    found = by_type(
        [
            judged(question("a2", type="table"), observation("a2")),
            judged(question("a2", type="table"), observation("b2")),
            judged(question("a2"), observation("a2")),
        ]
    )
    assert {name: (each["questions"], each["page_recall@5"]) for name, each in found.items()} == {
        "(no type)": (1, 1.0),
        "table": (2, 0.5),
    }


def test_each_stage_has_the_recall_of_what_it_ranked() -> None:
    found = by_stage([judged(question("a2"), observation("b1", "a2")), judged(question(), observation("a1"))])
    assert list(found) == ["dense", "fuse", "final"]
    assert [each["page_recall@5"] for each in found.values()] == [0.0, 1.0, 1.0]


def test_latency_is_of_each_stage_and_in_total() -> None:
    seen = [observation(stage_ms={"dense": each, "total": 10 * each}) for each in (1.0, 2.0, 3.0)]
    assert latency_of(seen) == {"dense": {"p50": 2.0, "p95": 2.9}, "total": {"p50": 20.0, "p95": 29.0}}


def test_a_failure_is_what_did_not_pass_or_was_not_among_the_first_five() -> None:
    passed = judge(question("a2"), observation("a2", cited=("a2",)))
    deep = judge(question("a2"), observation("b1", "b2", "b3", "b4", "b5", "a2", cited=("a2",)))
    refused = judge(question("a2"), observation("a2", refusal="too_vague"))
    outside = judge(question(), observation("a2"))
    assert [is_failure(each) for each in (passed, deep, refused, outside)] == [False, True, True, False]
