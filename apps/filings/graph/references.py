"""Cross references, such as "see Note 12", with the page that they lead to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apps.corpus.extraction.contracts import Block, BlockKind, Page
from apps.filings.graph.contracts import End, EntityType, ReadRelation, RelationType
from apps.filings.graph.sentences import Sentence

_LABEL: Final = (
    r"(?:Notes?\s+\d{1,2}[A-Z]?|Item\s+\d{1,2}[ABC]?|Part\s+[IV]{1,3}|Exhibit\s+\d{1,3}(?:\.\d{1,2})?"
    r"|Section\s+\d{1,2}(?:\.\d{1,2})*|Appendix\s+[A-Z]"
    r"|Anhangangabe\s+\d{1,2}|Anhang\s+\d{1,2}|Abschnitt\s+\d{1,2}(?:\.\d{1,2})*|Ziffer\s+\d{1,2}(?:\.\d{1,2})*"
    r"|Kapitel\s+\d{1,2}(?:\.\d{1,2})*)"
)
_REFERENCE: Final = re.compile(
    rf"\b(?:[Ss]ee(?:\s+also)?|[Rr]efer(?:red)?\s+to|(?:described|discussed|disclosed|included|set\s+forth"
    rf"|presented)\s+in|[Ss]iehe(?:\s+auch)?|[Vv]gl\.)"
    rf"\s+(?:the\s+|auch\s+)?[\"\u201c\u201e]?(?P<label>{_LABEL})(?![\w(]|\.\d|\s+(?:of|der|des)\s+(?:the\s+)?[A-Z])"
)
_BEGINS: Final = re.compile(rf"\W{{0,2}}(?P<label>{_LABEL})\b(?P<after>[^\n]{{0,3}})", re.IGNORECASE)
_AFTER_LABEL: Final = ("-", "\u2013", "\u2014", ":", ".")
_MOST_ON_A_PAGE: Final = 4
"""A page whose headings begin more parts than this lists them: it is a table of contents."""
_DOCUMENT: Final = End(type=EntityType.DOCUMENT, key="", name="")


def targets_of(pages: Sequence[Page]) -> Mapping[str, int]:
    """Return the page on which each part of a document begins, by its label; the first, where several do."""
    found: dict[int, list[str]] = defaultdict(list)
    for page in pages:
        for block in page.blocks:
            match = _BEGINS.match(block.text)
            if match and (block.kind is BlockKind.HEADING or _is_running_heading(block, match["after"])):
                found[page.number].append(_fold(match["label"]))
    targets: dict[str, int] = {}
    for number, labels in sorted(found.items()):
        if len(set(labels)) <= _MOST_ON_A_PAGE:
            for label in labels:
                targets.setdefault(label, number)
    return targets


def references_in(text: str, sentence: Sentence, targets: Mapping[str, int], *, page: int) -> Iterator[ReadRelation]:
    """Yield the references of a sentence, each part once."""
    told = set()
    for match in _REFERENCE.finditer(text, sentence.start, sentence.end):
        label = " ".join(match["label"].split())
        if _fold(label) not in told:
            told.add(_fold(label))
            yield ReadRelation(
                relation=RelationType.REFERS_TO,
                subject=_DOCUMENT,
                object=End(type=EntityType.DOCUMENT, key="", name=label),
                page=page,
                start=sentence.start,
                end=sentence.end,
                target_page=targets.get(_fold(label)),
            )


def _is_running_heading(block: Block, after: str) -> bool:
    """Return whether a paragraph begins as the part does: with its label, and a dash or a point behind it."""
    return block.kind is BlockKind.PARAGRAPH and after.strip()[:1] in _AFTER_LABEL


def _fold(label: str) -> str:
    return " ".join(label.casefold().split()).replace("notes ", "note ")
