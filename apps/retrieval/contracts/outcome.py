"""What became of a question, and how far an answer is about what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnswerOutcome(StrEnum):
    ANSWERED = "answered"
    CLOSEST = "closest_passages"
    """Nothing found clearly answers the question. The closest passages are quoted, and nothing is claimed."""
    REFUSED = "refused"


class AnswerKind(StrEnum):
    """The kind of answer that a question asks for."""

    NUMBER = "number"
    DATE = "date"
    DURATION = "duration"
    NAME = "name"
    LIST = "list"
    YES_NO = "yes_no"
    DEFINITION = "definition"
    REASON = "reason"
    TEXT = "text"
    """Any other: a rule, a description, an explanation."""


class RelevanceStatus(StrEnum):
    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRelevance:
    """The judgement on whether an answer is about what was asked. It says nothing about whether the answer is true.

    kind: the kind of answer that was asked for.
    missing: what was asked for and is not in the answer, in words: a figure, a company, a period, the kind of answer.
    """

    status: RelevanceStatus
    kind: AnswerKind
    missing: tuple[str, ...] = ()
