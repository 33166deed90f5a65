"""Parse and render page numbers as people write them: 4, 7-9."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

_PART = re.compile(r"(\d{1,6})(?:\s*[-\u2013]\s*(\d{1,6}))?")
MAXIMUM_PAGES = 200


def parse_pages(text: str) -> tuple[int, ...]:
    """Return the page numbers of a text in ascending order, each once; empty for an empty text.

    Raises: ValueError: with a sentence for the person who typed the text.
    """
    pages: set[int] = set()
    for part in filter(None, (each.strip() for each in text.split(","))):
        found = _PART.fullmatch(part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last:
            raise ValueError(f"“{part}” is not a page. Enter numbers and ranges from 1, such as 4, 7-9.")
        if last - first >= MAXIMUM_PAGES:
            raise ValueError(f"Enter at most {MAXIMUM_PAGES} pages. If there are more, leave the field empty.")
        pages.update(range(first, last + 1))
    if len(pages) > MAXIMUM_PAGES:
        raise ValueError(f"Enter at most {MAXIMUM_PAGES} pages. If there are more, leave the field empty.")
    return tuple(sorted(pages))


def render_pages(pages: Iterable[int]) -> str:
    """Return page numbers as text, such as "4, 7-9"."""
    runs = groupby(enumerate(sorted(set(pages))), key=lambda each: each[1] - each[0])
    ends = [[page for _, page in run] for _, run in runs]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in ends)
