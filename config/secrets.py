"""The secrets that an installation lives on: made on the first start in development, demanded in production.

They lie in `<home>/secrets.json` (mode 0600) and never in the checkout's tracked files. An environment variable
wins over the file:

    DJANGO_SECRET_KEY                    any long random text
    GLASSBOX_SCOPE_TOKEN_KEYS            kid:hex[,kid:hex ...]; the first signs, the others still verify (rotation)
    GLASSBOX_AUDIT_MASTER_KEY            hex, 32 bytes
    GLASSBOX_AUDIT_KEKS                  kid:hex[,kid:hex ...]; the first wraps, the others still unwrap (rotation)
    GLASSBOX_LOG_SIGNING_KEY             kid:hex, 32 bytes; demanded of the worker alone
    GLASSBOX_DB_PASSWORD_<ROLE>          one a login role, for example GLASSBOX_DB_PASSWORD_API for glassbox_api
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
from typing import Final

from apps.errors import ApplicationError

from . import env
from .files import write_atomically
from .locks import FileLock

KEY_BYTES: Final = 32
LOGIN_ROLES: Final = (
    "glassbox_owner",
    "glassbox_api",
    "glassbox_worker",
    "glassbox_auditor",
    "glassbox_eraser",
    "glassbox_backup",
)

_DJANGO: Final = "DJANGO_SECRET_KEY"
_SCOPE: Final = "GLASSBOX_SCOPE_TOKEN_KEYS"
_AUDIT: Final = "GLASSBOX_AUDIT_MASTER_KEY"
_KEKS: Final = "GLASSBOX_AUDIT_KEKS"
_LOG: Final = "GLASSBOX_LOG_SIGNING_KEY"


class SecretsFileError(ApplicationError):
    """`secrets.json` can't be used as it stands."""

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
    """What the log's checkpoints are signed with (Ed25519): `kid` names it in the signature, `seed` is 32 bytes."""

    kid: str
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """All secrets of an installation; `repr` shows none of them.

    Attributes:
        scope_token_keys: at least one; the first signs, all verify.
        audit_master_key: 32 bytes, from which the keys of the digests in the log are derived.
        audit_keks: at least one; the first wraps the data keys of the log, all unwrap.
        database_passwords: by role name, one for each of LOGIN_ROLES.
        log_seed: None where it was not asked for.
    """

    django_secret_key: str = field(repr=False)
    scope_token_keys: tuple[SigningKey, ...]
    audit_master_key: bytes = field(repr=False)
    audit_keks: tuple[WrappingKey, ...]
    database_passwords: Mapping[str, str] = field(repr=False)
    log_seed: LogSeed | None = None


def password_variable(role: str) -> str:
    """The environment variable that holds a login role's password."""
    return "GLASSBOX_DB_PASSWORD_" + role.removeprefix("glassbox_").upper()


def load_secrets(home: Path | None = None) -> Secrets:
    """The secrets for development: from the environment, else from `<home>/secrets.json`, made where missing.

    Safe when several processes make their first start at once.

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
    return _parse(stored | _from_environment(), origin=path)


def required_secrets(values: Mapping[str, str] | None = None) -> Secrets:
    """The secrets for production: every one from the environment (or from the file that NAME_FILE names).

    Args:   values: what `secret_texts` read; read here when None.
    Raises: EnvironmentVariableError: listing all that are missing or malformed.
    """
    if values is None:
        with env.collecting() as reader:
            values = secret_texts(reader)
    return _parse(values, origin=None)


def secret_texts(reader: env.Reader, *, signs_log: bool = False) -> dict[str, str]:
    """The variables of all secrets, unparsed: for a reader that gathers the problems of others as well.

    Args: signs_log: with the key that signs the log, which only the worker is given.
    """
    return {name: reader.secret(name) for name in _names() if name != _LOG or signs_log}


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
    problems: list[str] = []
    keys, keks = _named_keys(values[_SCOPE]), _named_keys(values[_KEKS])
    for name, found in ((_SCOPE, keys), (_KEKS, keks)):
        if found is None:
            problems.append(f"{name} must be kid:hex[,kid:hex ...], with {KEY_BYTES} bytes a key and no kid twice")
    audit = _key_bytes(values[_AUDIT])
    if audit is None:
        problems.append(f"{_AUDIT} must be {KEY_BYTES} bytes in hex")
    log = _named_keys(values[_LOG]) if _LOG in values else ()
    if log is None or len(log) > 1:
        problems.append(f"{_LOG} must be kid:hex, with {KEY_BYTES} bytes")
        log = None
    if log is None or keys is None or keks is None or audit is None:
        if origin is not None:
            raise SecretsFileError(path=origin, problem=", and ".join(problems))
        raise env.EnvironmentVariableError(problems="\n".join(f"{problem}." for problem in problems))
    return Secrets(
        django_secret_key=values[_DJANGO],
        scope_token_keys=tuple(SigningKey(kid=kid, key=key) for kid, key in keys),
        audit_master_key=audit,
        audit_keks=tuple(WrappingKey(kid=kid, key=key) for kid, key in keks),
        database_passwords=MappingProxyType({role: values[password_variable(role)] for role in LOGIN_ROLES}),
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
