"""Production settings, as a process of their own: refused without what they need, clean with it."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys

import pytest

from config.env import CHECKOUT
from config.secrets import LOGIN_ROLES, password_variable

_NEEDED = {
    "DATABASE_URL": "postgresql://db.internal/glassbox",
    "REDIS_URL": "redis://redis.internal/0",
    "DJANGO_ALLOWED_HOSTS": "glassbox.example.com",
    "DJANGO_SECRET_KEY": secrets.token_urlsafe(64),
    "GLASSBOX_SCOPE_TOKEN_KEYS": f"k1:{secrets.token_hex(32)}",
    "GLASSBOX_AUDIT_MASTER_KEY": secrets.token_hex(32),
    "GLASSBOX_AUDIT_KEKS": f"kek1:{secrets.token_hex(32)}",
    **{password_variable(role): secrets.token_urlsafe(32) for role in LOGIN_ROLES},
}


def _check_deploy(variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in _NEEDED}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=CHECKOUT,
        env=inherited | variables | {"DJANGO_SETTINGS_MODULE": "config.settings.production"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_check_deploy_is_clean() -> None:
    result = _check_deploy(_NEEDED)
    assert (result.returncode, result.stdout) == (0, "System check identified no issues (0 silenced).\n"), result.stderr


def test_everything_that_is_missing_is_named_at_once_and_without_a_traceback() -> None:
    result = _check_deploy({})
    assert result.returncode == 1
    assert all(f"{name} is not set." in result.stderr for name in _NEEDED)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["DATABASE_URL", "GLASSBOX_SCOPE_TOKEN_KEYS", "GLASSBOX_AUDIT_KEKS"])
def test_a_malformed_one_is_named_and_its_value_is_not_repeated(name: str) -> None:
    result = _check_deploy(_NEEDED | {name: "https://user:hunter2hunter2@db.internal/glassbox"})
    assert result.returncode == 1
    assert name in result.stderr
    assert "hunter2" not in result.stderr


def test_the_key_that_signs_the_log_is_demanded_of_the_worker_alone() -> None:
    worker = _NEEDED | {"GLASSBOX_DB_ROLE": "glassbox_worker"}
    result = _check_deploy(worker)
    assert result.returncode == 1
    assert "GLASSBOX_LOG_SIGNING_KEY is not set." in result.stderr
    assert _check_deploy(worker | {"GLASSBOX_LOG_SIGNING_KEY": f"log1:{secrets.token_hex(32)}"}).returncode == 0
    malformed = _check_deploy(worker | {"GLASSBOX_LOG_SIGNING_KEY": secrets.token_hex(32)})
    assert "GLASSBOX_LOG_SIGNING_KEY must be kid:hex" in malformed.stderr
