"""The benchmark of a policy's proof, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_what_is_counted_is_what_an_enumeration_of_all_combinations_finds() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.policy_proof", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["combinations"] == 2_880_000
    assert report["gained"] == report["enumerated"] > 0
