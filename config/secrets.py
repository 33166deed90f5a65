"""The secrets of an installation: generated at the first start in development, required in production.

In production each process is given its own secrets, and no file holds all of them (needs.py says which process needs
which). In a checkout they lie in `<home>/secrets.json` (mode 0600), which every process of the checkout can read, and
never in its tracked files. An environment variable takes precedence over the file:

    DJANGO_SECRET_KEY                    any long random text
    GLASSBOX_SCOPE_TOKEN_KEYS            kid:hex[,kid:hex ...]; the first signs, the others still verify (rotation)
    GLASSBOX_AUDIT_MASTER_KEY            hex, 32 bytes
    GLASSBOX_AUDIT_KEKS                  kid:hex[,kid:hex ...]; the first wraps, the others still unwrap (rotation)
    GLASSBOX_LOG_SIGNING_KEY             kid:hex, 32 bytes
    GLASSBOX_DB_PASSWORD_<ROLE>          one per login role, for example GLASSBOX_DB_PASSWORD_API for glassbox_api
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from apps.errors import ApplicationError

from . import env
from .files import write_atomically
from .locks import FileLock
from .needs import LOGIN_ROLES as LOGIN_ROLES
from .needs import Process, needed_by
from .needs import password_variable as password_variable

T = TypeVar("T")

KEY_BYTES: Final = 32

_DJANGO: Final = "DJANGO_SECRET_KEY"
_SCOPE: Final = "GLASSBOX_SCOPE_TOKEN_KEYS"
_AUDIT: Final = "GLASSBOX_AUDIT_MASTER_KEY"
_KEKS: Final = "GLASSBOX_AUDIT_KEKS"
_LOG: Final = "GLASSBOX_LOG_SIGNING_KEY"


class SecretsFileError(ApplicationError):
    """`secrets.json` can't be used in its present state."""

    code = "config.secrets_file"
    status = 500
    message = "{path}: {problem}."


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """One HMAC key of the scope token: `kid` names it in the token, `key` is 32 bytes."""

    kid: str
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappingKey:
    """One key-encryption key of the log: `kid` names it beside what it wrapped, `key` is 32 bytes."""

    kid: str
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSeed:
    """The seed that signs the log's checkpoints (Ed25519): `kid` names it in the signature, `seed` is 32 bytes."""

    kid: str
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """The secrets of a process; `repr` shows none of them. A secret that the process does not need is empty.

    Attributes:
        scope_token_keys: the first signs, all verify.
        audit_master_key: 32 bytes, from which the keys of the digests in the log are derived.
        audit_keks: the first wraps the data keys of the log, all unwrap.
        database_passwords: by role name.
    """

    django_secret_key: str = field(repr=False)
    scope_token_keys: tuple[SigningKey, ...]
    audit_master_key: bytes = field(repr=False)
    audit_keks: tuple[WrappingKey, ...]
    database_passwords: Mapping[str, str] = field(repr=False)
    log_seed: LogSeed | None = None


def load_secrets(home: Path | None = None, *, process: Process | None = None) -> Secrets:
    """Return the secrets for development: from the environment, else from `<home>/secrets.json`, made if missing.

    Safe when several processes start for the first time at once.

    Args:
        process: leaves out what that process does not need, as production does; None for all.
    Raises:
        SecretsFileError: the file is not readable, not ours, readable by others, or damaged.
        EnvironmentVariableError: a variable that overrides is malformed.
    """
    folder = env.home() if home is None else home
    path = folder / "secrets.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / "secrets.lock", timeout_s=30):
            stored = _read(path)
            missing = {name: value for name, value in _generate().items() if name not in stored}
            if missing:
                stored |= missing
                write_atomically(path, json.dumps(stored, indent=2) + "\n", mode=0o600)
    except OSError as error:
        raise SecretsFileError(path=path, problem=f"the secrets can't be kept there ({error})") from error
    values = stored | _from_environment()
    if process is not None:
        needed = {secret.variable for secret in needed_by(process)}
        values = {name: value for name, value in values.items() if name in needed}
    return _parse(values, origin=path)


def required_secrets(values: Mapping[str, str]) -> Secrets:
    """Return the secrets for production, from what `secret_texts` read.

    Raises: EnvironmentVariableError: listing all that are malformed.
    """
    return _parse(values, origin=None)


def secret_texts(reader: env.Reader, process: Process, *, role: str = "") -> dict[str, str]:
    """Return the secrets that a process needs, unparsed, from the environment or the file that NAME_FILE names.

    Args: reader: gathers the problems of other variables as well. role: as in `needed_by`.
    """
    needed = {secret.variable for secret in needed_by(process, role=role)}
    return {name: reader.secret(name) for name in _names() if name in needed}


