"""The natural questions: both folders are read, and hold what they are to hold. Nothing is asked here.

Questions of `open` may be looked at. Those of `kept` measure only while nobody reads them: a test that fails here shows
numbers, and no text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from apps.quality.errors import EvaluationError
from apps.quality.evaluation.folder import read_folder
from apps.quality.evaluation.folder_contents import Folder

FOLDERS: Final = Path(__file__).with_name("natural")
SETS: Final = ("open", "kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much of what a folder holds.

    undecided: questions that can be answered and do not say what is accepted, or ask for yes or no and not say which.
    """

    questions: int
    documents: int
    problems: int
    unanswerable: int
    undecided: int
    sectors: int
    languages: tuple[str, ...]


@cache
def counts(set_: str) -> Counts:
    folder = read(set_)
    lines = (FOLDERS / set_ / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    return Counts(
        questions=len(folder.queries),
        documents=len(folder.documents),
        problems=len(folder.failures) + len(folder.notes),
        unanswerable=sum(not query.relevant for query in folder.queries),
        undecided=sum(
            (bool(query.relevant) and not query.accepts) or (query.type == "yes_no" and not query.polarity)
            for query in folder.queries
        ),
        sectors=len({json.loads(line)["sector"] for line in lines}),
        languages=tuple(sorted({query.language for query in folder.queries})),
    )


@cache
def read(set_: str) -> Folder:
    try:
        return read_folder(FOLDERS / set_)
    except EvaluationError as error:
        problems = len(error.detail.splitlines()) - 1
    pytest.fail(f"{set_} cannot be read: {problems} problems")


@pytest.mark.parametrize("set_", SETS)
def test_a_folder_is_read_and_every_question_can_be_judged(set_: str) -> None:
    found = counts(set_)
    assert (found.problems, found.undecided) == (0, 0)
    assert found.languages == ("de", "en")
    assert found.sectors >= 5
    assert 0.05 <= found.unanswerable / found.questions <= 0.2


def test_there_are_questions_enough_of_documents_enough_and_a_third_is_kept_apart() -> None:
    first, kept = (counts(set_) for set_ in SETS)
    assert first.questions + kept.questions >= 400
    assert first.documents + kept.documents >= 60
    assert 0.3 <= kept.questions / (first.questions + kept.questions) <= 0.4


def test_no_question_and_no_document_is_in_both() -> None:
    first, second = (read(set_) for set_ in SETS)
    documents = len(first.listed & second.listed)
    questions = len({query.id for query in first.queries} & {query.id for query in second.queries})
    assert (documents, questions) == (0, 0)
