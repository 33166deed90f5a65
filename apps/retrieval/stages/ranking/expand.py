"""Add the passages that surround the kept ones in their parent.

A passage of 256 tokens may begin after the sentence that names its year, or end before the note to its figure. Added
passages follow everything that was found. They enter the context only if they are relevant to the question and fit,
under the same budget of their kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.retrieval.contracts import Candidate, ChunkId, FusedHit, StoredChunk


def expand(
    candidates: Sequence[Candidate], around: Mapping[ChunkId, Sequence[StoredChunk]], *, most: int
) -> tuple[Candidate, ...]:
    """Add the nearest passages of each candidate's parent.

    Args:    candidates: those that are kept, best first.
             around: for some of them, the other passages of their parent, within the bounds of the search.
             most: the maximum number added for one candidate, >= 1; the nearest first, and the earlier of two equally
                 near.
    Returns: the candidates as they were, then the added ones, grouped by the candidate for which they were added, in
             reading order. No passage appears twice, and none overlaps another in characters of a page.
    """
    there = [candidate.chunk for candidate in candidates]
    added: list[Candidate] = []
    for candidate in candidates:
        own = candidate.chunk
        near = sorted(around.get(own.chunk_id, ()), key=lambda each: (abs(each.number - own.number), each.number))
        brought: list[StoredChunk] = []
        for chunk in near:
            if len(brought) == most:
                break
            if chunk.document != own.document or any(_overlap(chunk, other) for other in there):
                continue
            brought.append(chunk)
            there.append(chunk)
        added.extend(_make_candidate(chunk, own) for chunk in sorted(brought, key=lambda each: each.number))
    return (*candidates, *added)


def _overlap(one: StoredChunk, other: StoredChunk) -> bool:
    """Return whether two passages are the same, or hold the same characters of a page."""
    if one.chunk_id == other.chunk_id:
        return True
    if (one.document.document_id, one.page_start) != (other.document.document_id, other.page_start):
        return False
    return one.char_start < other.char_start + len(other.text) and other.char_start < one.char_start + len(one.text)


def _make_candidate(chunk: StoredChunk, around: StoredChunk) -> Candidate:
    """Return the chunk as a candidate without a rank and a score, because no ranking found it."""
    hit = FusedHit(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document.document_id,
        kind=chunk.document.kind,
        rrf_score=0.0,
        ranks=(),
    )
    return Candidate(chunk=chunk, hit=hit, around=around.chunk_id)
