"""Whether a file's policy can be used, in words, with the place of what is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from apps.intents import validation
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import PolicyFileError
from apps.intents.policy_file.literals import FileProblem, first_problems
from apps.intents.policy_file.parsing import example_key, read_policy_file

_NAMED: Final = re.compile(r"'(.*?)'(?=[ .,;:]|$)", re.DOTALL)
# Where a sentence of the check names nothing that has a place: the block that it is about, by a word in it.
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
    """The policy of a file that can be used as it stands.

    Raises: PolicyFileError: what can't be read, or else all that keeps the policy from being used, by line.
    """
    file = read_policy_file(text, filename=filename)
    sentences = dict.fromkeys(validation.policy_problems(file.snapshot))
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
