"""Check whether a file's policy can be used, and give each problem its place in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import PolicyFileError
from apps.intents.policy_file.literals import FileProblem, first_problems
from apps.intents.policy_file.parsing import read_policy_file
from apps.intents.validation import example_key, policy_problems

_NAMED: Final = re.compile(r"'(.*?)'(?=[ .,;:]|$)", re.DOTALL)
# For a sentence of the check that names nothing with a place: the block that it concerns, by a word in the sentence.
_BLOCK_OF_WORD: Final = {
    "total": "TOTAL_CAP",
    "unrecognised": "FALLBACK",
    "fallback": "FALLBACK",
    "budget": "BUDGETS",
    "cap": "BUDGETS",
    "neighbours": "neighbours",
    "term weight": "points_for_full_weight",
    "accuracy": "minimum_golden_accuracy",
}


def checked_policy_file(text: str, *, filename: str) -> PolicySnapshot:
    """Return the policy of a file if it can be used.

    Raises: PolicyFileError: what can't be read, or else every problem of the policy, by line.
    """
    file = read_policy_file(text, filename=filename)
    sentences = dict.fromkeys(policy_problems(file.snapshot))
    if sentences:
        found = {
            FileProblem(line=line, column=column, message=sentence)
            for sentence in sentences
            for line, column in [_place(sentence, file.places)]
        }
        raise PolicyFileError(filename=filename, problems=first_problems(found))
    return file.snapshot


def _place(sentence: str, places: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    for name in _NAMED.findall(sentence):
        place = places.get(name) or places.get(example_key(name))
        if place:
            return place
    lower = sentence.casefold()
    block = next((block for word, block in _BLOCK_OF_WORD.items() if word in lower), "INTENTS")
    return places[block]
