"""The benchmark of the search for a person on a small tenant, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.people_search import QUICK
from tests.corpus.people_corpus import SUBJECTS

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_every_planted_page_is_found_in_a_tenant_of_many_words() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.people_search", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["pages"] == QUICK
    assert len(report["lines"]) == len(SUBJECTS)
    assert sum(line["planted"] for line in report["lines"]) > 0
    assert all(line["found"] == line["planted"] for line in report["lines"])
