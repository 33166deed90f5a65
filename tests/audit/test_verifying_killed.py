"""The prover killed with SIGKILL at each of its boundaries: the same end state, nothing left, one certificate.

The process that is killed is a real one, a fork of a helper that has loaded the application and opened no connection.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from django.conf import LazySettings

from apps.erasure.contracts import Origin, RunState
from apps.erasure.proof import safe
from tests.audit.acting import sealed
from tests.audit.proving import issued, own_access, prepared_by_hand, proved, removed
from tests.audit.removing import actions, again, approved, asked, carried_out
from tests.baked import baked
from tests.factories import Firm, make_firm

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CHECKOUT = Path(__file__).resolve().parents[2]
# Each place: a function of the prover's, and whether it is killed before or after it has run.
_PROVER: Final = """
import django, json, os, signal, sys
django.setup()
from pathlib import Path
from apps.erasure.proof import disk, ending, passes, preparing, prover, safe
from apps.erasure.residue import physical
from tests.audit.proving import own_access

def kill_at(module, name, moment):
    work = getattr(module, name)
    def killed(*args, **kwargs):
        if moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = work(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(module, name, killed)

modules = {
    each.__name__.rpartition(".")[2]: each for each in (disk, ending, passes, physical, preparing, prover, safe)
}
ends = []
for module, name, moment in json.loads(sys.argv[2]):
    child = os.fork()
    if not child:
        kill_at(modules[module], name, moment)
        # As the clock does: a control can fail while the server is busy with other things, and is tried again.
        for _ in range(4):
            prover.prove_due(own_access(Path(sys.argv[1]), turned_over=False), at_once=True, wait_s=10)
        os._exit(0)
    ends.append(os.WTERMSIG(os.waitpid(child, 0)[1]))
print(json.dumps(ends))
"""
# In the order in which a run comes by, so that each process goes on where the one before it was killed.
PLACES: Final = [
    ("prover", "plan_batch", "before"),
    ("prover", "plan_batch", "after"),
    ("physical", "_rewritten", "before"),
    ("disk", "physical_phase", "after"),
    ("prover", "forget", "after"),
    ("disk", "scan_each", "after"),
    ("passes", "note_scan", "after"),
    ("ending", "_ended", "after"),
    ("safe", "destroy", "before"),
]


def killed(home: Path, places: list[tuple[str, str, str]]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROVER, str(home), json.dumps(places)],
        cwd=CHECKOUT,
        env={**os.environ, "GLASSBOX_DB_ROLE": "glassbox_eraser", "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ended.stdout) == [9] * len(places), ended.stderr


@pytest.fixture
def acme(settings: LazySettings) -> Firm:
    settings.GLASSBOX_PHYSICAL_ORIGINS = frozenset({Origin.REQUEST})
    return baked(make_firm, "acme")


def test_killed_at_any_boundary_it_comes_to_the_same_end(acme: Firm, tmp_path: Path) -> None:
    access = own_access(tmp_path)
    run = approved(acme, asked(acme))
    prepared_by_hand(run, tmp_path)
    removed(acme, run)
    killed(tmp_path, PLACES)
    proved(access)
    left = again(acme, run)
    assert (left.state, left.error_code, len(left.end_events)) == (RunState.COMPLETED, "", 1)
    assert safe.kept(tmp_path) == []
    said = actions(acme, run)
    assert (said.count("counted_zero"), said.count("ended"), said.count("failed")) == (1, 1, 0)
    assert len(issued(acme)) == 1
    assert len(issued(acme)) == 1, "and no second one"


def test_killed_with_the_needles_kept_and_nothing_noted_it_is_prepared_again(acme: Firm, tmp_path: Path) -> None:
    access = own_access(tmp_path)
    targets = asked(acme)
    sealed(acme)
    run = approved(acme, targets)
    killed(tmp_path, [("preparing", "note", "before")])
    assert safe.kept(tmp_path) == [(acme.id, run.id)]
    assert carried_out(acme, run) is None, "nothing goes yet"
    assert proved(access).prepared == 1
    assert safe.opened(tmp_path, tenant_id=acme.id, run_id=run.id).targets == tuple(targets)
