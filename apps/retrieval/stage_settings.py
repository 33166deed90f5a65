"""Settings of the stages that no policy version carries: limits and weights of the machinery itself.

What a compliance officer reviews (top-k, BM25, RRF, thresholds) is in apps/intents/retrieval_settings.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.retrieval.errors import InvalidStageSettingError

NONE: Final = "none"
"""The name that leaves an optional stage empty."""

# Inclusive bounds, outside of which a stage would do nothing that anybody means, or would never end.
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
    "statement_minimum_overlap": (0.0, 1.0),
    "model_wording_timeout_seconds": (0.1, 600.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """Each is shown in the trace by the stage that uses it.

    Raises InvalidStageSettingError for a number out of its bounds.

    expansion_weight: of a glossary term in BM25, where a term of the question weighs 1.
    statement_weight: in BM25, of the mark that the pages of a balance sheet, income or cash flow statement bear, where
        the question asks for a figure that is read from it.
    statement_top_k: how many passages of those pages are ranked by themselves, as a third ranking; 0 for none.
    metadata_top_k: how many passages are ranked by title, headings, company, period and kind alone, as a ranking of its
        own; 0 for none.
    metadata_weight: of that ranking in the fusion, where every other weighs 1.
    line_documents: in how many of the documents found the statements are read for the lines that the question asks
        for, the best document first; 0 for none. line_passages: of how many passages at most.
    likely_filter_boost: share added to a hit's RRF score for each likely filter that its document meets.
    prefer_newest: whether a question that names no period prefers the newest report of each series, by that share.
    page_by_page: whether the best passage of each page comes before further ones of the same page.
    page_by_page_reordered: whether that order of pages also holds after a diversifier or a reranker has put the
        passages into an order of its own.
    cut_top_k: how many hits go on when no reranker gives calibrated scores.
    cut_minimum: the fewest that the adaptive rules of the cut leave.
    cut_adaptive_uncalibrated: whether those rules also read a reranker's scores that are no probabilities.
    expand_top_k: how many of the passages that were kept, from the first, bring what stands around them in their
        parent; 0 for none.
    expand_around: the most passages that one brings, the nearest first.
    model_wording_timeout_seconds: how long a model may take to write what is searched for; the question waits for it.
    statement_minimum_overlap: share of a sentence's terms that a cited passage must hold for it to count as supported.
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
    statement_minimum_overlap: float = 0.5
    model_wording_timeout_seconds: float = 15.0

    rewriter: str = NONE
    diversifier: str = NONE
    reranker: str = NONE
    healer: str = NONE

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidStageSettingError(name=name, value=value, low=low, high=high)
