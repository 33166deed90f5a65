"""`manage.py audit seal`, `checkpoint` and `log-key`: what the sealer and the worker do by the clock, by hand."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from apps.audit.log.sequencer import tenants_that_wait
from apps.audit.models import Checkpoint
from apps.tenants.context import open_scope
from config.env import EnvironmentVariableError
from config.log_keys import verify_keys
from tests.audit.acting import recorded, sealed, signing_key
from tests.baked import baked
from tests.factories import make_firm

pytestmark = pytest.mark.django_db(transaction=True)


def told(action: str) -> str:
    out = StringIO()
    call_command("audit", action, stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_it_becomes_the_worker_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings.test")
    firm = baked(make_firm, "acme")
    recorded(firm, 4)
    assert "events sealed." in told("seal")
    assert tenants_that_wait() == ()
    assert told("checkpoint").startswith("1 checkpoints signed")
    with open_scope(tenant=firm.id, reason="a test"):
        assert Checkpoint.objects.count() == 1


@pytest.mark.slow
def test_the_public_key_is_printed_as_the_setting_takes_it() -> None:
    line = told("log-key").strip()
    assert verify_keys(None, [line]) == settings.GLASSBOX_LOG_VERIFY_KEYS == (signing_key().verify_key,)


@pytest.mark.parametrize("line", ["", "log1", "log1+00000000+AAAA", "log1+zz+!!"])
def test_a_public_key_that_is_none_is_refused_at_the_start(line: str) -> None:
    with pytest.raises(EnvironmentVariableError, match="GLASSBOX_LOG_VERIFY_KEYS"):
        verify_keys(None, [line])


def test_the_worker_s_key_is_not_where_requests_are_served() -> None:
    assert settings.GLASSBOX_LOG_SIGNING_KEY is None
    assert signing_key().seed.hex() not in repr(signing_key())


@pytest.mark.slow
def test_a_log_that_can_not_be_signed_fails_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings.test")
    monkeypatch.setenv("GLASSBOX_LOG_VERIFY_KEYS", "broken")
    sealed(make_firm("acme"), 1)
    with pytest.raises(CommandError, match="GLASSBOX_LOG_VERIFY_KEYS"):
        told("checkpoint")
