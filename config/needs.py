"""The one table of which process needs which secret, used by settings, checks, child processes and the handbook.

Standard library only, because pip's environment is made from it before anything is installed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Final
from urllib.parse import urlsplit

LOGIN_ROLES: Final = (
    "glassbox_owner",
    "glassbox_api",
    "glassbox_worker",
    "glassbox_auditor",
    "glassbox_eraser",
    "glassbox_backup",
)


class Process(StrEnum):
    """The purpose of a process of an installation, given by GLASSBOX_PROCESS or by the command line."""

    WEB = "web"
    WORKER = "worker"
    INGEST = "ingest"
    CLOCK = "clock"
    SEALER = "sealer"
    BEAT = "beat"
    ERASER = "eraser"
    PROVER = "prover"
    MIGRATE = "migrate"
    BACKUP = "backup"
    RESTORE = "restore"
    AUDITOR = "auditor"

    @property
    def role(self) -> str:
        """Return the database role that the process works as."""
        return _ROLES[self]


_ROLES: Final[Mapping[Process, str]] = {
    Process.WEB: "glassbox_api",
    Process.WORKER: "glassbox_worker",
    Process.INGEST: "glassbox_worker",
    Process.CLOCK: "glassbox_worker",
    Process.SEALER: "glassbox_worker",
    Process.BEAT: "glassbox_worker",
    Process.ERASER: "glassbox_eraser",
    Process.PROVER: "glassbox_eraser",
    Process.MIGRATE: "glassbox_api",
    Process.BACKUP: "glassbox_api",
    Process.RESTORE: "glassbox_worker",
    Process.AUDITOR: "glassbox_auditor",
}
_OF_ROLE: Final[Mapping[str, Process]] = {
    "glassbox_api": Process.WEB,
    "glassbox_worker": Process.WORKER,
    "glassbox_eraser": Process.ERASER,
    "glassbox_auditor": Process.AUDITOR,
}
_COMMANDS: Final[Mapping[tuple[str, ...], Process]] = {
    ("migrate",): Process.MIGRATE,
    ("backup",): Process.BACKUP,
    ("restore",): Process.RESTORE,
    ("erasure", "physical"): Process.PROVER,
}
_QUEUES: Final[Mapping[str, Process]] = {
    "log": Process.SEALER,
    "erasure": Process.ERASER,
    "ingest": Process.INGEST,
    "clock": Process.CLOCK,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One secret of the environment.

    Attributes:
        of: the processes that need it.
        what: for docs/operations/deploy.md.
        optional: settings work without it; a feature that needs it reports when it is missing.
    """

    variable: str
    of: frozenset[Process]
    what: str
    optional: bool = False


def password_variable(role: str) -> str:
    """Return the environment variable that holds a login role's password."""
    return "GLASSBOX_DB_PASSWORD_" + role.removeprefix("glassbox_").upper()


_ALL: Final = frozenset(Process)
_PROVISIONING: Final = frozenset({Process.MIGRATE, Process.RESTORE})
# Processes that need a role's password besides those that work as it: a backup is made under a role of its own, and the
# proof of an erasure reads what a backup would.
_BORROWED: Final[Mapping[str, frozenset[Process]]] = {
    "glassbox_backup": frozenset({Process.BACKUP, Process.PROVER}),
}


def _users_of(role: str) -> frozenset[Process]:
    own = frozenset(process for process in Process if process.role == role)
    return own | _PROVISIONING | _BORROWED.get(role, frozenset())


SECRETS: Final = (
    Secret(
        variable="DJANGO_SECRET_KEY",
        of=frozenset({Process.WEB, Process.WORKER}),
        what="long and random: forms and messages in a browser",
    ),
    Secret(
        variable="GLASSBOX_SCOPE_TOKEN_KEYS",
        of=_ALL - {Process.BEAT},
        what="`kid:hex[,kid:hex]`, 32 bytes each: the first signs scope tokens, all are accepted",
    ),
    Secret(
        variable="GLASSBOX_AUDIT_MASTER_KEY",
        of=_ALL - {Process.BEAT, Process.MIGRATE},
        what="32 bytes in hex: keys the digests of questions, and seals the second factors of accounts",
    ),
    Secret(
        variable="GLASSBOX_AUDIT_KEKS",
        of=_ALL - {Process.BEAT, Process.MIGRATE, Process.SEALER},
        what="`kid:hex[,kid:hex]`, 32 bytes each: the first wraps the keys of the audit log, all unwrap. Keep it apart "
        "from the database's backups: without it no payload of the log can be read",
    ),
    Secret(
        variable="GLASSBOX_LOG_SIGNING_KEY",
        of=frozenset({Process.WORKER, Process.CLOCK, Process.RESTORE}),
        what="`kid:hex`, 32 bytes: signs checkpoints of the audit log",
    ),
    *(
        Secret(variable=password_variable(role), of=_users_of(role), what=f"of the database role `{role}`")
        for role in LOGIN_ROLES
    ),
    Secret(
        variable="ADMIN_DATABASE_URL",
        of=_PROVISIONING | {Process.PROVER},
        what="a server administrator's connection string",
        optional=True,
    ),
    *(
        Secret(variable=variable, of=_ALL - {Process.BEAT, Process.MIGRATE}, what=what, optional=True)
        for variable, what in (
            ("GLASSBOX_CHECKPOINT_S3_SECRET_KEY", "of the object store that holds checkpoints and tombstones"),
            ("AWS_SECRET_ACCESS_KEY", "in its place: of the account whose store it is"),
            ("AWS_SESSION_TOKEN", "beside that, where the credentials are temporary"),
        )
    ),
    Secret(
        variable="GLASSBOX_EMAIL_PASSWORD",
        of=frozenset({Process.WEB, Process.WORKER, Process.CLOCK}),
        what="of the mail server",
        optional=True,
    ),
    Secret(
        variable="GLASSBOX_METRICS_TOKEN",
        of=frozenset({Process.WEB}),
        what="of the monitoring system that asks for /metrics",
        optional=True,
    ),
    Secret(
        variable="OPENAI_API_KEY",
        of=frozenset({Process.WEB, Process.WORKER, Process.INGEST}),
        what="of the provider of models",
        optional=True,
    ),
)


