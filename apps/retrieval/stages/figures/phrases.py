"""Find the name of a figure as a phrase, not as scattered words, in a sentence or row, and the figures beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.corpus.references import HYPHENATED
from apps.corpus.terms import terms
from apps.filings.text.bindings import is_year
from apps.filings.text.dates import read_dates
from apps.filings.text.numbers import read_numbers
from apps.retrieval.contracts import AskedFigure, QueryAnalysis

# A rule or a share class is one word here, as it is in the question.
_TOKEN: Final = re.compile(rf"{HYPHENATED}|[^\W_]+(?:[&.'\u2019][^\W_]+)*", re.IGNORECASE)
_OTHERS: Final = frozenset({"other", "non", "before", "after", "excluding", "vor", "ohne"})
"""Right before a phrase, they make another line of it: "other current assets", "income before income taxes"."""
_FURTHEST_CHARS: Final = 120
_NEAR_CHARS: Final = 30
_ENDS: Final = re.compile(
    r"\b(?:due\s+to|because|which|that|if|primarily|offset|while|as\s+a\s+result|would|affect\w*)\b|;"
    r"|,\s+(?:and|but|und|aber)\s+(?:we|our|the|it|its|they|their|wir|unsere?|die|der|das)\b",
    re.IGNORECASE,
)
# "As a percentage of revenues" does not state revenues, unless the question asks for a share.
_SHARE_OF: Final = re.compile(
    r"(?:\bper\s?cent(?:age)?|%|\b(?:share|portion|proportion|anteil|prozent))\s+(?:of|an|am|der|des)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_SHARE_ASKED: Final = re.compile(
    r"\bper\s?cent|%|\b(?:share|portion|proportion|fraction|ratio|margin|anteil|prozent|quote)\b", re.IGNORECASE
)
_CHANGE: Final = re.compile(
    r"\b(?:increas\w*|decreas\w*|rose|fell|gr[eo]w\w*|declin\w*|chang\w*|improv\w*|up|down|higher|lower)"
    r"(?:\s+(?:of|by|in))?(?:\s+(?:approximately|about|nearly|roughly))?\s*$"
    r"|\bby\s+(?:(?:approximately|about|nearly|roughly)\s+)?$",
    re.IGNORECASE,
)
# "The loss on long-term debt was" states a loss and not a debt.
_OF_ANOTHER: Final = re.compile(
    r"\b(?:loss|gain|allowance|change|increase|decrease|interest|proceeds|payments?|reserve|effect|impact|provision)\w*\b"
    r"[^,;.]{0,30}\b(?:on|for|from|in|of|to|against)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"(?:\bNos?\.|\b(?:Topic|Note|Item|Section|Article|Rule|Form|ASU|page))\s*[\d-]*$", re.IGNORECASE
)
_JOINED: Final = re.compile(
    r"\s*(?:(?:dollars?|euros?|pounds?|francs?)\s+)?(?:of|in|for|as|on)?\s*(?:the\s+)?", re.IGNORECASE
)

Span = tuple[int, int]


class PhraseText:
    """A text as terms with their positions."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self.terms: list[tuple[str, int, int]] = [
            (term, match.start(), match.end())
            for match in _TOKEN.finditer(text)
            for term in (terms(match.group(), language) or [match.group().lower()])
            if match.group().lower() in _OTHERS or terms(match.group(), language)
        ]

    def find(self, phrase: Sequence[str]) -> list[Span]:
        """Return all places where the terms of a phrase stand side by side, in their order."""
        found = []
        for first in range(len(self.terms) - len(phrase) + 1):
            window = self.terms[first : first + len(phrase)]
            if [term for term, _, _ in window] == list(phrase) and not self._is_of_another(first):
                found.append((window[0][1], window[-1][2]))
        return found

    def is_share_of(self, span: Span) -> bool:
        """Return whether the phrase at the span is only what a share refers to ("as a percentage of revenues")."""
        return _SHARE_OF.search(self._text[: span[0]]) is not None

    def _is_of_another(self, first: int) -> bool:
        if not first:
            return False
        (_, start, end), (_, begins, _) = self.terms[first - 1 : first + 1]
        return self._text[start:end].lower() in _OTHERS and not self._text[end:begins].strip(" \t\n-\u2010\u2011")


def phrases_of(figure: AskedFigure, text: PhraseText, analysis: QueryAnalysis) -> list[Span]:
    """Return where a text names a figure: its own words as one phrase, and each concept under any of its names.

    Returns: the places of the concepts, or else of the phrase; empty if any part is missing.
    """
    by_label = {concept.label: concept for concept in analysis.concepts}
    share_asked = _SHARE_ASKED.search(analysis.text) is not None
    spans: list[Span] = []
    for label in figure.concepts:
        concept = by_label.get(label)
        found = [span for each in concept.alternatives for span in text.find(each)] if concept else []
        found = [span for span in found if share_asked or not text.is_share_of(span)]
        if not found:
            return []
        spans.extend(found)
    if not figure.concepts:
        return text.find(figure.terms)
    held = {term for term, _, _ in text.terms}
    return spans if held.issuperset(figure.terms) else []


def figures_beside(text: str, start: int, end: int, *, change_asked: bool) -> bool:
    """Return whether a sentence states a figure for what it names at `text[start:end]`."""
    dates = read_dates(text)
    numbers = [
        number
        for number in read_numbers(text)
        if not is_year(number)
        and not _NUMBERED.search(text[: number.start])
        and not any(each.start <= number.start < each.end for each in dates)
    ]
    if _OF_ANOTHER.search(text[:start]):
        return False
    behind = text[end : end + _FURTHEST_CHARS]
    ends = _ENDS.search(behind)
    limit = end + (ends.start() if ends else len(behind))
    for number in numbers:
        if not change_asked and _CHANGE.search(text[: number.start]):
            continue
        before = number.end <= start and start - number.end <= _NEAR_CHARS
        if end <= number.start < limit or (before and _JOINED.fullmatch(text[number.end : start])):
            return True
    return False
