"""The retrieval settings of a policy version: the settings that affect which passages are found,
and for how many days an answer is kept for who asked (history_days; 0: not at all).

They are versioned with the policy and stored as one JSON object in the database; this module is its schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from apps.intents.errors import InvalidRetrievalSettingsError


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Stage settings with the defaults of a new policy. Sources: RRF k from Cormack et al., SIGIR 2009."""

    minimum_question_chars: int = 3
    dense_top_k: int = 30
    dense_minimum_similarity: float = 0.0
    sparse_top_k: int = 30
    bm25_k1: float = 1.2
    bm25_b: float = 0.75
    rrf_k: int = 60
    fused_top_k: int = 30
    mmr_enabled: bool = False
    mmr_lambda: float = 0.5
    rerank_enabled: bool = False
    rerank_keyword_weight: float = 0.3
    cut_off_cumulative_probability: float = 0.55
    cut_off_score_cliff: float = 0.15
    heal_rounds: int = 0
    heal_minimum_coverage: float = 0.7
    history_days: int = 0

    def as_json(self) -> dict[str, int | float | bool]:
        return asdict(self)


# Inclusive bounds. With a value outside them a stage would return nothing or everything, which is never intended.
_BOUNDS: dict[str, tuple[float, float]] = {
    "minimum_question_chars": (1, 100),
    "dense_top_k": (1, 1000),
    "dense_minimum_similarity": (-1.0, 1.0),
    "sparse_top_k": (1, 1000),
    "bm25_k1": (0.0, 5.0),
    "bm25_b": (0.0, 1.0),
    "rrf_k": (1, 1000),
    "fused_top_k": (1, 1000),
    "mmr_lambda": (0.0, 1.0),
    "rerank_keyword_weight": (0.0, 1.0),
    "cut_off_cumulative_probability": (0.01, 1.0),
    "cut_off_score_cliff": (0.0, 1.0),
    "heal_rounds": (0, 10),
    "heal_minimum_coverage": (0.0, 1.0),
    "history_days": (0, 90),
}


def setting_bounds(name: str) -> tuple[float, float]:
    """Return the lowest and the highest value of a setting; switches have no bounds."""
    return _BOUNDS[name]


def retrieval_settings_from_json(values: Mapping[str, Any]) -> RetrievalSettings:
    """Read the JSON object of a policy version; names that are absent get their defaults.

    Args:    values: setting name -> number or boolean.
    Raises:  InvalidRetrievalSettingsError: an unknown name, a value of the wrong type or out of its bounds.
    """
    types = {field.name: type(field.default) for field in fields(RetrievalSettings)}
    for name, value in values.items():
        if name not in types:
            raise InvalidRetrievalSettingsError(name=name, problem="there is no such setting")
        _check(name, value, types[name])
    return RetrievalSettings(**values)


def _check(name: str, value: object, wanted: type[object]) -> None:
    if wanted is bool or isinstance(value, bool):
        if wanted is not bool or not isinstance(value, bool):
            raise InvalidRetrievalSettingsError(name=name, problem="it must be " + _in_words(wanted))
        return
    if not isinstance(value, int | float) or (wanted is int and not isinstance(value, int)):
        raise InvalidRetrievalSettingsError(name=name, problem="it must be " + _in_words(wanted))
    low, high = _BOUNDS[name]
    if not low <= value <= high:
        raise InvalidRetrievalSettingsError(name=name, problem=f"it must be between {low} and {high}")


def _in_words(wanted: type[object]) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number"}[wanted]
