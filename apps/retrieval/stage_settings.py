"""Settings of the stages that are not part of a policy version: technical limits and weights.

Settings that a compliance officer reviews (top-k, BM25, RRF, thresholds) are in apps/intents/retrieval_settings.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.retrieval.errors import InvalidStageSettingError

NONE: Final = "none"
"""The name that leaves an optional stage empty."""

# Inclusive bounds. Outside them a stage would do nothing useful or would never end.
_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "question_maximum_chars": (1, 100_000),
    "expansion_weight": (0.0, 10.0),
    "statement_weight": (0.0, 10.0),
    "statement_top_k": (0, 1000),
    "line_documents": (0, 100),
    "line_passages": (1, 1000),
    "metadata_top_k": (0, 1000),
    "metadata_weight": (0.0, 10.0),
    "likely_filter_boost": (0.0, 10.0),
    "cut_top_k": (1, 1000),
    "cut_minimum": (1, 1000),
    "expand_top_k": (0, 100),
    "expand_around": (1, 50),
    "model_wording_timeout_seconds": (0.1, 600.0),
    "question_deadline_seconds": (0.1, 600.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """Settings of the stages. The stage that uses a setting shows it in the trace.

    Raises InvalidStageSettingError for a number outside its bounds.

    expansion_weight: weight of a glossary term in BM25, where a term of the question has weight 1.
    statement_weight: weight in BM25 of the mark on pages of a balance sheet, income statement or cash flow statement,
        if the question asks for a figure that is read from that statement.
    statement_top_k: how many passages of those pages are ranked as a separate, third ranking; 0 for none.
    metadata_top_k: how many passages are ranked only by title, headings, company, period and kind, as a separate
        ranking; 0 for none.
    metadata_weight: weight of that ranking in the fusion, where every other ranking has weight 1.
    line_documents: in how many of the documents found the statements are read for the lines that the question asks for,
        the best document first; 0 for none.
    line_passages: the maximum number of passages read for that.
    likely_filter_boost: share added to a hit's RRF score for each likely filter that its document meets.
    prefer_newest: whether a question that names no period prefers the newest report of each series, by that share.
    page_by_page: whether the best passage of each page comes before further passages of the same page.
    page_by_page_reordered: whether that order of pages also applies after a diversifier or a reranker has reordered the
        passages.
    cut_top_k: how many hits are kept when no reranker gives calibrated scores.
    cut_minimum: the fewest hits that the adaptive rules of the cut leave.
    cut_adaptive_uncalibrated: whether those rules also use a reranker's scores that are not probabilities.
    expand_top_k: how many of the kept passages, from the first, are extended by the passages around them in their
        parent; 0 for none.
    expand_around: the maximum number of passages added around one passage, the nearest first.
    model_wording_timeout_seconds: how long a model may take to write what is searched for; the question waits for it.
    question_deadline_seconds: how long all requests of one question to a model may take together. When it has passed,
        no further one is sent, and the answer is written without.
    rewriter, diversifier, reranker, healer: names of implementations (see optional/slots.py), or "none".
    """

    question_maximum_chars: int = 4_000
    expansion_weight: float = 0.6
    statement_weight: float = 1.0
    statement_top_k: int = 10
    metadata_top_k: int = 0
    metadata_weight: float = 1.0
    line_documents: int = 3
    line_passages: int = 60
    likely_filter_boost: float = 0.1
    prefer_newest: bool = True
    page_by_page: bool = True
    page_by_page_reordered: bool = True
    cut_top_k: int = 12
    cut_minimum: int = 3
    cut_adaptive_uncalibrated: bool = False
    expand_top_k: int = 1
    expand_around: int = 4
    model_wording_timeout_seconds: float = 15.0
    question_deadline_seconds: float = 60.0

    rewriter: str = NONE
    diversifier: str = NONE
    reranker: str = NONE
    healer: str = NONE

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidStageSettingError(name=name, value=value, low=low, high=high)
