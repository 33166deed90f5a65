"""The benchmark of series on few facts, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.facts import QUICK, YEARS

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_every_series_has_a_point_for_each_year() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.facts", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["facts"] == QUICK.companies * YEARS * QUICK.rows * 2
    # The first report gives the year before it as well.
    assert (report["series"], report["points"]) == (QUICK.repetitions, YEARS + 1)
