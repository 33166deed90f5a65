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
from config.needs import Process, child_environment, needed_by, process_of, program_environment, surplus
from config.secrets import (
    LOGIN_ROLES,
    Secrets,
    SecretsFileError,
    given,
    load_secrets,
    password_variable,
    required_secrets,
    role_password,
    secret_texts,
)

KEY = "ab" * 32
PRODUCTION = {
    "DJANGO_SECRET_KEY": "d" * 50,
    "GLASSBOX_SCOPE_TOKEN_KEYS": f"k2:{KEY},k1:{'cd' * 32}",
    "GLASSBOX_AUDIT_MASTER_KEY": KEY,
    "GLASSBOX_AUDIT_KEKS": f"kek2:{KEY},kek1:{'cd' * 32}",
    "GLASSBOX_LOG_SIGNING_KEY": f"log1:{KEY}",
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


def test_a_process_of_a_checkout_takes_its_own(tmp_path: Path) -> None:
    taken = load_secrets(tmp_path, process=Process.BEAT)
    assert set(taken.database_passwords) == {"glassbox_worker"}
    assert (taken.scope_token_keys, taken.audit_keks, taken.audit_master_key, taken.log_seed) == ((), (), b"", None)


def required(process: Process) -> Secrets:
    with env.collecting() as reader:
        texts = secret_texts(reader, process)
    return required_secrets(texts)


def test_production_takes_a_process_own_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in PRODUCTION.items():
        monkeypatch.setenv(name, value)
    taken = required(Process.WEB)
    assert [key.kid for key in taken.scope_token_keys] == ["k2", "k1"]
    assert [key.kid for key in taken.audit_keks] == ["kek2", "kek1"]
    assert set(taken.database_passwords) == {"glassbox_api"}
    assert taken.log_seed is None
    assert required(Process.WORKER).log_seed is not None


def test_production_lists_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SECRET_KEY", "d" * 50)
    with pytest.raises(EnvironmentVariableError) as caught:
        required(Process.WEB)
    wanted = [secret for secret in needed_by(Process.WEB) if not secret.optional]
    assert str(caught.value).count("is not set") == len(wanted) - 1


@pytest.mark.parametrize("keys", [KEY, f"k1:{KEY[:-2]}", f"k1:{KEY},k1:{KEY}", f"a|b:{KEY}"])
def test_a_malformed_scope_key_is_refused(monkeypatch: pytest.MonkeyPatch, keys: str) -> None:
    for name, value in (PRODUCTION | {"GLASSBOX_SCOPE_TOKEN_KEYS": keys}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(EnvironmentVariableError, match="GLASSBOX_SCOPE_TOKEN_KEYS"):
        required(Process.WEB)


def test_what_a_process_was_not_given_is_an_error_where_it_is_used() -> None:
    """Not a digest under an empty key."""
    with pytest.raises(EnvironmentVariableError, match="GLASSBOX_AUDIT_MASTER_KEY is not given"):
        given(b"", "GLASSBOX_AUDIT_MASTER_KEY")
    with pytest.raises(EnvironmentVariableError, match="GLASSBOX_DB_PASSWORD_OWNER is not set"):
        role_password({}, "glassbox_owner")


CELERY = "/venv/lib/celery/__main__.py"


@pytest.mark.parametrize(
    ("arguments", "variables", "process"),
    [
        (["gunicorn", "config.wsgi"], {}, Process.WEB),
        (["gunicorn", "config.wsgi"], {"GLASSBOX_DB_ROLE": "glassbox_worker"}, Process.WORKER),
        (["manage.py", "migrate"], {"GLASSBOX_PROCESS": "web"}, Process.MIGRATE),
        (["manage.py", "backup", "/backups/today"], {}, Process.BACKUP),
        (["manage.py", "--traceback", "restore", "/backups/today"], {}, Process.RESTORE),
        (["manage.py", "erasure", "physical", "--now"], {}, Process.PROVER),
        (["manage.py", "erasure", "registry"], {}, Process.WEB),
        (
            ["/venv/bin/celery", "-A", "config.celery", "worker"],
            {"GLASSBOX_DB_ROLE": "glassbox_worker"},
            Process.WORKER,
        ),
        ([CELERY, "-A", "config.celery", "beat"], {"GLASSBOX_DB_ROLE": "glassbox_worker"}, Process.BEAT),
        ([CELERY, "worker", "--queues=log"], {"GLASSBOX_DB_ROLE": "glassbox_worker"}, Process.SEALER),
        ([CELERY, "worker", "--queues=ingest"], {"GLASSBOX_DB_ROLE": "glassbox_worker"}, Process.INGEST),
        ([CELERY, "worker", "--queues=clock"], {"GLASSBOX_DB_ROLE": "glassbox_worker"}, Process.CLOCK),
        ([CELERY, "worker", "-Q", "erasure"], {"GLASSBOX_DB_ROLE": "glassbox_eraser"}, Process.ERASER),
        ([CELERY, "worker", "--queues=celery,log"], {"GLASSBOX_DB_ROLE": "glassbox_worker"}, Process.WORKER),
        ([CELERY, "worker", "--queues=log"], {"GLASSBOX_PROCESS": "worker"}, Process.WORKER),
    ],
)
def test_what_a_process_is_for(arguments: list[str], variables: dict[str, str], process: Process) -> None:
    assert process_of(variables, arguments) is process


@pytest.mark.parametrize("process", Process)
def test_a_child_is_given_its_own_and_no_more(process: Process) -> None:
    everything = PRODUCTION | {f"{name}_FILE": "/run/secrets/x" for name in PRODUCTION} | {"LANG": "C"}
    child = child_environment(process, everything)
    assert surplus(process, child) == ()
    assert child["LANG"] == "C"
    assert child["GLASSBOX_DB_ROLE"] == process.role
    own = {secret.variable for secret in needed_by(process) if secret.variable in PRODUCTION}
    assert {name for name in child if name in PRODUCTION} == own


def test_a_program_of_others_is_given_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (PRODUCTION | {"SOME_TOKEN": "secret"}).items():
        monkeypatch.setenv(name, value)
    given_to_it = program_environment(PGPASSWORD="its own password")
    assert not {*PRODUCTION.values(), "secret"} & set(given_to_it.values())
    assert given_to_it["PGPASSWORD"] == "its own password"
    assert given_to_it["PATH"] == os.environ["PATH"]