def given(value: T, variable: str) -> T:
    """Return a secret's value from the settings, where it is about to be used.

    Raises: EnvironmentVariableError: it is empty, because this process was not given it.
    """
    if not value:
        problem = f"{variable} is not given to this process, and what is asked for needs it (config/needs.py)."
        raise env.EnvironmentVariableError(problems=problem)
    return value


def role_password(passwords: Mapping[str, str], role: str) -> str:
    """Return a database role's password.

    Raises: EnvironmentVariableError: this process was not given it, as most are not.
    """
    try:
        return passwords[role]
    except KeyError:
        problem = f"{password_variable(role)} is not set, and what is asked for works as {role}."
        raise env.EnvironmentVariableError(problems=problem) from None


def _names() -> tuple[str, ...]:
    return (_DJANGO, _SCOPE, _AUDIT, _KEKS, _LOG, *(password_variable(role) for role in LOGIN_ROLES))


def _generate() -> dict[str, str]:
    return {
        _DJANGO: secrets.token_urlsafe(64),
        _SCOPE: f"k1:{secrets.token_hex(KEY_BYTES)}",
        _AUDIT: secrets.token_hex(KEY_BYTES),
        _KEKS: f"kek1:{secrets.token_hex(KEY_BYTES)}",
        _LOG: f"log1:{secrets.token_hex(KEY_BYTES)}",
        **{password_variable(role): secrets.token_urlsafe(32) for role in LOGIN_ROLES},
    }


def _from_environment() -> dict[str, str]:
    values = {name: env.secret(name, default="") for name in _names()}
    return {name: value for name, value in values.items() if value}


def _read(path: Path) -> dict[str, str]:
    try:
        with path.open(encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            content = file.read()
    except FileNotFoundError:
        return {}
    if status.st_mode & 0o077:
        raise SecretsFileError(path=path, problem=f"others can read it; run: chmod 600 {path}")
    try:
        values = json.loads(content)
    except ValueError:
        values = None
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise SecretsFileError(
            path=path,
            problem="it is not a JSON object of texts; restore it from a copy, or remove it to get new secrets",
        )
    return values


def _parse(values: Mapping[str, str], *, origin: Path | None) -> Secrets:
    """Parse the secrets that are present; a secret that a process does not need stays empty."""
    problems: list[str] = []
    keys, keks, log = (_named_keys(values[name]) if name in values else () for name in (_SCOPE, _KEKS, _LOG))
    for name, found in ((_SCOPE, keys), (_KEKS, keks)):
        if found is None:
            problems.append(f"{name} must be kid:hex[,kid:hex ...], with {KEY_BYTES} bytes a key and no kid twice")
    audit = _key_bytes(values[_AUDIT]) if _AUDIT in values else b""
    if audit is None:
        problems.append(f"{_AUDIT} must be {KEY_BYTES} bytes in hex")
    if log is None or len(log) > 1:
        problems.append(f"{_LOG} must be kid:hex, with {KEY_BYTES} bytes")
        log = None
    if log is None or keys is None or keks is None or audit is None:
        if origin is not None:
            raise SecretsFileError(path=origin, problem=", and ".join(problems))
        raise env.EnvironmentVariableError(problems="\n".join(f"{problem}." for problem in problems))
    return Secrets(
        # Django requires a key in every process. In a process that signs nothing, a random key that nobody knows is
        # harmless.
        django_secret_key=values.get(_DJANGO) or secrets.token_urlsafe(64),
        scope_token_keys=tuple(SigningKey(kid=kid, key=key) for kid, key in keys),
        audit_master_key=audit,
        audit_keks=tuple(WrappingKey(kid=kid, key=key) for kid, key in keks),
        database_passwords=MappingProxyType(
            {role: values[name] for role in LOGIN_ROLES if (name := password_variable(role)) in values}
        ),
        log_seed=LogSeed(kid=log[0][0], seed=log[0][1]) if log else None,
    )


def _named_keys(text: str) -> tuple[tuple[str, bytes], ...] | None:
    keys = []
    for item in text.split(","):
        kid, _, digits = item.strip().partition(":")
        key = _key_bytes(digits)
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", kid) or key is None:
            return None
        keys.append((kid, key))
    return tuple(keys) if len({kid for kid, _ in keys}) == len(keys) else None


def _key_bytes(digits: str) -> bytes | None:
    return bytes.fromhex(digits) if re.fullmatch(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}", digits) else None
