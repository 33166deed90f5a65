"""Add to the passages that were kept what stands around them in their parent.

A passage of 256 tokens may begin after the sentence that says of which year it speaks, or end before the note to its
figure. What is added stands behind everything that was found: it is taken into the context where it speaks to the
question and there is room, under the same budget of its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.retrieval.contracts import Candidate, ChunkId, FusedHit, StoredChunk


def expand(
    candidates: Sequence[Candidate], around: Mapping[ChunkId, Sequence[StoredChunk]], *, most: int
) -> tuple[Candidate, ...]:
    """Add the nearest passages of each candidate's parent.

    Args:    candidates: those that are kept, best first.
             around: of some of them, the other passages of their parent, within the bounds of the search.
             most: the most that one candidate brings, >= 1; the nearest first, of two as near the earlier.
    Returns: the candidates as they were, then what was added: by the candidate that brought it, and then as they are
             read. None twice, and none that holds characters of the page that another holds.
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
        added.extend(_added(chunk, own) for chunk in sorted(brought, key=lambda each: each.number))
    return (*candidates, *added)


def _overlap(one: StoredChunk, other: StoredChunk) -> bool:
    """Whether two passages are the same, or hold the same characters of a page."""
    if one.chunk_id == other.chunk_id:
        return True
    if (one.document.document_id, one.page_start) != (other.document.document_id, other.page_start):
        return False
    return one.char_start < other.char_start + len(other.text) and other.char_start < one.char_start + len(one.text)


def _added(chunk: StoredChunk, around: StoredChunk) -> Candidate:
    """No ranking found it, so it has no rank and no score."""
    hit = FusedHit(
        chunk_id=chunk.chunk_id,
        document_id=chunk.document.document_id,
        kind=chunk.document.kind,
        rrf_score=0.0,
        ranks=(),
    )
    return Candidate(chunk=chunk, hit=hit, around=around.chunk_id)
