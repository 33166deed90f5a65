"""Fuse rankings by reciprocal rank fusion, boost what meets the likely filters, and order by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from apps.retrieval.contracts import (
    Candidate,
    Certainty,
    ChunkId,
    DenseHit,
    DocumentFacts,
    FilterField,
    FusedHit,
    MetadataFilter,
    Period,
    Ranking,
    SourceRank,
    SparseHit,
)
from apps.retrieval.errors import InvalidRankingError
from apps.retrieval.stages.question.relax import states


def fuse(rankings: Sequence[Ranking], *, k: int) -> tuple[FusedHit, ...]:
    """Fuse rankings by reciprocal rank fusion: each chunk gets the sum of 1 / (k + rank) over the rankings it is in.

    Args:    rankings: best first; ranks count from 1. Their order affects only the order of `ranks`. A ranking's weight
                 multiplies what it adds.
             k: smoothing constant, >= 0; a larger one makes the first ranks count less.
    Returns: every chunk of any ranking, rrf_score descending, ties by chunk id.
    Raises:  InvalidRankingError: a chunk id repeats within one ranking.
    Source:  Cormack, Clarke, Buettcher: Reciprocal rank fusion outperforms Condorcet and individual rank learning
             methods, SIGIR 2009 (k = 60).
    """
    ranks: dict[ChunkId, list[SourceRank]] = {}
    hits: dict[ChunkId, DenseHit | SparseHit] = {}
    weights: dict[str, float] = {}
    for ranking in sorted(rankings, key=lambda each: each.name):
        in_this: set[ChunkId] = set()
        weights[ranking.name] = ranking.weight
        for rank, hit in zip(_ranks(ranking), ranking.hits, strict=True):
            if hit.chunk_id in in_this:
                raise InvalidRankingError(ranking=ranking.name, chunk_id=hit.chunk_id)
            in_this.add(hit.chunk_id)
            hits.setdefault(hit.chunk_id, hit)
            ranks.setdefault(hit.chunk_id, []).append(SourceRank(ranking=ranking.name, rank=rank))
    fused = [
        FusedHit(
            chunk_id=chunk_id,
            document_id=hit.document_id,
            kind=hit.kind,
            # Summed by rank and not in the order of arrival, because floating-point sums would otherwise differ in the
            # last bit.
            rrf_score=sum(
                weight / (k + rank)
                for rank, weight in sorted((source.rank, weights[source.ranking]) for source in ranks[chunk_id])
            ),
            ranks=tuple(ranks[chunk_id]),
        )
        for chunk_id, hit in hits.items()
    ]
    return tuple(sorted(fused, key=lambda hit: (-hit.rrf_score, hit.chunk_id)))


def _ranks(ranking: Ranking) -> Iterator[int]:
    """Yield 1, 2, 3 ...; with ranks_shared 1, 1, 3 if the first two hits have the same score."""
    rank, before = 0, None
    for place, hit in enumerate(ranking.hits, start=1):
        score = hit.cosine_similarity if isinstance(hit, DenseHit) else hit.bm25_score
        if not (ranking.ranks_shared and score == before):
            rank, before = place, score
        yield rank


def boost(
    candidates: Sequence[Candidate], *, filters: Iterable[MetadataFilter], weight: float
) -> tuple[Candidate, ...]:
    """Boost the candidates whose document meets a likely filter, or is of exactly the quarter that is asked about.

    Args:    candidates: with their RRF scores.
             filters: all filters of the question. Sure ones have already narrowed the search, but a sure filter on
                 quarters keeps documents of the whole year, which say less about a quarter than its own report.
             weight: share of its RRF score that a candidate gains for each filter met, and for the quarter.
    Returns: the same candidates, each with its boost and the reasons, best first, ties by chunk id.
    """
    filters = tuple(filters)
    likely = [each for each in filters if each.certainty is Certainty.LIKELY]
    boosted = []
    for candidate in candidates:
        document = candidate.chunk.document
        reasons = [_lifted_by(each) for each in likely if states(document, each)]
        quarters = _quarters(filters, document.company)
        reasons.extend(f"of {each.label} itself" for each in quarters if _is_of(document, each))
        boosted.append(replace(candidate, boost=weight * len(reasons), boost_reasons=tuple(reasons)))
    return tuple(sorted(boosted, key=lambda each: (-each.boosted_rrf_score, each.hit.chunk_id)))


def _quarters(filters: Iterable[MetadataFilter], company: str) -> tuple[Period, ...]:
    """Return the quarters of the sure filters that count for a company, or none if these also hold a whole year."""
    sure = tuple(period for each in filters if each.certainty is Certainty.SURE for period in each.periods_of(company))
    return sure if all(period.fiscal_quarter for period in sure) else ()


def _is_of(document: DocumentFacts, quarter: Period) -> bool:
    return (document.fiscal_year, document.fiscal_quarter) == (quarter.fiscal_year, quarter.fiscal_quarter)


def _lifted_by(condition: MetadataFilter) -> str:
    if condition.field is FilterField.NEWEST_REPORT:
        return "no newer report of its series is held"
    return f"{condition.field.value} {' or '.join(condition.values)}"


def page_by_page(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Put the best passage of each page before the further passages of any page.

    A citation sends a reader to a page. Three passages of one page among the first five show one place where five could
    be shown, and pages of long tables, whose rows repeat the same words, would take the whole list.

    Args:    candidates: best first.
    Returns: the same candidates: first the best of each page (by the page on which they begin), then the others, each
             part in its previous order.
    """
    first: list[Candidate] = []
    further: list[Candidate] = []
    seen: set[tuple[str, int]] = set()
    for candidate in candidates:
        page = (str(candidate.chunk.document.document_id), candidate.chunk.page_start)
        (further if page in seen else first).append(candidate)
        seen.add(page)
    return (*first, *further)


def take_turns(candidates: Sequence[Candidate], companies: Sequence[str]) -> tuple[Candidate, ...]:
    """Let the companies that a question names take turns: the best of each, then the second of each, and so on.

    A comparison needs the figures of each company, and the documents of one may fill the first places.

    Args:    candidates: best first. companies: as the documents call them.
    Returns: the same candidates; those of no company named come last, in their previous order.
    """
    of_company: dict[str, list[Candidate]] = {}
    others: list[Candidate] = []
    for candidate in candidates:
        company = candidate.chunk.document.company
        (of_company.setdefault(company, []) if company in companies else others).append(candidate)
    rounds = zip_longest(*of_company.values())
    return (*(each for one_round in rounds for each in one_round if each is not None), *others)
