"""Settings of the stages that no policy version carries: limits and weights of the machinery itself.

What a compliance officer reviews (top-k, BM25, RRF, thresholds) is in apps/intents/retrieval_settings.py.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """Each is shown in the trace by the stage that uses it.

    expansion_weight: of a glossary term in BM25, where a term of the question weighs 1.
    statement_weight: in BM25, of the mark that the pages of a balance sheet, income or cash flow statement bear, where
        the question asks for a figure that is read from it.
    statement_top_k: how many passages of those pages are ranked by themselves, as a third ranking; 0 for none.
    line_documents: in how many of the documents found the statements are read for the lines that the question asks
        for, the best document first; 0 for none. line_passages: of how many passages at most.
    likely_filter_boost: share added to a hit's RRF score for each likely filter that its document meets.
    prefer_newest: whether a question that names no period prefers the newest report of each series, by that share.
    page_by_page: whether the best passage of each page comes before further ones of the same page.
    page_by_page_reordered: whether that order of pages also holds after a diversifier or a reranker has put the
        passages into an order of its own.
    cut_top_k: how many hits go on when no reranker gives calibrated scores.
    model_wording_timeout_seconds: how long a model may take to write what is searched for; the question waits for it.
    statement_minimum_overlap: share of a sentence's terms that a cited passage must hold for it to count as supported.
    rewriter, diversifier, reranker, healer: names of implementations (see slots.py), or "none".
    """

    question_maximum_chars: int = 4_000
    expansion_weight: float = 0.6
    statement_weight: float = 1.0
    statement_top_k: int = 10
    line_documents: int = 3
    line_passages: int = 60
    likely_filter_boost: float = 0.1
    prefer_newest: bool = True
    page_by_page: bool = True
    page_by_page_reordered: bool = True
    cut_top_k: int = 12
    cut_minimum: int = 3
    statement_minimum_overlap: float = 0.5
    model_wording_timeout_seconds: float = 15.0

    rewriter: str = "none"
    diversifier: str = "none"
    reranker: str = "none"
    healer: str = "none"
