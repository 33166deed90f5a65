"""The characters of a text by which places are told: without blanks, and without what extraction adds to a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.tables import SEPARATOR

_BLANK: Final = re.compile(r"\s+")
_NAME_ENDS: Final = ": "


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptText:
    """squeezed: the characters that are kept. at: where each stands in the text. parts: spans of the row's parts."""

    squeezed: str
    at: tuple[int, ...]
    parts: tuple[tuple[int, int], ...]


def squeeze(text: str) -> str:
    """Return the text without its blanks."""
    return _BLANK.sub("", text)


def keep_all(text: str) -> KeptText:
    """Keep all of a paragraph that is not blank."""
    at = tuple(position for position, each in enumerate(text) if not each.isspace())
    return KeptText(squeezed="".join(text[each] for each in at), at=at, parts=((0, len(text)),))


def keep_values(row: str) -> KeptText:
    """Keep the label and the values of a row, not the names of the columns before them: "Sales | 2024: 1,577"."""
    at: list[int] = []
    parts: list[tuple[int, int]] = []
    start = 0
    for part in row.split(SEPARATOR):
        named = part.rfind(_NAME_ENDS)
        begins = start + (named + len(_NAME_ENDS) if named >= 0 else 0)
        end = start + len(part)
        parts.append((begins, end))
        at.extend(position for position in range(begins, end) if not row[position].isspace())
        start = end + len(SEPARATOR)
    return KeptText(squeezed="".join(row[each] for each in at), at=tuple(at), parts=tuple(parts))
