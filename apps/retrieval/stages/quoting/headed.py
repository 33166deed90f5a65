"""See whether a piece stands under a heading that names what is asked: it then answers in words of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.mentions import word_set
from apps.retrieval.contracts import Passage, QueryAnalysis, Quote

_LONGEST_CHARS: Final = 70
_ENDS: Final = re.compile(r"[.!?:;,][\"'\u201d\u2019)\]]*$")
# Verbs that only say that a document holds something. What they hold is what is asked for.
_HOLDING: Final = word_set(
    """
    agree agreed agrees apply applies contain contained contains disclose disclosed discloses exist exists hold holds
    include included includes list lists mention mentions name named names offer offered offers provide provides
    publish published report reported reports say says set state stated there
    bekannt enth\u00e4lt enthalten es geben gibt gelten gilt haben hat meldet nennen nennt sagt stehen steht vereinbart
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The heading above a piece: its text, and whether the piece is the first one under it."""

    text: str
    is_next: bool


def is_headed(piece: Quote, passage: Passage, analysis: QueryAnalysis, *, called: str) -> Heading | None:
    """Return the heading above a piece if it names what is asked for and nothing else, and the piece says the rest.

    All that is asked must stand in the heading, in the piece, or in what names the document, and a name at least in the
    passage. A heading with words that are not asked for names another thing.

    Args: called: the first line of the document, or "".
    """
    heading = _heading_above(piece, passage)
    if heading is None:
        return None
    language = analysis.language
    asked = [each for each in analysis.concepts if each.alternatives]
    wanted = {term for each in asked if not each.is_name for term in each.alternatives[0]} - _holding(language)
    names = {term for each in asked if each.is_name for term in each.alternatives[0]}
    named = frozenset(terms(heading.text, language))
    document = passage.chunk.document
    about = frozenset(terms(f"{document.title}\n{document.company}\n{called}", language))
    if not named or not named <= wanted or named <= about:
        return None
    if not wanted <= named | about | frozenset(terms(piece.text, language)):
        return None
    return heading if names <= about | frozenset(terms(passage.chunk.text, language)) else None


# The cache holds the list above, and nothing of a document.
@lru_cache(maxsize=16)
def _holding(language: str) -> frozenset[str]:
    return frozenset(term for word in _HOLDING for term in terms(word, language))


def _heading_above(piece: Quote, passage: Passage) -> Heading | None:
    """Return the line above a piece that is no sentence; a sentence may have its heading as its first line."""
    text = passage.chunk.text
    first, _, rest = piece.text.partition("\n")
    if rest and _is_heading(first):
        return Heading(text=first.strip(), is_next=True)
    above = [line.strip() for line in text[: piece.start].split("\n") if line.strip()]
    whole_line_above = text.rfind("\n", 0, piece.start) + 1 == piece.start
    if whole_line_above and above and _is_heading(above[-1]):
        return Heading(text=above[-1], is_next=True)
    found = next((line for line in reversed(above) if _is_heading(line)), None)
    return Heading(text=found, is_next=False) if found else None


def _is_heading(line: str) -> bool:
    return len(line) <= _LONGEST_CHARS and "|" not in line and not _ENDS.search(line.strip())
