"""Find many names in a text at once. Each word is looked up: the time does not grow with the number of names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

Value = TypeVar("Value")
Word = tuple[str, int, int]
"""A run of letters and digits, and where it begins and ends."""

_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN: Final = frozenset(" \t\n\u00a0\u202f-\u2010\u2011\u2012\u2013\u2014&.,'\u2019/")
_LONGEST_GAP: Final = 3


class Found(NamedTuple, Generic[Value]):
    """A name in a text: `text[start:end]`. first: the index of its first word."""

    start: int
    end: int
    first: int
    value: Value


def words_of(text: str) -> list[Word]:
    return [(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


def is_gap(between: str) -> bool:
    """Return whether two words with this between them may be of one name."""
    return len(between) <= _LONGEST_GAP and _BETWEEN.issuperset(between) and between.count("\n") < 2


class NameIndex(Generic[Value]):
    """Names by their first two words. The same name twice keeps its first value."""

    def __init__(self, names: Iterable[tuple[str, Value]], *, folded: bool = False) -> None:
        """Args: folded: case does not matter."""
        self._folded = folded
        self._alone: dict[str, Value] = {}
        held: dict[str, dict[str, dict[tuple[str, ...], Value]]] = defaultdict(lambda: defaultdict(dict))
        for name, value in names:
            words = tuple(_WORD.findall(name.casefold() if folded else name))
            if len(words) == 1:
                self._alone.setdefault(words[0], value)
            elif words:
                held[words[0]][words[1]].setdefault(words[2:], value)
        self._several = {
            first: {second: sorted(rests.items(), key=lambda each: -len(each[0])) for second, rests in seconds.items()}
            for first, seconds in held.items()
        }

    def find(self, text: str, words: Sequence[Word]) -> Iterator[Found[Value]]:
        """Yield the names in the order of the text; of those that begin at one word, the longest."""
        forms = [word[0].casefold() for word in words] if self._folded else [word[0] for word in words]
        alone, several, after = self._alone, self._several, 0
        for at, form in enumerate(forms):
            if at < after or (form not in several and form not in alone):
                continue
            found = self._longest_from(text, words, forms, at)
            if found is not None:
                count, value = found
                after = at + count
                yield Found(words[at][1], words[after - 1][2], at, value)

    def whole(self, name: str) -> Value | None:
        """Return the value of a whole name."""
        words = words_of(name)
        found = next(iter(self.find(name, words)), None)
        return found.value if found and (found.start, found.end) == (words[0][1], words[-1][2]) else None

    def _longest_from(
        self, text: str, words: Sequence[Word], forms: Sequence[str], at: int
    ) -> tuple[int, Value] | None:
        if at + 1 < len(forms):
            for rest, value in self._several.get(forms[at], {}).get(forms[at + 1], ()):
                last = at + 1 + len(rest)
                if tuple(forms[at + 2 : last + 1]) == rest and all(
                    is_gap(text[words[place][2] : words[place + 1][1]]) for place in range(at, last)
                ):
                    return 2 + len(rest), value
        return (1, self._alone[forms[at]]) if forms[at] in self._alone else None
