"""Who may write to the broker gives workers tasks, and no commands: Celery answers some of those with its settings."""

from __future__ import annotations

import time

import pytest
from celery.contrib.testing.worker import start_worker
from celery.signals import worker_init
from celery.worker import control
from celery.worker.control import Panel
from django.conf import settings

from config import celery

pytestmark = pytest.mark.slow

_QUEUE = "commanded"
_CONF = control.conf


def _answer(asked: str, *, timeout: float) -> str:
    """What all workers say to a command that any process can send."""
    return str(celery.app.control.broadcast(asked, reply=True, timeout=timeout))


def _answer_once_it_listens(asked: str) -> str:
    """The same, asked again until somebody answers: what is sent before a worker has subscribed reaches nobody."""
    until = time.monotonic() + 300
    while (said := _answer(asked, timeout=1)) == "[]" and time.monotonic() < until:
        pass
    return said


@pytest.mark.django_db(transaction=True)
def test_no_worker_tells_its_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery hides what has KEY, PASS or TOKEN in its name; passwords of database roles are named by their roles."""
    secret = settings.GLASSBOX_DB_PASSWORDS["glassbox_worker"]
    monkeypatch.setitem(Panel.data, "conf", _CONF)
    worker_init.disconnect(celery._take_few_commands)
    try:
        with start_worker(celery.app, pool="solo", queues=[_QUEUE], perform_ping_check=False):
            assert secret in _answer_once_it_listens("conf"), (
                "a broken test: it does not tell where it takes all commands"
            )
    finally:
        worker_init.connect(celery._take_few_commands)
    with start_worker(celery.app, pool="solo", queues=[_QUEUE], perform_ping_check=False):
        assert _QUEUE in _answer_once_it_listens("active_queues")
        assert "pong" in _answer("ping", timeout=5)
        for name in sorted(Panel.meta.keys() - celery.COMMANDS - {"shutdown"}):
            said = _answer(name, timeout=0.3)
            assert said == "[]" or f"KeyError('{name}')" in said, (name, said)
    assert Panel.data.keys() == celery.COMMANDS
