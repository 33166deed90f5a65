"""One question judged, and many together: what counts where, and what is left out."""

from __future__ import annotations

import pytest

from apps.quality.evaluation.contracts import EvaluationQuestion, Observation
from apps.quality.evaluation.figures import Judged, by_stage, by_type, figure_of, is_failure, latency_of, metrics_of
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
    "answered_rightly",
    "useful",
    "confidently_wrong",
    "not_answered",
    "answered",
    "closest_passages",
    "refused",
    "model_failed",
}
ANSWER = ("answered_rightly", "useful", "confidently_wrong", "not_answered")


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


# --- what is accepted ---

ACCEPTS = (("146.3", "146 million"), ("GBP", "£"))


def of_answer(asked: EvaluationQuestion, seen: Observation) -> tuple[float | None, ...]:
    scores = judge(asked, seen).scores
    return tuple(scores[name] for name in ANSWER)


@pytest.mark.parametrize(
    ("seen", "figures"),
    [
        (observation(answer="It earned GBP 146.3 million [a|p2|c1].", cited=("a2",)), (1, 1, 0, None)),
        # The unit stands above the table, not in the answer.
        (observation(answer="Fees: 146.3", cited=("a2",), beside="in £ million"), (1, 1, 0, None)),
        (observation(answer="Fees: 139.8", cited=("a2",), beside="in £ million"), (0, 0, 1, None)),
        (observation(answer="No page is cited: GBP 146.3 million."), (1, 1, 0, None)),
        (observation(refusal="not_in_context"), (0, 0, 0, None)),
        (observation(closest=True, cited=("a7",), quotes=("Fees 146.3",), beside="£"), (0, 1, 0, None)),
        # The text of closest passages is no answer, and only the first of them counts.
        (
            observation(closest=True, answer="GBP 146.3", cited=("a2", "a2"), quotes=("Costs", "GBP 146.3")),
            (0, 0, 0, None),
        ),
        (observation(closest=True, cited=("b2",), quotes=("GBP 146.3",)), (0, 0, 0, None)),
        (observation(closest=True), (0, 0, 0, None)),
    ],
)
def test_an_answer_is_right_if_it_says_what_is_accepted(seen: Observation, figures: tuple[float | None, ...]) -> None:
    assert of_answer(question("a2", accepts=ACCEPTS), seen) == figures


def test_closest_passages_of_an_expected_page_are_useful_where_nothing_is_said_of_what_is_accepted() -> None:
    closest = observation("a2", closest=True, cited=("a2", "b1"))
    assert of_answer(question("a2"), closest) == (0, 1, 0, None)
    assert of_answer(question("a3"), closest) == (0, 0, 0, None)


@pytest.mark.parametrize(
    ("answer", "polarity", "right"),
    [
        ("Yes, drones are covered.", "no", False),
        ("“Ja“, Drohnen (drones) sind versichert.", "no", False),
        ("No: drones are not covered.", "no", True),
        ("Drones are not insured.", "no", True),
        ("No new drones are needed.", "yes", True),
        ("Nein, keine drones.", "yes", False),
    ],
)
def test_an_answer_that_begins_with_the_wrong_yes_or_no_is_not_right(answer: str, polarity: str, right: bool) -> None:
    asked = question("a2", accepts=(("drones",),), polarity=polarity)
    assert judge(asked, observation(answer=answer)).passed is right


def test_a_question_that_nothing_answers_is_best_not_answered() -> None:
    assert of_answer(question(), observation(refusal="not_in_context")) == (None, None, 0, 1)
    assert of_answer(question(), observation(closest=True, cited=("a1",))) == (None, None, 0, 1)
    assert of_answer(question(), observation(cited=("a1",))) == (None, None, 1, 0)


# --- many together ---


def test_metrics_are_means_over_the_questions_that_they_apply_to() -> None:
    found = metrics_of(
        [
            judged(question("a2"), observation("a2", cited=("a2",))),
            judged(question("a2"), observation("b1", refusal="nothing_found")),
            judged(question("a2"), observation("b1", closest=True, cited=("a2",), model_failed=True)),
            judged(question("a2"), observation("a2", cited=("b1",))),
            judged(question(), observation("a1", refusal="not_in_context")),
            judged(question(), observation("a1")),
        ]
    )
    assert found.keys() == KEYS
    assert (found["page_recall@5"], found["mrr"]) == (0.5, 0.5)
    assert [found[name] for name in ANSWER] == [0.25, 0.5, 0.3333, 0.5]
    assert [found[name] for name in ("answered", "closest_passages", "refused", "model_failed")] == [2, 1, 1, 1]


def test_where_nothing_can_be_said_it_says_nothing() -> None:
    found = metrics_of([judged(question(), observation(refusal="nothing_found"))])
    assert (found["page_recall@5"], found["answered_rightly"], found["useful"]) == (None, None, None)
    assert metrics_of([judged(question("a1"), observation("a1"))])["not_answered"] is None


def test_a_metric_of_an_earlier_release_is_found_under_its_former_name() -> None:
    former = {"pass_rate": 0.7, "refused_rightly": 0.9, "mrr": 0.5, "faithfulness": 1.0}
    names = ("answered_rightly", "not_answered", "mrr", "useful")
    assert [figure_of(former, name) for name in names] == [0.7, 0.9, 0.5, None]


def test_languages_are_told_apart_if_there_are_several() -> None:
    english, german = (judged(question("a2", language=each), observation("a2")) for each in ("en", "de"))
    assert set(by_type([english, german, german])) == {"(no type)", "in de", "in en"}
    assert set(by_type([english])) == {"(no type)"}


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


def test_a_failure_is_what_was_not_right_or_not_among_the_first_five() -> None:
    passed = judge(question("a2"), observation("a2", cited=("a2",)))
    deep = judge(question("a2"), observation("b1", "b2", "b3", "b4", "b5", "a2", cited=("a2",)))
    refused = judge(question("a2"), observation("a2", refusal="too_vague"))
    answered = judge(question(), observation("a2"))
    rightly = judge(question(), observation("a2", refusal="not_in_context"))
    found = [is_failure(each) for each in (passed, deep, refused, answered, rightly)]
    assert found == [False, True, True, True, False]
