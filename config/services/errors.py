"""The errors of the embedded services: one line each, which says what to do."""

from __future__ import annotations

from collections.abc import Iterator

from apps.errors import ApplicationError


class ServiceError(ApplicationError):
    """An embedded service can't be used."""

    code = "service"
    status = 503
    message = "The embedded service can't be used."


class HomeNotUsableError(ServiceError):
    code = "service.home_not_usable"
    message = (
        "The state folder {home} can't be used ({reason}). Mend that, or set GLASSBOX_HOME to a folder of your own."
    )


class DiskFullError(ServiceError):
    code = "service.disk_full"
    message = "The disk of {path} is full: {service} needs {needed_mb} MB free. Make room, or move GLASSBOX_HOME."


class ProgramMissingError(ServiceError):
    code = "service.program_missing"
    message = "{program} is missing: install the package {package} (python3 manage.py installs it), or set {variable}."


class AccountError(ServiceError):
    code = "service.account"
    message = "PostgreSQL can't run as root and {reason}. Run the command as an ordinary user."


class UnreachableError(ServiceError):
    code = "service.unreachable"
    message = (
        "As root, the services run as the account {account}, which can't reach {path} because {directory} belongs to "
        "{owner}. Run the command as {owner}, or set GLASSBOX_HOME to another place."
    )


class SocketDirectoryError(ServiceError):
    code = "service.socket_directory"
    message = "{service} can't put its socket into {path}: {reason}. Remove it and run the command again."


class SocketInUseError(ServiceError):
    code = "service.socket_in_use"
    message = "{service} can't listen on {path}: {reason}. End the process that uses it and run the command again."


class DataDirectoryVersionError(ServiceError):
    code = "service.data_directory_version"
    message = (
        "{path} holds data of PostgreSQL {found}, and this is PostgreSQL {expected}. Move it away, or restore its dump "
        "into a new one."
    )


class DataDirectoryDamagedError(ServiceError):
    code = "service.data_directory_damaged"
    message = "{path} is not a whole PostgreSQL data directory ({reason}). Restore it from a backup, or move it away."


class DataDirectoryAccessError(ServiceError):
    code = "service.data_directory_access"
    message = "{path} can't be used as it stands: {reason}; {remedy}."


class ServiceStartError(ServiceError):
    code = "service.start_failed"
    message = "{service} did not start: {reason}. Its log is {log}."


class ServiceTimeoutError(ServiceError):
    code = "service.timeout"
    message = "{service} was not {state} after {timeout_s} s. Its log is {log}."


def by_code(code: str) -> type[ServiceError]:
    """Return the error class with that code, or ServiceError for a code that this version does not know."""
    return next((kind for kind in _subclasses(ServiceError) if kind.code == code), ServiceError)


def _subclasses(base: type[ServiceError]) -> Iterator[type[ServiceError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _subclasses(kind)
