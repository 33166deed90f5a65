"""Find what an answer puts between quotation marks, and look it up verbatim in what is cited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.retrieval.contracts import Passage

_PAIRS: Final = (("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"), ("\u00bb", "\u00ab"), ('"', '"'))
_SHORTEST_CHARS: Final = 3
_ELLIPSIS: Final = re.compile(r"\s*(?:\[?\s*(?:\u2026|\.{3}|\. \. \.)\s*\]?)\s*")
# Words that may not be left out of a quotation, because they reverse its meaning.
_TURNS: Final = re.compile(
    r"\b(?:not|no|never|except|unless|without|neither|nor|cannot|n't|nicht|kein\w*|nie|au\u00dfer|ohne)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedText:
    """The text between two quotation marks. `text[start:end]` of the answer includes the marks."""

    text: str
    start: int
    end: int


def read_quotes(text: str) -> tuple[QuotedText, ...]:
    """Return all quotations of an answer, left to right. A quotation may span a line break, but not an empty line."""
    found: list[QuotedText] = []
    for opening, closing in _PAIRS:
        inner = rf"[^{re.escape(opening)}{re.escape(closing)}]"
        pattern = re.compile(rf"(?<!\w){opening}({inner}{{{_SHORTEST_CHARS},}}?){closing}")
        for match in pattern.finditer(text):
            if "\n\n" in match[1] or any(match.start() < each.end and each.start < match.end() for each in found):
                continue
            found.append(QuotedText(text=match[1].strip(), start=match.start(), end=match.end()))
    return tuple(sorted(found, key=lambda quote: quote.start))


def blank_quotes(text: str, quotes: Sequence[QuotedText]) -> str:
    """Return the text with its quotations blanked and all other characters in place."""
    characters = list(text)
    for quote in quotes:
        characters[quote.start : quote.end] = " " * (quote.end - quote.start)
    return "".join(characters)


def source_of(quote: str, cited: Sequence[Passage]) -> tuple[str, str]:
    """Return where a quotation stands.

    Line breaks count as blanks. An ellipsis may leave out words within one excerpt, but none that reverses the meaning.
    Two cited chunks that follow one another are read as one text, if the context shows the border between them.

    Returns: the ref_id and a note; an empty ref_id if the quotation is in no cited passage.
    """
    whole = _one_line(quote)
    parts = [part for part in _ELLIPSIS.split(whole) if part.strip()]
    for ref_id, text, joined in _texts(cited):
        # Look for the whole quotation first: a document may itself contain dots.
        if _holds(text, [whole]) or _holds(text, parts):
            return ref_id, "verbatim, over two passages" if joined else "verbatim"
    return "", "not verbatim in a cited passage"


def _texts(cited: Sequence[Passage]) -> Iterator[tuple[str, str, bool]]:
    for passage in cited:
        for excerpt in passage.excerpts:
            yield passage.ref_id, _one_line(excerpt.text), False
    for passage in cited:
        for other in cited:
            if _follows(passage, other):
                both = f"{passage.excerpts[-1].text} {other.excerpts[0].text}"
                yield passage.ref_id, _one_line(both), True


def _follows(first: Passage, second: Passage) -> bool:
    same = first.chunk.document.document_id == second.chunk.document.document_id
    if not same or second.chunk.number != first.chunk.number + 1:
        return False
    ends = not first.chunk.text[first.excerpts[-1].end :].strip()
    return ends and not second.chunk.text[: second.excerpts[0].start].strip()


def _holds(text: str, parts: Sequence[str]) -> bool:
    """Return whether the parts stand in the text in order, with no words between them that reverse the meaning."""
    position = 0
    for number, part in enumerate(parts):
        found = _find(text, part, position)
        if found < 0 or (number and _TURNS.search(text[position:found])):
            return False
        position = found + len(part)
    return bool(parts)


def _find(text: str, part: str, start: int) -> int:
    """Return the position of the part as whole words, or -1: "8 million" is no quotation of "18 million"."""
    while (found := text.find(part, start)) >= 0:
        before, after = text[found - 1 : found] if found else "", text[found + len(part) : found + len(part) + 2]
        inside = (part[0].isalnum() and (before.isalnum() or before in tuple(".,"))) if before else False
        runs_on = part[-1].isalnum() and (
            after[:1].isalnum() or (part[-1].isdigit() and after[:1] in tuple(".,") and after[1:].isdigit())
        )
        if inside and before in tuple(".,") and not part[0].isdigit():
            inside = False
        if not inside and not runs_on:
            return found
        start = found + 1
    return -1


def _one_line(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").replace("\u2018", "'").split())
