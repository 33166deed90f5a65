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
_REPEATS_BESIDE_A_NUMBER = 2  # pages that must carry the line that stands beside "Page 2 of 3"
_PAGE_NUMBER = re.compile(
    r"^(?:page\s*)?[-\u2013\u2014(]?\s*(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxl]{1,6})\s*[-\u2013\u2014)]?(?:\s*(?:of|/)\s*\d{1,4})?$",
    re.IGNORECASE,
)
# With a capital: "the table on page 2" is text.
_NUMBERED_PAGE = re.compile(
    r"\W*\b(?:Page|PAGE|Seite|SEITE)\s*\d{1,4}(?:\s*(?:of|OF|von|VON|/)\s*\d{1,4})?\W*$"
    r"|^\W*(?:Page|PAGE|Seite|SEITE)\s*\d{1,4}(?:\s*(?:of|OF|von|VON|/)\s*\d{1,4})?\b\W*"
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
        numbered = _NUMBERED_PAGE.search(text) is not None
        figures = sum(_is_figure(word) for word in _key(line).split())
        if item_of(text) is not None or (figures > 2 and not numbered):
            return False
        return self._seen[_key(line)] >= (_REPEATS_BESIDE_A_NUMBER if numbered else _REPEATS)


def _top_down(lines: Sequence[Line]) -> list[int]:
    return sorted(range(len(lines)), key=lambda position: -middle_of(lines[position]))


def _key(line: Line) -> str:
    return _OUTER_NUMBER.sub("", _NUMBERED_PAGE.sub("", line.text))


def _is_figure(text: str) -> bool:
    return is_amount(text) or is_period(text)
