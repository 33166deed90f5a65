"""The eraser killed with SIGKILL before and after each commit at a tenant's end: the same end, whoever takes it up.

As in test_removal_killed.py: real processes, forks of a helper that has loaded the application.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from apps.audit.models import DataKey, Event, Payload
from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalRun
from apps.tenants.context import open_scope
from tests.audit.acting import sealed, verified_log
from tests.audit.ending import POLICY, counted, ended, only_the_log, whole
from tests.audit.removing import approved, asked, carried_out, expire, ledger
from tests.factories import Firm, make_firm

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CHECKOUT = Path(__file__).resolve().parents[2]
_ERASER: Final = """
import django, json, os, signal, sys
django.setup()
from contextlib import contextmanager
from uuid import UUID
from apps.erasure import engine
from tests.audit.ending import POLICY, only_the_log

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
    with only_the_log():
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
# It begins, says under a new key that the log goes, finds that this is not sealed yet, and gives the run back.
FIRST_TURN: Final = [(number, moment) for number in range(1, 4) for moment in ("before", "after")]
# It begins, empties the log (one part of it), passes over parts of events, destroys the keys, and asks once more.
SECOND_TURN: Final = [(number, moment) for number in range(1, 6) for moment in ("before", "after")]


def made(name: str) -> tuple[Firm, RemovalRun]:
    firm = make_firm(name)
    asked(firm)
    sealed(firm)
    run = approved(firm, [whole(firm)])
    sealed(firm)
    return firm, run


def killed(runs: dict[Place, tuple[Firm, RemovalRun]]) -> None:
    places = [[str(firm.id), str(run.id), number, moment] for (number, moment), (firm, run) in runs.items()]
    finished = subprocess.run(
        [sys.executable, "-c", _ERASER, json.dumps(places)],
        cwd=CHECKOUT,
        env={**os.environ, "GLASSBOX_DB_ROLE": "glassbox_eraser", "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(finished.stdout) == [9] * len(runs), finished.stderr


def test_killed_at_any_boundary_a_tenant_comes_to_the_same_end() -> None:
    first = {place: made(f"first{number}") for number, place in enumerate(FIRST_TURN)}
    second = {place: made(f"second{number}") for number, place in enumerate(SECOND_TURN)}
    with only_the_log():
        for firm, run in second.values():
            assert carried_out(firm, run, POLICY) is RunState.EXECUTING
            sealed(firm)
        killed(first)
        killed(second)
        for firm, run in (*first.values(), *second.values()):
            expire(firm, run)
            sealed(firm)
            left = _state(firm, run)
            assert left == RunState.COMPLETED or ended(firm, run) is RunState.COMPLETED
            assert counted(firm, whole(firm)) == {}
            assert verified_log(firm).findings == ()
            _is_one_end(firm, run)


def _state(firm: Firm, run: RemovalRun) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return str(RemovalRun.objects.get(id=run.id).state)


def _is_one_end(firm: Firm, run: RemovalRun) -> None:
    """Said once, ended once, and what stays is the same in each of them."""
    with open_scope(tenant=firm.id, reason="a test"):
        assert [key.epoch for key in DataKey.objects.all()] == ["end.1"]
        actions = list(Event.objects.filter(id__in=Payload.objects.values("event_id")).values_list("action", flat=True))
    assert sorted(actions) == [
        "audit.log.emptied",
        "audit.removal.ended",
        *["audit.removal.step_finished"] * 3,
        "audit.tombstone.written",
    ]
    steps = ledger(firm, run)
    assert steps.keys() == {"audit.log_contents", "audit.payloads", "audit.data_keys"}
    assert {(retained, remaining, finished) for _, _, retained, remaining, finished in steps.values()} == {(0, 0, True)}
    assert steps["audit.data_keys"][1] == 1
