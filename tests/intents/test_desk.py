"""The desk without its pages: the same figures as those by which a version is approved, and what stands behind them."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest

from apps.intents.check import golden_check
from apps.intents.contracts import UNRECOGNISED, GoldenQuestion, PolicySnapshot
from apps.intents.desk import (
    Examination,
    ExampleOutcome,
    cannot_classify,
    changed_outcomes,
    confusion_rows,
    examine,
    without_example,
)
from apps.intents.scoring import Vector


@pytest.fixture(scope="module")
def examined(baseline: PolicySnapshot, baseline_vectors: Vector) -> Examination:
    return examine(baseline, baseline_vectors)


def with_example(
    baseline: PolicySnapshot, vectors: Vector, text: str, intent: str, vector: Vector
) -> tuple[PolicySnapshot, Vector]:
    added = GoldenQuestion(id=uuid4(), text=text, intent=intent)
    return replace(baseline, examples=(*baseline.examples, added)), np.vstack([vectors, vector])


def outcome(examination: Examination, text: str) -> ExampleOutcome:
    return next(each for each in examination.outcomes if each.example.text == text)


@pytest.mark.parametrize("terms_only", [False, True])
def test_the_desk_counts_as_the_check_does_by_which_a_version_is_approved(
    baseline: PolicySnapshot, baseline_vectors: Vector, terms_only: bool
) -> None:
    vectors = None if terms_only else baseline_vectors
    check, examination = golden_check(baseline, vectors), examine(baseline, vectors)
    assert (examination.correct, examination.accuracy) == (check.correct, check.accuracy)
    assert (examination.passed, examination.degraded) == (check.accuracy >= check.minimum_accuracy, check.degraded)
    wrong = [each for each in examination.outcomes if not each.right]
    assert [(each.example.text, each.decision.intent) for each in wrong] == [
        (each.text, each.given) for each in check.misclassified
    ]


def test_the_matrix_has_a_cell_for_every_pair_and_counts_every_example_once(
    baseline: PolicySnapshot, baseline_vectors: Vector, examined: Examination
) -> None:
    rows = confusion_rows(examined, baseline)
    drawn = {(row.expected, cell.given): cell.examples for row in rows for cell in row.cells}
    counted = {
        (cell.expected, cell.given): cell.examples for cell in golden_check(baseline, baseline_vectors).confusion
    }
    assert {pair: count for pair, count in drawn.items() if count} == counted
    assert len(drawn) == (len(baseline.intents) + 1) ** 2
    assert rows[-1].expected == UNRECOGNISED
    assert sum(row.correct for row in rows) == examined.correct


def test_the_shares_of_a_row_add_up_and_its_diagonal_is_its_accuracy(
    baseline: PolicySnapshot, examined: Examination
) -> None:
    for row in confusion_rows(examined, baseline):
        assert sum(cell.share for cell in row.cells) == pytest.approx(1.0)
        assert [cell.share for cell in row.cells if cell.right] == [row.accuracy]


def test_an_intent_without_examples_has_a_row_of_nothing(baseline: PolicySnapshot, baseline_vectors: Vector) -> None:
    kept = [index for index, each in enumerate(baseline.examples) if each.intent != "narrative"]
    fewer = replace(baseline, examples=tuple(baseline.examples[index] for index in kept))
    (row,) = (
        each for each in confusion_rows(examine(fewer, baseline_vectors[kept]), fewer) if each.expected == "narrative"
    )
    assert (row.examples, row.correct, row.accuracy) == (0, 0, 0.0)


def test_the_nearest_are_the_others_best_first_and_never_the_example_itself(
    baseline: PolicySnapshot, baseline_vectors: Vector, examined: Examination
) -> None:
    products = baseline_vectors.astype(np.float64) @ baseline_vectors.astype(np.float64).T
    np.fill_diagonal(products, -2)
    for index, each in enumerate(examined.outcomes):
        similarities = [neighbour.cosine_similarity for neighbour in each.nearest]
        assert similarities == sorted(similarities, key=lambda value: -(value or 0))
        assert similarities[0] == pytest.approx(float(products[index].max()), abs=1e-4)
        assert each.example.id not in {neighbour.example.id for neighbour in each.nearest}


def test_a_near_duplicate_is_named_from_both_sides(baseline: PolicySnapshot, baseline_vectors: Vector) -> None:
    first = baseline.examples[0]
    policy, vectors = with_example(baseline, baseline_vectors, "Anything at all", first.intent, baseline_vectors[0])
    examination = examine(policy, vectors)
    twins = [outcome(examination, text).twin for text in (first.text, "Anything at all")]
    assert [twin.example.text if twin else None for twin in twins] == ["Anything at all", first.text]
    assert all(twin and twin.cosine_similarity == pytest.approx(1.0, abs=1e-3) for twin in twins)


def test_the_same_words_in_another_order_are_a_near_duplicate_without_vectors_too(baseline: PolicySnapshot) -> None:
    first = baseline.examples[0]
    turned = GoldenQuestion(id=uuid4(), text=" ".join(reversed(first.text.rstrip("?").split())), intent=first.intent)
    policy = replace(baseline, examples=(*baseline.examples, turned))
    twin = outcome(examine(policy, None), first.text).twin
    assert twin is not None
    assert (twin.example, twin.cosine_similarity) == (turned, None)


def test_the_baseline_has_no_near_duplicates(examined: Examination) -> None:
    assert [each.example.text for each in examined.outcomes if each.twin] == []


def test_an_example_among_those_of_another_intent_is_marked_as_nearer_to_it(
    baseline: PolicySnapshot, baseline_vectors: Vector
) -> None:
    attribution = [index for index, each in enumerate(baseline.examples) if each.intent == "attribution"]
    middle = baseline_vectors[attribution[:3]].mean(axis=0)
    policy, vectors = with_example(
        baseline, baseline_vectors, "Misplaced", "compliance", np.asarray(middle / np.linalg.norm(middle), np.float32)
    )
    assert outcome(examine(policy, vectors), "Misplaced").nearer_to == "attribution"


def test_without_vectors_nothing_is_said_of_meaning(baseline: PolicySnapshot) -> None:
    examination = examine(baseline, None)
    assert examination.degraded
    assert {(each.nearest, each.nearer_to) for each in examination.outcomes} == {((), None)}


def test_one_example_alone_is_examined(baseline: PolicySnapshot, baseline_vectors: Vector) -> None:
    single = replace(baseline, examples=baseline.examples[:1])
    (alone,) = examine(single, baseline_vectors[:1]).outcomes
    assert (alone.right, alone.nearest, alone.twin) == (False, (), None)


def test_what_an_example_changes_is_the_difference_to_the_policy_without_it(
    baseline: PolicySnapshot, baseline_vectors: Vector, examined: Examination
) -> None:
    wrong = next(each for each in examined.outcomes if not each.right and each.example.intent)
    index = baseline.examples.index(wrong.example)
    policy, vectors = with_example(
        baseline, baseline_vectors, "One just like it", wrong.example.intent, baseline_vectors[index]
    )
    rest, rest_vectors = without_example(policy, vectors, policy.examples[-1].id)
    assert rest == baseline
    assert rest_vectors is not None
    assert np.array_equal(rest_vectors, baseline_vectors)
    changes = changed_outcomes(examined, examine(policy, vectors))
    mended = [each for each in changes if each.example == wrong.example]
    assert [(each.before, each.after, each.better) for each in mended] == [
        (wrong.decision.intent, wrong.example.intent, True)
    ]


def test_nothing_changed_is_no_difference(examined: Examination) -> None:
    assert changed_outcomes(examined, examined) == ()


def test_what_can_not_be_classified_with_says_why(baseline: PolicySnapshot) -> None:
    powerless = replace(baseline.classifier, points_for_full_weight=0.0)
    assert cannot_classify(baseline) == ""
    assert "fewer than two intents" in cannot_classify(replace(baseline, intents=baseline.intents[:1]))
    assert "no review examples" in cannot_classify(replace(baseline, examples=()))
    assert "more than 0" in cannot_classify(replace(baseline, classifier=powerless))
