"""Sentences near a source that say something else, by somebody who attacked the check; and right ones beside them.

Each line of statement_attacks.jsonl is a source sentence with right and wrong statements of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.retrieval.test_grounding_paraphrase import is_grounded

CASES = tuple(
    json.loads(line)
    for line in Path(__file__).with_name("statement_attacks.jsonl").read_text(encoding="utf-8").splitlines()
)
QUESTIONS = {"en": "What does the document say about this?", "de": "Was sagt das Dokument dazu?"}
# By class: how many of the wrong ones may pass, at most. Who lowers a number has mended something.
MAY_PASS = {
    "actor": 0,
    "cause": 1,
    "compare": 2,
    "embedded": 1,
    "figures": 7,
    "filler": 2,
    "hedge": 0,
    "lent": 5,
    "negation": 2,
    "quantifier": 1,
    "quotation": 1,
    "restriction": 7,
    "roles": 1,
    "stem-filler": 6,
    "synonym": 4,
    "time": 4,
    "yes-no": 1,
}
RIGHT_REFUSED = 11


def _passes(case: dict[str, Any], answer: str) -> bool:
    language = case["language"]
    text = f"{case['source']} {'The policy was printed in blue ink.' if language == 'en' else 'Das Papier war blau.'}"
    return is_grounded(answer, case.get("question", QUESTIONS[language]), text=text, language=language)


@cache
def _passing() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for case in CASES:
        found[case["class"]].extend(answer for answer in case["wrong"] if _passes(case, answer))
    return found


@pytest.mark.parametrize("kind", sorted(MAY_PASS))
def test_no_more_wrong_ones_pass_than_are_known(kind: str) -> None:
    assert len(_passing()[kind]) <= MAY_PASS[kind], _passing()[kind]


def test_right_ones_pass() -> None:
    refused = [answer for case in CASES for answer in case["right"] if not _passes(case, answer)]
    assert len(refused) <= RIGHT_REFUSED, refused


def test_every_class_has_a_limit() -> None:
    assert {case["class"] for case in CASES} == set(MAY_PASS)
