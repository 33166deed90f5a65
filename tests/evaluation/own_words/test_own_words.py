"""Answers as models really phrase them, right and wrong, on passages as they stand in reports and terms.

Somebody who had seen none of the code wrote them. Each line is a passage, a question, right answers, and wrong ones
that differ from it in one thing. The check may be improved by open.jsonl; nobody reads kept.jsonl.

Most right answers are refused: no model of entailment was found that can be installed, and rules know few words. The
limits below are what is reached. Whoever changes the check reports both figures.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from apps.retrieval.contracts import GroundingStatus
from apps.retrieval.stages.grounding.ground import ground
from tests.retrieval.builders import analysed, candidate, context_of, document, entry, written

# By set: how many right answers pass at least, and how many wrong ones at most.
REACHED = {"open": (29, 25), "kept": (5, 6)}


def _is_grounded(case: dict[str, Any], answer: str) -> bool:
    analysis = analysed(case["question"], entry(case["company"], case["year"]), language=case["language"])
    facts = document(1, title=case["title"], company=case["company"], fiscal_year=case["year"])
    passage = candidate(case["text"], 1, facts=facts, header=case["section"], language=case["language"])
    context = context_of(analysis, [passage])
    report = ground(written(answer, context.passages[0].ref_id), context, analysis=analysis)
    return report.status is GroundingStatus.GROUNDED


@cache
def _counts(name: str) -> tuple[int, int]:
    lines = Path(__file__).with_name(f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    right = sum(_is_grounded(case, answer) for case in cases for answer in case["right"])
    wrong = sum(_is_grounded(case, each["answer"]) for case in cases for each in case["wrong"])
    return right, wrong


@pytest.mark.parametrize("name", sorted(REACHED))
def test_as_many_right_ones_pass_as_before(name: str) -> None:
    assert _counts(name)[0] >= REACHED[name][0]


@pytest.mark.parametrize("name", sorted(REACHED))
def test_no_more_wrong_ones_pass_than_before(name: str) -> None:
    assert _counts(name)[1] <= REACHED[name][1]
