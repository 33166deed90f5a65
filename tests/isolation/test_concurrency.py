"""The wall in a crowd: threads and processes of different tenants at once, and many of their requests fail.

Each process has one pool, smaller than its threads are many, so that every connection serves everybody in turn. What
an answer may say is judged by the canaries and document ids in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from apps.tenants.roles import Role
from tests.corpus.ingesting import remote_profile
from tests.factories import make_key
from tests.isolation.world import KINDS, SCOPES, World, canary
from tests.model_server import ModelServer

pytestmark = pytest.mark.slow

PROCESSES = 4
THREADS = 16
REQUESTS = 4
CHECKOUT = Path(__file__).resolve().parent.parent.parent

# The status that each request has when it goes as it should; the failures are injected (see crowd.py).
STATUS = {
    "documents": 200,
    "document": 200,
    "foreign": 404,
    "query": 200,
    "events": 200,
    "reads": 200,
    "raises": 500,
    "times_out": 503,
    "cancelled": 503,
    "leaves": 200,
    "takes": 200,
}
EVERYBODY = ["documents", "document", "foreign", "reads", "raises", "times_out", "cancelled", "leaves", "takes"]
# Their answers must name the asker's own documents, or the judge would be blind.
TELLING = frozenset({"documents", "document", "query", "events", "reads", "leaves"})


@dataclass(frozen=True, slots=True)
class Answer:
    who: str
    act: str
    status: int
    marks: tuple[str, ...]


@pytest.fixture(scope="module")
def orders(world: World, model_server: ModelServer) -> dict[str, Any]:
    """Who asks, with what key and for what; the key of an auditor for the log, which no other role may read."""
    acme_alpha, acme, bolt = (
        str(world.document(*each)) for each in (("acme", "fund:alpha"), ("acme", "firm"), ("bolt", "firm"))
    )
    bolt_auditor = make_key(world.bolt, Role.AUDITOR)[1]
    return {
        "clients": {
            "acme-alpha": _client(world.keys["acme-alpha"], acme_alpha, acme, [*EVERYBODY, "query"]),
            "acme": _client(world.keys["acme"], acme, bolt, [*EVERYBODY, "query"]),
            "acme-auditor": _client(world.keys["acme-auditor"], acme, bolt, [*EVERYBODY, "events"]),
            "bolt": _client(world.keys["bolt"], bolt, acme, [*EVERYBODY, "query"]),
            "bolt-auditor": _client(bolt_auditor, bolt, acme, [*EVERYBODY, "events"]),
        },
        "marks": sorted(mark for slug in ("acme", "bolt") for scope in SCOPES for mark in _marks(world, slug, scope)),
        "provider": remote_profile(model_server, timeout_seconds=30),
    }


def test_nobody_in_a_crowd_is_answered_with_what_is_anothers(world: World, orders: dict[str, Any]) -> None:
    """The control is a smaller crowd, whose connection goes from one to the other unwashed."""
    small = {
        **orders,
        "clients": {who: {**client, "acts": ["leaves", "takes"]} for who, client in orders["clients"].items()},
        "pool": {"max_size": 1, "reset": None},
        "processes": 1,
        "threads": 4,
        "requests": 6,
    }
    large = {**orders, "pool": {"max_size": 4}, "processes": PROCESSES, "threads": THREADS, "requests": REQUESTS}
    unwashed, answers = crowds(small, large)

    assert strangers(world, unwashed), "a broken test: nobody found what was left on the connection"
    assert len(answers) == PROCESSES * THREADS * REQUESTS
    assert strangers(world, answers) == []
    assert [each for each in answers if each.status != STATUS[each.act]] == []
    assert [each for each in answers if each.act in TELLING and not each.marks] == []
    assert {each.act for each in answers} == set(STATUS)


def strangers(world: World, answers: list[Answer]) -> list[Answer]:
    """The answers that hold a mark which their asker must not see."""
    own = {
        "acme-alpha": _marks(world, "acme", "fund:alpha"),
        **{
            who: {mark for scope in SCOPES for mark in _marks(world, who.partition("-")[0], scope)}
            for who in ("acme", "acme-auditor", "bolt", "bolt-auditor")
        },
    }
    return [each for each in answers if not own[each.who].issuperset(each.marks)]


def crowds(*orders: dict[str, Any]) -> list[list[Answer]]:
    """Let the crowds ask, one after the other, and return their answers."""
    finished = subprocess.run(
        [sys.executable, "-m", "tests.isolation.crowd"],
        cwd=CHECKOUT,
        # The environment names the settings and, with them, this worker's database.
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        input=json.dumps(orders),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-4000:]
    return [
        [Answer(who, act, status, tuple(marks)) for who, act, status, marks in crowd]
        for crowd in json.loads(finished.stdout)
    ]


def _client(key: str, document: str, foreign: str, acts: list[str]) -> dict[str, Any]:
    return {"key": key, "document": document, "foreign": foreign, "acts": acts}


def _marks(world: World, slug: str, scope: str) -> set[str]:
    return {canary(slug, scope), *(str(world.document(slug, scope, kind)) for kind in KINDS)}
