"""Compare the grammar of a sentence with that of its source."""

from __future__ import annotations

from typing import Final

from apps.retrieval.stages.grounding.grammar.added import find_added, find_left_out
from apps.retrieval.stages.grounding.grammar.happened import find_unsaid
from apps.retrieval.stages.grounding.grammar.pairing import Pair
from apps.retrieval.stages.grounding.grammar.who import find_exchanged

_LONGEST_CHARS: Final = 2_000


def find_difference(text: str, told: str, asked: str) -> str:
    """Return what an English sentence says otherwise than its source, though by the same words.

    Args: told: the sentence of the source. asked: the question, which may say what the sentence leaves out.
    Returns: an empty text if nothing is found. A parser errs in a few sentences of a hundred, so nothing follows from
        that alone: what a sentence says is compared by its words, too. A text of more than 2,000 characters is no
        sentence, and counts as different: comparing takes time with the square of its length. The text names words of
        the source, so it is for who tests the check, and is never recorded.
    """
    if max(len(text), len(told)) > _LONGEST_CHARS:
        return "too long to compare"
    pair = Pair(text, told, asked)
    return next((found for find in _WAYS if (found := find(pair))), "")


_WAYS = (find_added, find_left_out, find_unsaid, find_exchanged)
