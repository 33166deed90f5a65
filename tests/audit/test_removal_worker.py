"""A run that waits for a seal, by the eraser's own worker and a real Redis: it goes on by its own message."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.erasure.contracts import RunState
from config.celery import app
from tests.audit.acting import sealed
from tests.audit.removing import actions, again, approved, asked, documents, left_of
from tests.corpus.test_jobs_celery import wait_for
from tests.factories import make_firm

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
_CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def _eraser(tmp_path: Path) -> Iterator[None]:
    """As `manage.py up` starts it (config/processes/platform.py). Nobody sends what the clock would."""
    with app.connection_for_write() as broker:
        broker.default_channel.queue_purge("erasure")
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--pool=solo", "--queues=erasure"]
    with (tmp_path / "eraser.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            cwd=_CHECKOUT,
            env=os.environ | {"GLASSBOX_DB_ROLE": "glassbox_eraser"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        yield
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.usefixtures("_eraser")
def test_what_waits_for_its_seal_goes_on_without_the_clock() -> None:
    acme = make_firm()
    targets = [*documents(acme, 1), *asked(acme)]
    run = approved(acme, targets)
    wait_for(lambda: again(acme, run).state == RunState.EXECUTING)
    sealed(acme)
    # The event that authorises the removal waits for its own seal then.
    wait_for(lambda: sealed(acme) >= 0 and again(acme, run).state == RunState.COMPLETED)
    assert left_of(acme, targets) == 0
    assert actions(acme, run)[-1] == "ended"
