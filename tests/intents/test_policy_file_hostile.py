"""Policy files that cost far more to read than they weigh: answers stay small, and work grows with the file."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable

import pytest

from apps.intents.errors import PolicyFileError
from apps.intents.policy_file import checked_policy_file
from apps.intents.policy_file.literals import MOST_PROBLEMS

_MOST_CHARACTERS = 60_000  # of an answer: a hundred problems of a few lines

FAMILIES: dict[str, Callable[[int], str]] = {
    "unknown kinds of an intent with a long name": lambda n: (
        f'INTENTS = [{{"name": "{"a" * n}", "kinds": [{chr(34) + "x" + chr(34)},' + '"x",' * n + "]}]"
    ),
    "intents without anything": lambda n: "INTENTS = [" + "{}," * n + "]",
    "intents of one name": lambda n: "INTENTS = [" + '{"name": "a"},' * n + "]",
    "unknown keys": lambda n: "FALLBACK = {" + "".join(f'"k{i}": 1,' for i in range(n)) + "}",
    "one long key": lambda n: f'FALLBACK = {{"{"k" * n}": 1}}',
    "unknown blocks": lambda n: "".join(f"BLOCK_{i} = 1\n" for i in range(n)),
    "one line of letters that take two bytes": lambda n: "INTENTS = [" + '{"ä": 1},' * n + "]",
    "terms": lambda n: f'INTENTS = [{{"name": "a", "terms": "{"ab," * n}"}}]',
    "long terms": lambda n: f'INTENTS = [{{"name": "a", "terms": ["{"b" * n}", "{"b" * n}"]}}]',
    "budgets": lambda n: "BUDGETS = [" + '{"kind": "run", "cap_chars": -1, "label": ""},' * n + "]",
    "a number of many digits": lambda n: "TOTAL_CAP = 0x" + "f" * n,
    "a number of many decimal digits": lambda n: "TOTAL_CAP = " + "9" * n,
    "brackets": lambda n: "INTENTS = " + "[" * n,
    "signs": lambda n: "TOTAL_CAP = " + "-" * n + "1",
    "a sum": lambda n: "TOTAL_CAP = 1" + "+1" * n,
    "statements": lambda n: "import os\n" * n,
}


def cost(text: str) -> tuple[int, str]:
    """How many calls reading took, and what was answered."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        checked_policy_file(text, filename="policy.py")
        told = ""
    except PolicyFileError as error:
        told = error.detail
    finally:
        profile.disable()
    return int(pstats.Stats(profile).total_calls), told  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_answer_is_small_and_the_work_grows_with_the_file(name: str) -> None:
    build = FAMILIES[name]
    small, _ = cost(build(2_000))
    large, told = cost(build(8_000))
    assert told.startswith("policy.py can't be used as a policy:")
    assert len(told) < _MOST_CHARACTERS
    assert large < 5 * small + 2_000


def test_what_is_left_out_is_counted() -> None:
    _, told = cost("FALLBACK = {" + "".join(f'"k{i}": 1,' for i in range(500)) + "}")
    assert told.count("\n  line") == MOST_PROBLEMS + 1
    assert "more problems; they are told when these are mended." in told


def test_a_column_behind_letters_of_two_bytes_is_counted_in_characters() -> None:
    _, told = cost('FALLBACK = {"äö": 1, "x": 2}')
    assert "line 1, column 13: FALLBACK: there is no key" in told
    assert "line 1, column 22: FALLBACK: there is no key" in told
