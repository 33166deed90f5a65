"""Score how well each intent fits a question: similarity to its examples, and points for its own terms.

The score of an intent is

    mean cosine similarity of its nearest examples  +  term_weight * min(1, points / points_for_full_weight)

Each of the intent's own terms that occurs in the question gives 1 point, a decisive one `decisive_points`. The points
of a term that several intents have are divided among them. Without vectors the points alone are the score.

Scores are rounded to four decimals before anything is compared, since the last bits of an embedding depend on the
batch that it was made in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.intents.contracts import UNRECOGNISED, GoldenQuestion, NearestExample, PolicySnapshot
from apps.intents.errors import ExampleVectorsMismatchError
from apps.intents.matching import index_words, matching_terms

Vector = NDArray[np.float32]

_DECIMALS: Final = 4
_NEAREST_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentScore:
    """How well one intent fits. Without vectors, `similarity` is None and `score` equals `points`."""

    intent: str
    similarity: float | None
    points: float
    score: float
    terms: tuple[str, ...]


def example_similarities(
    snapshot: PolicySnapshot, question_vector: Vector | None, example_vectors: Vector | None
) -> tuple[float, ...] | None:
    """Return the cosine similarity of the question to each example, in the snapshot's order; None without vectors.

    Raises: ExampleVectorsMismatchError: the number of rows is not the number of examples.
    """
    if question_vector is None or example_vectors is None:
        return None
    if len(example_vectors) != len(snapshot.examples):
        raise ExampleVectorsMismatchError(examples=len(snapshot.examples), vectors=len(example_vectors))
    return _rounded(example_vectors.astype(np.float64) @ question_vector.astype(np.float64))


def similarities_left_out(
    snapshot: PolicySnapshot, example_vectors: Vector | None
) -> Iterator[tuple[float, ...] | None]:
    """Yield for each example its cosine similarities to all others, in the snapshot's order; None without vectors.

    The values equal those of `example_similarities`, without a copy of all vectors for each example.

    Raises: ExampleVectorsMismatchError: the number of rows is not the number of examples.
    """
    if example_vectors is None:
        yield from repeat(None, len(snapshot.examples))
        return
    if len(example_vectors) != len(snapshot.examples):
        raise ExampleVectorsMismatchError(examples=len(snapshot.examples), vectors=len(example_vectors))
    exact = example_vectors.astype(np.float64)
    for index, vector in enumerate(exact):
        found = _rounded(exact @ vector)
        yield found[:index] + found[index + 1 :]


def _rounded(products: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(product, _DECIMALS) for product in products.tolist())


def intent_scores(
    text: str, snapshot: PolicySnapshot, similarities: tuple[float, ...] | None
) -> tuple[IntentScore, ...]:
    """Score every intent, best first; ties keep the policy's order of intents."""
    settings = snapshot.classifier
    question = index_words(text)
    matched = {rule.name: matching_terms(question, (term.text for term in rule.terms)) for rule in snapshot.intents}
    owners = Counter(term for terms in matched.values() for term in terms)
    means = nearest_means(snapshot, similarities)
    scores: list[IntentScore] = []
    for rule in snapshot.intents:
        points = 0.0
        if matched[rule.name]:
            weights = {term.text: settings.decisive_points if term.decisive else 1.0 for term in rule.terms}
            points = round(sum(weights[term] / owners[term] for term in matched[rule.name]), _DECIMALS)
        similarity = means[rule.name]
        bonus = settings.term_weight * min(1.0, points / settings.points_for_full_weight)
        scores.append(
            IntentScore(
                intent=rule.name,
                similarity=similarity,
                points=points,
                score=points if similarity is None else round(similarity + bonus, _DECIMALS),
                terms=matched[rule.name],
            )
        )
    return tuple(sorted(scores, key=lambda score: -score.score))


def nearest_means(snapshot: PolicySnapshot, similarities: tuple[float, ...] | None) -> dict[str, float | None]:
    """Return the mean similarity of each intent's nearest examples, and for UNRECOGNISED of the counter-examples.

    Returns: by name; 0 for an intent without examples, and None for all intents without similarities.
    """
    names = (*(rule.name for rule in snapshot.intents), UNRECOGNISED)
    if similarities is None:
        return dict.fromkeys(names)
    own: defaultdict[str, list[float]] = defaultdict(list)
    for value, example in zip(similarities, snapshot.examples, strict=True):
        own[example.intent].append(value)
    means: dict[str, float | None] = {}
    for name in names:
        nearest = sorted(own[name], reverse=True)[: snapshot.classifier.neighbours]
        means[name] = round(sum(nearest) / len(nearest), _DECIMALS) if nearest else 0.0
    return means


def nearest_examples(
    examples: tuple[GoldenQuestion, ...], similarities: tuple[float, ...]
) -> tuple[NearestExample, ...]:
    """Return the examples of all intents that are nearest to the question, best first; ties keep the policy's order."""
    ranked = sorted(zip(similarities, examples, strict=True), key=lambda pair: -pair[0])[:_NEAREST_SHOWN]
    return tuple(
        NearestExample(text=example.text, intent=example.intent or UNRECOGNISED, cosine_similarity=similarity)
        for similarity, example in ranked
    )