def process_of(variables: Mapping[str, str], arguments: Sequence[str]) -> Process:
    """Return what this process is: by its command if that is enough, else by GLASSBOX_PROCESS, else by its role.

    Args:   arguments: sys.argv.
    Raises: ValueError: GLASSBOX_PROCESS names no process.
    """
    program, rest = PurePath(arguments[0] if arguments else ""), list(arguments[1:])
    is_celery = "celery" in (program.name, program.parent.name)
    if not is_celery:
        words = tuple(word for word in rest if not word.startswith("-"))
        for command, process in _COMMANDS.items():
            if words[: len(command)] == command:
                return process
    named = variables.get("GLASSBOX_PROCESS", "").strip()
    if named:
        try:
            return Process(named)
        except ValueError:
            raise ValueError(f"GLASSBOX_PROCESS must be one of {', '.join(Process)}.") from None
    if is_celery and "beat" in rest:
        return Process.BEAT
    if is_celery and (queues := _queues(rest)) in _QUEUES:
        return _QUEUES[queues]
    return _OF_ROLE.get(variables.get("GLASSBOX_DB_ROLE", "").strip(), Process.WEB)


def needed_by(process: Process, *, role: str = "") -> tuple[Secret, ...]:
    """Return the secrets that a process must be given.

    Args: role: the role that it works as, if that is not the process's own.
    """
    own = password_variable(role or process.role)
    return tuple(secret for secret in SECRETS if process in secret.of or secret.variable == own)


def surplus(process: Process, variables: Mapping[str, str], *, role: str = "") -> tuple[str, ...]:
    """Return the variables that this process was given but does not need."""
    needed = {secret.variable for secret in needed_by(process, role=role)}
    given = [
        name
        for secret in SECRETS
        if secret.variable not in needed
        for name in (secret.variable, f"{secret.variable}_FILE")
        if variables.get(name, "").strip()
    ]
    return (*given, *(["the password in DATABASE_URL"] if _holds_password(variables) else []))


def child_environment(process: Process | None, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for one of our processes: all settings, but only the secrets that it needs.

    Args: process: None for a process that needs no secret.
          variables: this process's own when None.
    """
    ours = dict(os.environ if variables is None else variables)
    kept = {secret.variable for secret in needed_by(process)} if process else set()
    for secret in SECRETS:
        if secret.variable not in kept:
            ours.pop(secret.variable, None)
            ours.pop(f"{secret.variable}_FILE", None)
    if process:
        ours |= {"GLASSBOX_PROCESS": process.value, "GLASSBOX_DB_ROLE": process.role}
    return ours


# What a foreign program may need: where programs and libraries are, which language, and how TLS is verified.
_HARMLESS: Final = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"}
)


def program_environment(**extra: str) -> dict[str, str]:
    """Return the environment for a foreign program, such as pg_dump: nothing of ours except what is given here."""
    ours = {name: text for name, text in os.environ.items() if name in _HARMLESS or name.startswith(("LC_", "PGSSL"))}
    return ours | extra


def secrets_table() -> str:
    """Return the table of secrets, as docs/operations/deploy.md contains it."""
    lines = ["| secret | what | given to |", "| --- | --- | --- |"]
    lines += [f"| `{each.variable}` | {each.what} | {_listed(each.of)} |" for each in SECRETS]
    return "\n".join(lines)


def _listed(processes: frozenset[Process]) -> str:
    named = [process.value for process in Process if process in processes]
    missing = [process.value for process in Process if process not in processes]
    if not missing:
        return "all"
    return ", ".join(named) if len(named) <= len(missing) else f"all but {', '.join(missing)}"


def _queues(arguments: Sequence[str]) -> str:
    for option, value in zip(arguments, [*arguments[1:], ""], strict=True):
        if option in ("-Q", "--queues"):
            return value
        if option.startswith("--queues="):
            return option.partition("=")[2]
    return ""


def _holds_password(variables: Mapping[str, str]) -> bool:
    try:
        return bool(urlsplit(variables.get("DATABASE_URL", "")).password)
    except ValueError:
        return False
