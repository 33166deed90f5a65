"""The benchmark of the log with few events, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.audit_log import QUICK

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_processes_of_writers_and_a_sealer_make_one_whole_log() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.audit_log", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["whole"]
    assert report["events"] == QUICK.processes * QUICK.writers * QUICK.each
    assert 0 < report["time_to_seal_s"]["median"] <= report["time_to_seal_s"]["most"]
