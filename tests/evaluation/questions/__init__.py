"""The questions of the folder, each with where its answer stands, or with nothing where it stands nowhere."""

from __future__ import annotations

from typing import Final

from tests.evaluation.questions import figures, laws, nowhere, texts, years
from tests.evaluation.questions.contracts import TWINS, Evidence, Question, QuestionType

__all__ = ["QUESTIONS", "TWINS", "Evidence", "Question", "QuestionType"]

QUESTIONS: Final[tuple[Question, ...]] = (
    *figures.QUESTIONS,
    *years.QUESTIONS,
    *laws.QUESTIONS,
    *texts.QUESTIONS,
    *nowhere.QUESTIONS,
)
