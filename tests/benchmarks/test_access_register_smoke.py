"""The benchmark of the access centre's pages on a short history, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.access_register import QUESTIONS

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
# No page asks the database more often for more people: what a page of everybody asks, one of a single person does too.
_MOST_QUERIES = 60


def test_each_page_is_shown_with_a_number_of_queries_that_knows_no_number_of_people() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.access_register", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    lines = {line["question"]: line for line in json.loads(ran.stdout)}
    assert lines.keys() == QUESTIONS.keys()
    assert max(line["queries"] for line in lines.values()) <= _MOST_QUERIES
    # 16 holders of the short history, and of those each has a line.
    assert lines["everybody, at one moment"]["bytes"] > lines["one key, at one moment"]["bytes"]
    assert {line["verdict"] for line in lines.values()} <= {"met", "missed"}
