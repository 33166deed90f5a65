"""The benchmark of the graph on two pages; no times are judged."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.graph import main


def test_the_names_and_relations_of_typeset_pages_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--json"])
    (report,) = json.loads(capsys.readouterr().out)
    assert report["pages"] == 2
    assert {"organisation", "person", "location", "regulation", "money"} <= report["mentions"].keys()
    assert {"acquired", "subsidiary_of", "refers_to"} <= report["relations"].keys()
