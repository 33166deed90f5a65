"""The benchmark of "who could reach what, when" on a short history, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.access import QUICK, SUBJECTS

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.access", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_everybody_is_asked_about_with_versions_known_and_new(report: dict[str, Any]) -> None:
    assert [line["subject"] for line in report["lines"]] == [each for each in SUBJECTS for _ in range(2)]
    assert {line["case"] for line in report["lines"]} == {"version new to the process", "version met before"}


def test_every_question_finds_something_that_could_be_reached(report: dict[str, Any]) -> None:
    assert {line["could_reach"] for line in report["lines"]} == {QUICK.repetitions}


def test_the_aim_is_judged(report: dict[str, Any]) -> None:
    assert {line["verdict"] for line in report["lines"]} <= {"met", "missed"}
