"""Production settings, as a process of their own: refused without what they need, clean with it and with no more."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys

import pytest

from config.env import CHECKOUT
from config.needs import SECRETS, Process, needed_by, secrets_table

_SETTINGS = {
    "DATABASE_URL": "postgresql://db.internal/glassbox",
    "REDIS_URL": "redis://:a-long-password@redis.internal/0",
    "DJANGO_ALLOWED_HOSTS": "glassbox.example.com",
}
# It starts without, and `check --deploy` says what is missed.
_ADVISED = {"GLASSBOX_OPERATORS": "ops@example.com"}
_NAMED_KEYS = ("GLASSBOX_SCOPE_TOKEN_KEYS", "GLASSBOX_AUDIT_KEKS", "GLASSBOX_LOG_SIGNING_KEY")


def _value(variable: str) -> str:
    if variable in _NAMED_KEYS:
        return f"k1:{secrets.token_hex(32)}"
    return secrets.token_hex(32)


_GIVEN = {secret.variable: _value(secret.variable) for secret in SECRETS}


def _of(process: Process) -> dict[str, str]:
    """What the handbook says that one gives to the process, and nothing else."""
    needed = {secret.variable: _GIVEN[secret.variable] for secret in needed_by(process) if not secret.optional}
    return _SETTINGS | _ADVISED | needed | {"GLASSBOX_PROCESS": process.value}


def _check_deploy(variables: dict[str, str], command: str = "check --deploy --fail-level WARNING") -> tuple[int, str]:
    """Returns: the exit status, and all that was said."""
    known = {*_GIVEN, *_SETTINGS, *_ADVISED, "GLASSBOX_PROCESS", "GLASSBOX_DB_ROLE"}
    inherited = {name: value for name, value in os.environ.items() if name.removesuffix("_FILE") not in known}
    ended = subprocess.run(
        [sys.executable, "manage.py", *command.split()],
        cwd=CHECKOUT,
        env=inherited | variables | {"DJANGO_SETTINGS_MODULE": "config.settings.production"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def _named(said: str) -> set[str]:
    return set(re.findall(r"was given (\w+), which", said))


@pytest.mark.slow
@pytest.mark.parametrize("process", Process)
def test_each_process_starts_with_its_own_secrets_alone(process: Process) -> None:
    """A default secret of Django's own is told by `check --deploy`, so none was put in the place of one."""
    assert _check_deploy(_of(process)) == (0, "System check identified no issues (0 silenced).\n")


@pytest.mark.slow
@pytest.mark.parametrize("process", [Process.WEB, Process.BEAT])
def test_a_process_that_was_given_all_is_told_what_is_too_much(process: Process) -> None:
    """As it was when every process wanted every password."""
    status, said = _check_deploy(_SETTINGS | _GIVEN | {"GLASSBOX_PROCESS": process.value})
    assert status == 1
    assert _named(said) == set(_GIVEN) - {secret.variable for secret in needed_by(process)}
    assert not any(value in said for value in _GIVEN.values())


@pytest.mark.slow
def test_a_file_that_holds_what_it_does_not_need_is_told_too() -> None:
    status, said = _check_deploy(_of(Process.WEB) | {"GLASSBOX_DB_PASSWORD_OWNER_FILE": "/run/secrets/owner"})
    assert (status, _named(said)) == (1, {"GLASSBOX_DB_PASSWORD_OWNER_FILE"})


@pytest.mark.slow
def test_a_password_in_the_address_of_the_database_is_told() -> None:
    address = "postgresql://admin:hunter2hunter2@db.internal/glassbox"
    status, said = _check_deploy(_of(Process.WEB) | {"DATABASE_URL": address})
    assert status == 1
    assert "the password in DATABASE_URL" in said
    assert "hunter2" not in said


@pytest.mark.slow
@pytest.mark.parametrize("process", [Process.WEB, Process.WORKER, Process.MIGRATE])
def test_everything_that_is_missing_is_named_at_once_and_without_a_traceback(process: Process) -> None:
    status, said = _check_deploy({"GLASSBOX_PROCESS": process.value})
    assert status == 1
    assert set(re.findall(r"(\w+) is not set\.", said)) == set(_of(process)) - {"GLASSBOX_PROCESS", *_ADVISED}
    assert "Traceback" not in said


@pytest.mark.slow
def test_what_is_advised_is_told_where_it_is_missing() -> None:
    given = {name: value for name, value in _of(Process.WEB).items() if name not in _ADVISED}
    status, said = _check_deploy(given)
    assert status == 0
    assert all(f"Set {name} to" in said for name in _ADVISED)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DATABASE_URL", *_NAMED_KEYS])
def test_a_malformed_one_is_named_and_its_value_is_not_repeated(name: str) -> None:
    status, said = _check_deploy(_of(Process.WORKER) | {name: "https://user:hunter2hunter2@db.internal/glassbox"})
    assert status == 1
    assert name in said
    assert "hunter2" not in said


def test_a_process_that_there_is_not_is_refused() -> None:
    status, said = _check_deploy(_of(Process.WEB) | {"GLASSBOX_PROCESS": "wobker"})
    assert status == 1
    assert "GLASSBOX_PROCESS must be one of web, worker" in said


@pytest.mark.slow
@pytest.mark.parametrize("command", ["migrate", "backup /nowhere", "restore /nowhere", "erasure physical"])
def test_a_command_wants_its_own_secrets_wherever_it_is_typed(command: str) -> None:
    """In the web process's environment: refused with what is missing, before anything is done."""
    status, said = _check_deploy(_of(Process.WEB), command)
    assert status == 1
    assert "GLASSBOX_DB_PASSWORD_BACKUP is not set." in said
    assert "Traceback" not in said


def test_the_handbook_says_what_the_code_asks_for() -> None:
    assert secrets_table() in (CHECKOUT / "docs/operations/deploy.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "origins"),
    [
        ({}, ["request"]),
        ({"GLASSBOX_RESIDUE_SCAN": "false"}, []),
        ({"GLASSBOX_RESIDUE_SCAN": "false", "GLASSBOX_PURGE_PHYSICAL": "true"}, ["purge"]),
    ],
)
def test_the_scan_of_the_disk_is_made_unless_it_is_switched_off(given: dict[str, str], origins: list[str]) -> None:
    show = "from django.conf import settings; print(sorted(settings.GLASSBOX_PHYSICAL_ORIGINS))"
    switches = ("GLASSBOX_RESIDUE_SCAN", "GLASSBOX_PURGE_PHYSICAL")
    inherited = {name: value for name, value in os.environ.items() if name not in switches}
    variables = {"DJANGO_SETTINGS_MODULE": "config.settings.development"} | given
    shown = subprocess.run(
        [sys.executable, "-c", show],
        cwd=CHECKOUT,
        env=inherited | variables,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert shown == f"{origins}\n"
