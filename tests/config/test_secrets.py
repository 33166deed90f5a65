"""Secrets are made once, kept privately, overridden by the environment, and demanded in production."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from config import env
from config.env import EnvironmentVariableError
from config.secrets import (
    LOGIN_ROLES,
    SecretsFileError,
    load_secrets,
    password_variable,
    required_secrets,
)

KEY = "ab" * 32
PRODUCTION = {
    "DJANGO_SECRET_KEY": "d" * 50,
    "GLASSBOX_SCOPE_TOKEN_KEYS": f"k2:{KEY},k1:{'cd' * 32}",
    "GLASSBOX_AUDIT_MASTER_KEY": KEY,
    "GLASSBOX_AUDIT_KEKS": f"kek2:{KEY},kek1:{'cd' * 32}",
    **{password_variable(role): f"a-password-for-{role}" for role in LOGIN_ROLES},
}


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PRODUCTION:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)


def test_the_first_start_makes_a_password_for_every_login_role(tmp_path: Path) -> None:
    assert set(load_secrets(tmp_path).database_passwords) == set(LOGIN_ROLES)


def test_the_second_start_finds_the_same(tmp_path: Path) -> None:
    assert load_secrets(tmp_path) == load_secrets(tmp_path)


def test_two_installations_differ(tmp_path: Path) -> None:
    assert load_secrets(tmp_path / "a").django_secret_key != load_secrets(tmp_path / "b").django_secret_key


def test_only_we_can_read_the_file(tmp_path: Path) -> None:
    load_secrets(tmp_path)
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    load_secrets(tmp_path)
    (tmp_path / "secrets.json").chmod(0o644)
    with pytest.raises(SecretsFileError, match="chmod 600"):
        load_secrets(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"DJANGO_SECRET_KEY": 1}'])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "secrets.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(SecretsFileError, match="not a JSON object"):
        load_secrets(tmp_path)
    assert path.read_text() == content


def test_a_damaged_key_is_refused(tmp_path: Path) -> None:
    load_secrets(tmp_path)
    path = tmp_path / "secrets.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"GLASSBOX_AUDIT_MASTER_KEY": "f00"}))
    with pytest.raises(SecretsFileError, match="GLASSBOX_AUDIT_MASTER_KEY"):
        load_secrets(tmp_path)


def test_a_secret_that_a_later_version_needs_is_added_to_the_others(tmp_path: Path) -> None:
    before = load_secrets(tmp_path)
    path = tmp_path / "secrets.json"
    values = json.loads(path.read_text())
    del values["GLASSBOX_AUDIT_MASTER_KEY"]
    path.write_text(json.dumps(values))
    after = load_secrets(tmp_path)
    assert len(after.audit_master_key) == 32
    assert after.django_secret_key == before.django_secret_key


def test_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSBOX_DB_PASSWORD_API", "another-long-password")
    assert load_secrets(tmp_path).database_passwords["glassbox_api"] == "another-long-password"


def test_the_environment_is_not_written_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSBOX_DB_PASSWORD_API", "another-long-password")
    load_secrets(tmp_path)
    assert "another-long-password" not in (tmp_path / "secrets.json").read_text()


def test_an_unusable_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SecretsFileError, match="can't be kept there"):
        load_secrets(tmp_path / "file")


def test_repr_shows_no_secret(tmp_path: Path) -> None:
    found = load_secrets(tmp_path)
    shown = repr(found)
    values = [found.django_secret_key, found.audit_master_key.hex(), *found.database_passwords.values()]
    assert not any(value in shown for value in values)
    assert repr(found.scope_token_keys[0].key) not in shown
    assert repr(found.audit_keks[0].key) not in shown


def test_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from config.secrets import load_secrets;"
        "print(load_secrets(Path(sys.argv[1])).django_secret_key)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            cwd=env.CHECKOUT,
            env=os.environ | {"PYTHONPATH": str(env.CHECKOUT)},
            stdout=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    assert len({process.communicate()[0] for process in processes}) == 1


def test_production_takes_all_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    assert [key.kid for key in required_secrets().scope_token_keys] == ["k2", "k1"]
    assert [key.kid for key in required_secrets().audit_keks] == ["kek2", "kek1"]


def test_production_lists_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SECRET_KEY", "d" * 50)
    with pytest.raises(EnvironmentVariableError) as caught:
        required_secrets()
    assert str(caught.value).count("is not set") == len(PRODUCTION) - 1


@pytest.mark.parametrize("keys", [KEY, f"k1:{KEY[:-2]}", f"k1:{KEY},k1:{KEY}", f"a|b:{KEY}"])
def test_a_malformed_scope_key_is_refused(monkeypatch: pytest.MonkeyPatch, keys: str) -> None:
    for name, value in (PRODUCTION | {"GLASSBOX_SCOPE_TOKEN_KEYS": keys}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentVariableError, match="GLASSBOX_SCOPE_TOKEN_KEYS"):
        required_secrets()
