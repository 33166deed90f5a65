"""Cut one long sentence or row to a given length, around the words that the question is about."""

from __future__ import annotations

import re
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import QueryAnalysis

_WORD: Final = re.compile(r"\S+")


def shorten(text: str, start: int, end: int, *, room_chars: int, analysis: QueryAnalysis) -> tuple[int, int]:
    """Find the stretch of whole words that holds most distinct terms of the question.

    Args:    text: the chunk's text; only text[start:end] is looked at, and it is longer than the room.
             room_chars: the longest stretch, at least as long as one word.
             analysis: the question.
    Returns: the span of the stretch, the first of equals; a single word longer than the room is cut within.
    """
    wanted = {term for concept in analysis.concepts for alternative in concept.alternatives for term in alternative}
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    found = [wanted.intersection(terms(text[first:last], analysis.language)) for first, last in words]
    best: tuple[int, int] = (start, min(end, start + room_chars))
    best_count = -1
    first = 0
    for last in range(len(words)):
        while first <= last and words[last][1] - words[first][0] > room_chars:
            first += 1
        if first > last:
            continue
        count = len(set().union(*found[first : last + 1]))
        # Longer stretches with the same terms are taken too, since they say more.
        longer = words[last][1] - words[first][0] > best[1] - best[0]
        if count > best_count or (count == best_count and longer):
            best, best_count = (words[first][0], words[last][1]), count
    return best
