"""The benchmark of an erasure on a small tenant, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.erasure import SUBJECT_CHUNKS, SUBJECT_DOCUMENTS

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_a_subject_and_a_large_document_are_erased_and_nothing_is_left() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.erasure", "--quick", "--json"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    for part, passages in (("subject", SUBJECT_DOCUMENTS * SUBJECT_CHUNKS), ("large", 40)):
        assert (report[part]["state"], report[part]["left"]) == ("completed", 0)
        removed = {each["name"].strip(): each["items"] for each in report[part]["stores"]}
        assert removed["corpus.chunks"] == removed["corpus.embeddings_384"] == passages
    assert report["subject"]["steps"][0]["items"] >= SUBJECT_DOCUMENTS
