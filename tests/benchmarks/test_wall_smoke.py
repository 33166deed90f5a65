"""The benchmark of the wall runs on small tenants, in a process of its own as it is meant to; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.wall import QUICK

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.wall", "--quick", "--json"],
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


def test_every_search_has_a_line_at_every_size_and_number_of_tenants(report: dict[str, Any]) -> None:
    statements = ("dense", "sparse", "chunks", "all", "opening", "all, opening")
    expected = set(product(QUICK.sizes, QUICK.others, statements))
    assert {(line["chunks"], line["others"], line["statement"]) for line in report["lines"]} == expected


def test_both_sides_find_the_same_chunks(report: dict[str, Any]) -> None:
    runs = QUICK.warm_up + QUICK.repetitions
    assert report["searches"] == len(QUICK.sizes) * len(QUICK.others) * runs * len(("dense", "sparse", "chunks"))
    assert report["differences"] == []


def test_every_search_finds_something(report: dict[str, Any]) -> None:
    assert report["fewest_found"] > 0


def test_both_aims_are_judged(report: dict[str, Any]) -> None:
    assert {(each["at_most"], each["verdict"] in ("met", "missed")) for each in report["comparisons"]} == {
        (1.05, True),
        (1.3, True),
    }
