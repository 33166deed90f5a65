"""The benchmark of retrieval in a small tenant, in a process of its own; no times are judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from apps.retrieval.optional.slots import DIVERSIFIERS, RERANKERS
from tests.benchmarks.retrieval import QUICK
from tests.benchmarks.retrieval_questions import GROUPS, questions
from tests.benchmarks.retrieval_report import as_text

_CHECKOUT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.retrieval", "--quick", "--json"],
        cwd=_CHECKOUT,
        # Threads of a model that wait for one another beside the suite's other work take minutes.
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=1_800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_every_stage_of_the_default_is_timed_for_every_question(report: dict[str, Any]) -> None:
    retrieval = report["latency"]["ways"]["retrieval"]
    assert retrieval["questions"] == QUICK["questions"]
    ran = {name: part["ran"] for name, part in retrieval["parts"].items()}
    for stage in ("classify", "gate", "analyse", "embed", "dense", "sparse", "fuse", "boost", "cut_off", "assemble"):
        assert ran[stage] == QUICK["questions"], stage
    assert 0 < ran["statements"] < QUICK["questions"]
    assert set(retrieval["groups"]) == set(GROUPS)
    assert sum(part["share"] for part in retrieval["parts"].values()) <= 1


def test_a_whole_question_has_a_line_for_its_event(report: dict[str, Any]) -> None:
    answer = report["latency"]["ways"]["answer"]
    assert answer["parts"]["event"]["ran"] == QUICK["questions"]
    assert answer["parts"]["event"]["p50_ms"] > 0


def test_every_reranker_and_diversifier_is_measured_or_named_as_not_configured(report: dict[str, Any]) -> None:
    latency = report["latency"]
    measured = {name.removeprefix("with ") for name, way in latency["ways"].items() if way["switched_stage"]}
    assert measured | set(latency["not_configured"]) == {*DIVERSIFIERS, *RERANKERS}
    for way in latency["ways"].values():
        if way["switched_stage"]:
            assert way["parts"][way["switched_stage"]]["ran"] > 0


def test_the_processes_of_production_are_looked_at_while_they_work(report: dict[str, Any]) -> None:
    assert report["web"]["points"][-1]["questions"] == QUICK["memory_questions"]
    assert report["web"]["points"][-1]["peak_mb"] > report["web"]["idle"]["peak_mb"]
    assert report["worker"]["pages"] >= QUICK["document_pages"]
    assert report["worker"]["peak_mb"] > 100


def test_what_is_held_to_is_judged_and_printed(report: dict[str, Any]) -> None:
    assert {aim["verdict"] for aim in report["aims"]} <= {"met", "missed"}
    assert "retrieval p95, ms" in as_text(report)
    assert "made up" in as_text(report)


def test_only_what_the_installation_configures_is_remembered_without_a_bound(report: dict[str, Any]) -> None:
    unbounded = {cache["name"] for cache in report["caches"] if cache["most"] is None}
    assert unbounded == {"apps.corpus.providers.registry, one a configured profile"}


def test_questions_are_the_same_for_a_seed_and_mostly_of_a_text_of_their_own() -> None:
    once, again, other = questions(500, seed=1), questions(500, seed=1), questions(500, seed=2)
    assert once == again != other
    assert len({each.text for each in once}) > 400
    assert sum(each.group == "German" for each in once) == sum(each.group == "unrecognised" for each in once) == 50
