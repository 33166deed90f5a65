"""Tell the running titles and page numbers of a PDF from what its pages say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from apps.corpus.extraction.headings import item_of
from apps.corpus.extraction.numerals import is_amount, is_period
from apps.corpus.extraction.pdf_lines import Line, middle_of

_EDGE_LINES = 3
_REPEATS = 4  # pages that must carry the same line
_PAGE_NUMBER = re.compile(
    r"^(?:page\s*)?[-\u2013\u2014(]?\s*(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxl]{1,6})\s*[-\u2013\u2014)]?(?:\s*(?:of|/)\s*\d{1,4})?$",
    re.IGNORECASE,
)
_OUTER_NUMBER = re.compile(r"^\d{1,4}\s+|\s+\d{1,4}$")


class Furniture:
    """Learns what repeats at the edges of the pages it is shown; page numbers need no learning."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def learn(self, lines: Sequence[Line]) -> None:
        """Count the lines at a page's top and bottom."""
        order = _top_down(lines)
        self._seen.update({_key(lines[position]) for position in {*order[:_EDGE_LINES], *order[-_EDGE_LINES:]}})

    def without(self, lines: Sequence[Line]) -> list[Line]:
        """The page without its running titles and page number, which stand outside of everything else."""
        order = _top_down(lines)
        dropped: set[int] = set()
        for edge in (order[:_EDGE_LINES], order[::-1][:_EDGE_LINES]):
            for position in edge:
                if not self._is_furniture(lines[position]):
                    break
                dropped.add(position)
        kept = [line for position, line in enumerate(lines) if position not in dropped]
        return kept or list(lines)  # a page that repeats another whole is no running title

    def _is_furniture(self, line: Line) -> bool:
        text = line.text
        if _PAGE_NUMBER.match(text):
            return True
        if item_of(text) is not None or sum(_is_figure(word.text) for word in line.words) > 2:
            return False
        return self._seen[_key(line)] >= _REPEATS


def _top_down(lines: Sequence[Line]) -> list[int]:
    return sorted(range(len(lines)), key=lambda position: -middle_of(lines[position]))


def _key(line: Line) -> str:
    return _OUTER_NUMBER.sub("", line.text)


def _is_figure(text: str) -> bool:
    return is_amount(text) or is_period(text)
