"""The benchmark of text recognition on two pages; no times are judged."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.recognition import main


def test_figures_of_scanned_pages_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["pages"] == 2
    assert report["figures"]["typeset"]["right"] == 1.0
    assert report["figures"]["scanned"]["right"] >= 0.95
