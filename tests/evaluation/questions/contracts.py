"""What a question is, and how it says where its answer stands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class QuestionType(StrEnum):
    """What makes a question hard."""

    FIGURE = "figure"
    DERIVED = "derived"
    SEGMENT = "segment"
    NARRATIVE = "narrative"
    YEAR_NAMED = "year_named"
    YEAR_IMPLIED = "year_implied"
    YEAR_PUBLISHED = "year_published"
    YEAR_UNSAID = "year_unsaid"
    JURISDICTION = "jurisdiction"
    GERMAN = "german"
    CROSS_LANGUAGE = "cross_language"
    SYNONYM = "synonym"
    ALIAS = "alias"
    SECTION = "section"
    FIRM = "firm"
    VERSION = "version"
    UNANSWERABLE = "unanswerable"


TWINS: Final = frozenset({QuestionType.YEAR_NAMED, QuestionType.YEAR_IMPLIED, QuestionType.YEAR_PUBLISHED})
"""The types that ask for one of several reports with nearly the same words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Words that stand together on one page of a document and on no other of it; the page of a PDF is found by them."""

    document: str
    words: tuple[str, ...]
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`evidence` is empty for a question that the folder can't answer."""

    id: str
    text: str
    type: QuestionType
    answer: str
    evidence: tuple[Evidence, ...]


def on(document: str, *words: str, page: int = 1) -> Evidence:
    """Evidence in one line."""
    return Evidence(document=document, words=words, page=page)


def numbered(
    prefix: str, type: QuestionType, rows: tuple[tuple[str, str, tuple[Evidence, ...]], ...]
) -> tuple[Question, ...]:
    """Questions of one type from rows of text, answer and evidence."""
    return tuple(
        Question(id=f"{prefix}-{number:02}", text=text, type=type, answer=answer, evidence=evidence)
        for number, (text, answer, evidence) in enumerate(rows, start=1)
    )
