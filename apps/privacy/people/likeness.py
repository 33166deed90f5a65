"""Compare a word of a text with one part of a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import OSA

from apps.privacy.people.contracts import How
from apps.privacy.people.normalise import folded, reduced, without_marks, writings
from apps.privacy.people.variants import spelling, without_ending


@dataclass(frozen=True, slots=True)
class Like:
    """How alike a word and a part of a name are. score: 0..1; slips: typing errors, 0 unless `how` is FUZZY."""

    how: How
    score: float
    slips: int = 0


SAME: Final = Like(How.EXACT, 1.0)
WITH_ENDING: Final = Like(How.EXACT, 0.98)
WRITTEN: Final = Like(How.VARIANT, 0.92)  # one umlaut, written in two ways
SPELT: Final = Like(How.VARIANT, 0.72)
_FUZZY: Final = (Like(How.FUZZY, 0.65, 1), Like(How.FUZZY, 0.5, 2))
_FUZZY_IN_SHORT: Final = Like(How.FUZZY, 0.45, 1)  # in a name of three letters: John Die


class Part:
    """One word of a name, without hyphens or apostrophes in it."""

    def __init__(self, word: str) -> None:
        self.writings = writings(word)
        self.reduced = reduced(word)
        self.spelling = spelling(word)
        self.initials = {each[:1] for each in self.writings}
        # Short words allow fewer slips: one slip in two letters, or two slips in five, makes another word.
        length = len(self.reduced)
        self.most_slips = 0 if length <= 2 else 1 if length <= 5 else 2
        self._known: dict[str, Like | None] = {}

    @property
    def length(self) -> int:
        return len(self.reduced)

    def like(self, word: str) -> Like | None:
        """Return how alike a word and this part are, or None. The result is cached: a corpus has few different words.

        Args: word: in any spelling.
        """
        if word not in self._known:
            if len(self._known) > 1_000_000:
                self._known.clear()
            self._known[word] = self._like(word)
        return self._known[word]

    def begins_with(self, letter: str) -> bool:
        return without_marks(folded(letter)) in self.initials

    def _like(self, word: str) -> Like | None:
        if not -3 <= len(folded(word)) - self.length <= 4:  # ü and ß may be two letters, an ending is one more
            return None
        if writings(word) & self.writings:
            return SAME
        ended = without_ending(word)
        if ended and writings(ended) & self.writings:
            return WITH_ENDING
        candidates = [word, ended] if ended else [word]
        if any(reduced(each) == self.reduced for each in candidates):
            return WRITTEN
        if self.length > 2 and any(spelling(each) == self.spelling for each in candidates):
            return SPELT
        if not self.most_slips:
            return None
        fewest = min(self._slips(each) for each in candidates)
        if fewest > self.most_slips:
            return None
        return _FUZZY_IN_SHORT if self.length <= 3 else _FUZZY[fewest - 1]

    def _slips(self, word: str) -> int:
        """Return the number of slips, at least 1: by letters, or by sound plus one where the letters give too many.

        "Kristain" is another spelling with one slip.
        """
        fewest = slips(reduced(word), self.reduced, most=self.most_slips)
        if fewest > 2 == self.most_slips and len(self.spelling) > 3:
            fewest = min(fewest, 1 + slips(spelling(word), self.spelling, most=1))
        return max(1, fewest)


def slips(one: str, other: str, *, most: int) -> int:
    """Count the letters left out, added, changed, or swapped with their neighbour to turn one word into the other.

    Returns: the number, or most + 1 where there are more.
    Source:  optimal string alignment, the restricted form of Damerau (1964).
    """
    return OSA.distance(one, other, score_cutoff=most)
