"""The shape of the baseline file, so that a typing slip in it is found before a tenant gets it."""

from __future__ import annotations

from typing import TypedDict


class BaselineIntent(TypedDict):
    """One sort of question: what it may reach (kinds), and how it is recognised (terms, examples)."""

    name: str
    label: str
    description: str
    kinds: list[str]
    recording_mode: str
    decisive_terms: str  # separated by commas
    terms: str
    examples: list[str]


class BaselineFallback(TypedDict):
    """What a question reaches that no intent recognises, with examples of such questions."""

    label: str
    description: str
    kinds: list[str]
    recording_mode: str
    examples: list[str]


class BaselineBudget(TypedDict):
    """How many characters of one kind may stand in the context, under which heading."""

    kind: str
    label: str
    cap_chars: int


class BaselineClassifier(TypedDict):
    """When a question counts as recognised. apps/intents/scoring.py says how a score comes about."""

    neighbours: int
    term_weight: float
    decisive_points: float
    points_for_full_weight: float
    minimum_score: float
    minimum_margin: float
    minimum_term_points: float
    minimum_term_margin: float
    minimum_golden_accuracy: float
