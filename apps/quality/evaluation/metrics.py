"""Measure how good a ranking of chunks is, if the pages that should be found are known. Pure functions of one question.

A chunk covers every page from its first to its last. The caller leaves out questions for which nothing is expected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from apps.quality.evaluation.contracts import PageKey, RankedChunk

RECALL_AT: Final = (1, 5, 10, 30)


def page_recall(ranking: Sequence[RankedChunk], relevant: frozenset[PageKey], k: int | None = None) -> float:
    """Return the share of the relevant pages that the first k chunks cover (all chunks if k is None).

    Args: relevant: not empty.
    """
    top = ranking if k is None else ranking[:k]
    return sum(any(chunk.covers(page) for chunk in top) for page in relevant) / len(relevant)


def document_hit(ranking: Sequence[RankedChunk], documents: frozenset[str], k: int) -> float:
    """Return 1 if one of the first k chunks is of a relevant document, else 0."""
    return float(any(chunk.document in documents for chunk in ranking[:k]))


def first_rank(ranking: Iterable[RankedChunk], relevant: Iterable[PageKey]) -> int | None:
    """Return the rank, from 1, of the first chunk on a relevant page; None if there is none."""
    pages = tuple(relevant)
    return next((n for n, chunk in enumerate(ranking, start=1) if any(chunk.covers(page) for page in pages)), None)


def reciprocal_rank(ranking: Iterable[RankedChunk], relevant: Iterable[PageKey]) -> float:
    """Return 1 / first_rank, or 0 if no relevant page is in the ranking."""
    rank = first_rank(ranking, relevant)
    return 0.0 if rank is None else 1.0 / rank


def ndcg(ranking: Iterable[RankedChunk], relevant: frozenset[PageKey], k: int) -> float:
    """Return the normalised discounted cumulative gain of the first k pages, each counted once, at its best rank.

    A relevant page gains 1; the best order has all relevant pages first.

    Args:    relevant: not empty.
    Source:  Järvelin and Kekäläinen, ACM TOIS 2002, with log2(1 + rank).
    """
    pages = _pages(ranking, k)
    gained = math.fsum(1 / math.log2(1 + rank) for rank, page in enumerate(pages, start=1) if page in relevant)
    best = math.fsum(1 / math.log2(1 + rank) for rank in range(1, min(len(relevant), k) + 1))
    return gained / best


def precision(ranking: Sequence[RankedChunk], relevant: frozenset[PageKey], k: int | None = None) -> float:
    """Return the share of the first k chunks that cover a relevant page, out of k even if the ranking is shorter.

    Args: k: None for the share of all chunks; the result is 0 for an empty ranking.
    """
    top = ranking if k is None else ranking[:k]
    places = len(ranking) if k is None else k
    return sum(any(chunk.covers(page) for page in relevant) for chunk in top) / places if places else 0.0


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None if none is known."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share (0 to 1) of the values lies, interpolated between two neighbours.

    Args: values: at least one, in any order.
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = math.ceil(place)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _pages(ranking: Iterable[RankedChunk], k: int) -> Sequence[PageKey]:
    seen: dict[PageKey, None] = {}
    for page in _covered(ranking):
        if len(seen) == k:
            break
        seen.setdefault(page)
    return tuple(seen)


def _covered(ranking: Iterable[RankedChunk]) -> Iterator[PageKey]:
    for chunk in ranking:
        for page in range(chunk.page_start, chunk.page_end + 1):
            yield chunk.document, page
