"""`manage.py evaluate DIR --checking`: what is right passes, what is wrong is stopped, and what is measured is said."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.quality.evaluation.folders import write_lines

pytestmark = pytest.mark.django_db

REF_ID = "orrin-ar24|p39|c2"
PASSAGE = {
    "ref_id": REF_ID,
    "title": "Orrin plc Annual report 2024",
    "company": "Orrin plc",
    "document_type": "report",
    "fiscal_year": 2024,
    "fiscal_quarter": None,
    "context_header": "Orrin plc Annual report 2024 | Group income statement",
    "section": "Group income statement",
    "text": "Group income statement\nUS$ million\n | 2024 | 2023\nOperating profit | 1,906 | 2,067",
}
RIGHT: dict[str, Any] = {
    "id": "r1",
    "class": "right",
    "verdict": "pass",
    "question": "Orrin operating profit 2024",
    "language": "en",
    "passages": [PASSAGE],
    "reply": {"answer": "USD 1,906 million", "ref_ids": [REF_ID]},
    "structured": False,
    "style": "terse",
    "base": "r1",
    "mutated": "",
    "form": "{v}",
}
WRONG = {
    **RIGHT,
    "id": "w1",
    "class": "digit",
    "verdict": "stop",
    "reply": {"answer": "USD 1,960 million", "ref_ids": [REF_ID]},
    "mutated": "prose",
}
# It is said to be wrong, and the check lets it pass.
MISSED = {**RIGHT, "id": "w2", "class": "digit", "verdict": "stop", "style": "prose"}


def measured(folder: Path, **options: Any) -> str:
    out = io.StringIO()
    call_command("evaluate", str(folder), checking=True, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    write_lines(tmp_path / "open.jsonl", [RIGHT, WRONG, MISSED])
    return tmp_path


def test_shares_are_told_by_class_and_style_with_the_time_of_the_check(cases: Path) -> None:
    body = json.loads(measured(cases, json=True))
    assert body["as_wanted"] == {
        "right": {name: {"share": 1.0, "of": 1} for name in ("all", "terse", "plain")},
        "digit": {
            "all": {"share": 0.5, "of": 2},
            "terse": {"share": 1.0, "of": 1},
            "plain": {"share": 0.5, "of": 2},
            "prose": {"share": 0.0, "of": 1},
        },
    }
    assert body["cases"] == 3
    assert 0 < body["ground_ms"]["p50"] <= body["ground_ms"]["p95"]


def test_tables_name_what_passed_and_what_was_stopped_and_list_a_class(cases: Path) -> None:
    text = measured(cases, show="digit")
    for words in ("right passed", "digit stopped", "0.500 of 2", "p95", "w2 prose"):
        assert words in text
    assert "w1" not in text


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"set": ["other"]}, "open, kept"),
        ({"set": ["open", "kept"]}, "open, kept"),
        ({"set": ["kept"]}, "kept.jsonl is not there"),
        ({"set": ["kept"], "show": "right"}, "for --set open"),
    ],
)
def test_a_set_that_is_not_there_or_not_to_be_seen_is_told(cases: Path, options: dict[str, Any], error: str) -> None:
    with pytest.raises(CommandError, match=error):
        measured(cases, **options)


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ([RIGHT], "exactly the fields"),
        ({**RIGHT, "more": 1}, "exactly the fields of a case: more"),
        ({**RIGHT, "structured": "no"}, '"structured" is not what'),
        ({**RIGHT, "verdict": "maybe"}, "neither"),
        ({**RIGHT, "reply": {}}, 'no "answer"'),
        ({**RIGHT, "passages": [{**PASSAGE, "ref_id": "orrin"}]}, "a passage lacks"),
    ],
)
def test_a_line_that_is_no_case_is_named(cases: Path, row: Any, error: str) -> None:
    write_lines(cases / "open.jsonl", [RIGHT, row])
    with pytest.raises(CommandError, match=rf"open\.jsonl, line 2: .*{error}"):
        measured(cases)
    (cases / "open.jsonl").write_text("{\n")
    with pytest.raises(CommandError, match="line 1: it is not JSON"):
        measured(cases)
