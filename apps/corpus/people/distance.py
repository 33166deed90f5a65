"""How many slips of the pen lie between two words."""

from __future__ import annotations

from rapidfuzz.distance import OSA


def slips(one: str, other: str, *, most: int) -> int:
    """Letters left out, added, changed, or swapped with their neighbour, to make one word of the other.

    Returns: the number, or most + 1 where there are more.
    Source:  optimal string alignment, the restricted form of Damerau (1964).
    """
    return OSA.distance(one, other, score_cutoff=most)
