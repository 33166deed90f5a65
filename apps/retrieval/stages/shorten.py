"""Cut one long sentence or row to a given length, around the words that the question is about."""

from __future__ import annotations

import re
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import QueryAnalysis

_WORD: Final = re.compile(r"\S+")


def shorten(text: str, start: int, end: int, *, room_chars: int, analysis: QueryAnalysis) -> tuple[int, int]:
    """Find the stretch of whole words that holds most distinct terms of the question, as near its middle as can be.

    Args:    text: the chunk's text; only text[start:end] is looked at, and it is longer than the room.
             room_chars: the longest stretch, at least as long as one word.
             analysis: the question.
    Returns: the span of the stretch, the first of equals; a single word longer than the room is cut within.
    """
    wanted = {term for concept in analysis.concepts for alternative in concept.alternatives for term in alternative}
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    found = [wanted.intersection(terms(text[first:last], analysis.language)) for first, last in words]
    best = (start, min(end, start + room_chars))
    best_rank = (-1, 0.0)
    last = 0
    for first in range(len(words)):
        last = max(last, first)
        while last < len(words) and words[last][1] - words[first][0] <= room_chars:
            last += 1
        if last == first:
            continue
        span = (words[first][0], words[last - 1][1])
        hits = [index for index in range(first, last) if found[index]]
        off_centre = abs(sum(span) / 2 - sum(words[index][0] for index in hits) / len(hits)) if hits else 0.0
        rank = (len(set().union(*found[first:last])), -off_centre)
        if rank > best_rank:
            best, best_rank = span, rank
    return best
