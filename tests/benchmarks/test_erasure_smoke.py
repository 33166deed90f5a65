"""The benchmark of erasing in a small tenant, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.erasure import PERSON_CHUNKS, PERSON_DOCUMENTS, QUICK, as_text

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


def test_a_person_and_then_their_tenant_are_erased_to_the_certificate() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.erasure", "--quick", "--json", "--of", "person", "tenant"],
        cwd=_CHECKOUT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    (size,) = report["sizes"]
    for part, passages in (("person", PERSON_DOCUMENTS * PERSON_CHUNKS), ("tenant", size["chunks"] + QUICK["large"])):
        assert size["parts"][part]["state"] == "completed"
        items = {step["name"].strip(): step["items"] for step in size["parts"][part]["steps"]}
        assert items["corpus.chunks"] == items["corpus.embeddings_384"] == passages
        assert items["residue scan, MB"] > 0
    assert size["parts"]["person"]["steps"][0]["items"] == PERSON_DOCUMENTS * PERSON_CHUNKS
    assert "the log verified" in as_text(report)
