"""Check the words of a sentence: a passage must hold enough of its terms and must not say the opposite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Finding, FindingType, Passage, QueryAnalysis
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_FEWEST_TERMS: Final = 3
_SAME_THING_SHARE: Final = 0.6
"""From this share of a sentence's terms on, a piece of a passage says the same thing, or its opposite."""
_NOT: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|cannot|without|prohibited|forbidden|excluded|nicht|kein\w*|nie|verboten)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_UP: Final = re.compile(
    r"\b(?:rose|rise[ns]?|rising|increas\w*|grew|grow\w*|higher|improv\w*|gain\w*|stieg\w*|gestiegen|zugenommen)\b",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"\b(?:fell|fall\w*|decreas\w*|declin\w*|lower|drop\w*|shrank|shr[iu]nk\w*|worsen\w*|sank\w*|gesunken|abgenommen)\b",
    re.IGNORECASE,
)


def check_statement(
    sentence: str, written: str, cited: Sequence[Passage], analysis: QueryAnalysis, minimum_overlap: float
) -> Finding | None:
    """Check one sentence by its words.

    Args:    sentence: quotations and marks blanked.
             written: the sentence as it stands in the answer, for the finding.
             minimum_overlap: share of its terms that a cited passage must hold, 0 to 1.
    Returns: None for a sentence of too few words to be judged.
    """
    words = frozenset(term for term in terms(sentence, analysis.language) if not term[0].isdigit())
    if len(words) < _FEWEST_TERMS:
        return None
    overlap, source = max(
        ((len(words & _collect_terms(passage, analysis)) / len(words), passage) for passage in cited),
        default=(0.0, None),
        key=lambda pair: pair[0],
    )
    supported, note = overlap >= minimum_overlap, f"{overlap:.0%} of its terms are in the passage"
    if supported and source is not None and (turned := _find_contradiction(sentence, words, source, analysis)):
        supported, note = False, turned
    return Finding(
        type=FindingType.STATEMENT,
        value=written,
        supported=supported,
        ref_id=source.ref_id if supported and source else "",
        note=note,
    )


def _find_contradiction(sentence: str, words: frozenset[str], source: Passage, analysis: QueryAnalysis) -> str:
    """Return the objection if the piece nearest to the sentence says the opposite, else ""."""
    best, piece = max(
        (
            (len(words & frozenset(terms(each.text, analysis.language))) / len(words), each.text)
            for each in quotable_pieces(source)
        ),
        default=(0.0, ""),
        key=lambda pair: pair[0],
    )
    if best < _SAME_THING_SHARE:
        return ""
    if bool(_NOT.search(sentence)) != bool(_NOT.search(piece)):
        return "the passage says the opposite"
    up, down = bool(_UP.search(sentence)), bool(_DOWN.search(sentence))
    if up != down and (bool(_UP.search(piece)), bool(_DOWN.search(piece))) == (down, up):
        return "the passage says the opposite"
    return ""


def _collect_terms(passage: Passage, analysis: QueryAnalysis) -> frozenset[str]:
    """Return the terms of a passage, with every other name of the concepts it mentions.

    A row of purchases of property, plant and equipment thus supports a sentence about capital expenditure.
    """
    facts = passage.chunk.document
    around = f"{passage.text} {passage.chunk.context_header} {facts.company}"
    found = frozenset(terms(around, analysis.language))
    spoken_of = [
        concept for concept in analysis.concepts if any(found.issuperset(each) for each in concept.alternatives)
    ]
    return found.union(*(alternative for concept in spoken_of for alternative in concept.alternatives))
