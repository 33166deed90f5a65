"""The worker killed with SIGKILL before and after each commit of a run: the same answer, whoever takes it up.

As in tests/audit/test_tenant_killed.py: real processes, forks of a helper that has loaded the application.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings
from django.utils import timezone

from apps.research.models import ResearchRun, RunState
from apps.research.runs.runner import RunOutcome
from apps.tenants.context import open_scope
from tests.factories import Firm
from tests.research.running import carry_out, kinds_of_steps, person, request, researched, result, row, steps

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
_WORKER: Final = """
import django, json, os, signal, sys
django.setup()
from uuid import UUID
from django.test import override_settings
from apps.research.runs import runner

def carry_out(tenant, run, number, moment):
    counts = {"before": 0, "after": 0}
    def dying(name, act, at):
        def counted(*args, **kwargs):
            done = act(*args, **kwargs)
            counts[at] += 1
            if (counts[at], at) == (number, moment):
                os.kill(os.getpid(), signal.SIGKILL)
            return done
        return counted
    runner.step_record = dying("step_record", runner.step_record, "before")
    runner._Run._step = dying("_step", runner._Run._step, "after")
    runner.run_carry_out(tenant_id=UUID(tenant), run_id=UUID(run))

ends = []
with override_settings(GLASSBOX_EMBEDDING_PROFILES=json.loads(sys.argv[2])):
    for place in json.loads(sys.argv[1]):
        child = os.fork()
        if not child:
            carry_out(*place)
            os._exit(0)
        ends.append(os.WTERMSIG(os.waitpid(child, 0)[1]))
print(json.dumps(ends))
"""
# Two questions, the score of the round, and the answer with its end.
PLACES: Final = [(number, moment) for number in range(1, 5) for moment in ("before", "after")]
WHOLE: Final = ["analysis", "search", "search", "score", "result", "ended"]


def killed(house: Firm, runs: dict[tuple[int, str], ResearchRun]) -> None:
    places = [[str(house.id), str(run.id), number, moment] for (number, moment), run in runs.items()]
    profiles = json.dumps({"local": settings.GLASSBOX_EMBEDDING_PROFILES["local"]})
    finished = subprocess.run(
        [sys.executable, "-c", _WORKER, json.dumps(places), profiles],
        cwd=CHECKOUT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.stdout, finished.stderr
    assert json.loads(finished.stdout) == [9] * len(runs), finished.stderr


def test_killed_at_any_boundary_a_run_comes_to_the_same_answer(house: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("RUNS_AT_ONCE", "RUNS_OF_OWNER"):
        monkeypatch.setattr(f"apps.research.runs.quotas.{limit}", 100)
    alice = person(house, "alice")
    whole = result(alice, researched(alice))
    runs = {place: request(alice) for place in PLACES}
    killed(house, runs)
    for (number, moment), run in runs.items():
        left = row(alice, run.id)
        # Of what was not committed, nothing is there; of what was, all.
        recorded = 1 + number - (moment == "before")
        assert len(steps(alice, run.id)) == recorded + ((number, moment) == (4, "after"))
        if left.state != RunState.DONE:
            with open_scope(tenant=house.id, reason="a test"):
                expired = timezone.now() - timedelta(seconds=1)
                ResearchRun.objects.filter(id=run.id).update(lease_until=expired)
            assert carry_out(run) is RunOutcome.ENDED
        assert kinds_of_steps(alice, run.id) == WHOLE
        assert result(alice, row(alice, run.id)) == whole


def test_a_run_that_loses_every_worker_is_given_up(house: Firm) -> None:
    alice = person(house, "alice")
    run = request(alice)
    with open_scope(tenant=house.id, reason="a test"):
        ResearchRun.objects.filter(id=run.id).update(attempts=5)
    carry_out(run)
    ended = row(alice, run.id)
    assert (ended.state, ended.stopped_by) == (RunState.FAILED, "worker_lost")
