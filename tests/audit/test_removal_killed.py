"""The eraser killed with SIGKILL before and after each of its commits: the same end state, whoever takes the run up.

The process that is killed is a real one, a fork of a helper that has loaded the application and opened no connection.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from apps.erasure.contracts import RunState, Target
from apps.erasure.models import RemovalRun
from tests.audit.acting import sealed
from tests.audit.removing import (
    actions,
    again,
    approved,
    asked,
    carried_out,
    documents,
    expire,
    ledger,
    left_of,
    outcomes,
    stores_of_documents,
)
from tests.baked import baked
from tests.factories import Firm, make_firm

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CHECKOUT = Path(__file__).resolve().parents[2]
# Forks a child for each run, which carries it out and is killed at the place that is named: the number of the
# transaction, and before or after its commit. A place that is never reached is told of.
_ERASER: Final = """
import django, json, os, signal, sys
django.setup()
from contextlib import contextmanager
from uuid import UUID
from apps.erasure import engine
from tests.audit.removing import POLICY, stores_of_documents

def carry_out(tenant, run, number, moment):
    begun, holding = 0, engine.holding
    @contextmanager
    def counted(lease):
        nonlocal begun
        begun += 1
        with holding(lease) as held:
            yield held
            if (begun, moment) == (number, "before"):
                os.kill(os.getpid(), signal.SIGKILL)
        if (begun, moment) == (number, "after"):
            os.kill(os.getpid(), signal.SIGKILL)
    engine.holding = counted
    with stores_of_documents():
        engine.run_carry_out(tenant_id=UUID(tenant), run_id=UUID(run), policy=POLICY)

ends = []
for place in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        carry_out(*place)
        os._exit(0)
    ends.append(os.WTERMSIG(os.waitpid(child, 0)[1]))
print(json.dumps(ends))
"""
Place = tuple[int, str]


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    with stores_of_documents():
        yield


def killed(firm: Firm, runs: dict[Place, RemovalRun]) -> None:
    places = [[str(firm.id), str(run.id), number, moment] for (number, moment), run in runs.items()]
    ended = subprocess.run(
        [sys.executable, "-c", _ERASER, json.dumps(places)],
        cwd=CHECKOUT,
        env={**os.environ, "GLASSBOX_DB_ROLE": "glassbox_eraser", "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ended.stdout) == [9] * len(runs), ended.stderr


def made(firm: Firm) -> tuple[list[Target], RemovalRun]:
    targets = [*documents(firm, 1), *asked(firm)]
    sealed(firm)
    return targets, approved(firm, targets)


def finished(firm: Firm, run: RemovalRun) -> None:
    """Taken up by the next process, as often as it takes, the sealer at work meanwhile."""
    for _ in range(4):
        expire(firm, run)
        if carried_out(firm, run) is RunState.COMPLETED:
            return
        sealed(firm)
    raise AssertionError(f"it ended {again(firm, run).state}")


# In the first turn a run of these tests begins, authorises, clears passages and pages (two transactions each) and the
# document, finds that the log's part can't go yet, and gives the run back.
FIRST_TURN: Final = [(number, moment) for number in range(1, 10) for moment in ("before", "after")]
# In the second one it begins, clears the log, and asks every store once more.
SECOND_TURN: Final = [(number, moment) for number in range(1, 4) for moment in ("before", "after")]


def test_killed_at_any_boundary_it_comes_to_the_same_end(acme: Firm) -> None:
    first = {place: made(acme) for place in FIRST_TURN}
    second = {place: made(acme) for place in SECOND_TURN}
    for _, run in second.values():
        assert carried_out(acme, run) is RunState.EXECUTING
    sealed(acme)
    killed(acme, {place: run for place, (_, run) in first.items()})
    killed(acme, {place: run for place, (_, run) in second.items()})
    for targets, run in (*first.values(), *second.values()):
        left = again(acme, run)
        if left.lease_owner:
            assert carried_out(acme, run) is None, "its lease lasts yet"
        if left.state != RunState.COMPLETED:
            finished(acme, run)
        assert left_of(acme, targets) == 0
        assert set(outcomes(acme, run).values()) == {("removed", "")}
        assert ledger(acme, run) == {
            "test.chunks": (3, 3, 0, 0, True),
            "test.pages": (3, 3, 0, 0, True),
            "test.documents": (1, 1, 0, 0, True),
            "audit.payloads": (1, 1, 0, 0, True),
        }
        state = again(acme, run)
        assert (state.state, state.lease_owner, state.error_code) == ("completed", "", "")
        said = actions(acme, run)
        assert (said.count("started"), said.count("step_finished"), said.count("ended")) == (1, 4, 1)
