"""Prepare everything that a command needs to use the database: services running, roles made, schema current.

This is for embedded services only. A production installation runs `manage.py migrate` with ADMIN_DATABASE_URL once per
release, and its servers refuse to start if that was forgotten.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import django
from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from apps.errors import ApplicationError
from config.checks import surplus_check
from config.memory import hide_memory
from config.services import ServiceName, endpoints, ensure_services

logger = logging.getLogger("glassbox")


class UnsafeStartError(ApplicationError):
    code = "config.unsafe_start"
    status = 500
    message = "{problems}"


# Commands that read no row; `check` does if it is given --database.
_WITHOUT_DATABASE = frozenset(
    {"", "help", "version", "check", "collectstatic", "diffsettings", "makemigrations", "model", "spectacular"}
)


def prepare_for(arguments: Sequence[str]) -> None:
    """Prepare for a command line, if it needs the database.

    Raises: EnvironmentVariableError: a production setting is missing; ServiceError: a service can't start.
    """
    command = next((argument for argument in arguments if not argument.startswith("-")), "")
    helping = any(argument in ("-h", "--help", "--version") for argument in arguments)
    if helping or (command in _WITHOUT_DATABASE and "--database" not in arguments):
        return
    django.setup()
    prepare()


def prepare() -> None:
    """Start the embedded services and bring the database up to date. Repeating it costs a few milliseconds.

    Raises: ServiceError: a service can't start; the message says why and what to do.
    """
    needed = settings.GLASSBOX_EMBEDDED_SERVICES
    if needed:
        ensure_services(home=settings.GLASSBOX_HOME, needed=needed)
    if ServiceName.POSTGRES not in needed or "owner" not in settings.DATABASES:
        return  # the operator migrates, or the process that started this one did
    provisioned = provision_database()
    if provisioned or _pending("owner"):
        call_command("migrate", database="owner", interactive=False, verbosity=0)


def close_connections() -> None:
    """Close the connections to the database, before this process leaves the services as perhaps their last user."""
    for connection in connections.all(initialized_only=True):
        connection.close()
        close_pool = getattr(connection, "close_pool", None)
        if close_pool is not None:
            close_pool()


def refuse_unsafe_start() -> None:
    """Refuse to start a server without isolation: its role is too strong, or a table is not isolated or is outdated.

    Secrets that the process was given but does not need are logged, and its memory is hidden from other processes of
    its account.

    Raises: UnsafeStartError: with every problem, and what to do.
    """
    hide_memory()
    tell_surplus()
    found = checks.run_checks(tags=[checks.Tags.database], databases=["default"])
    problems = [f"{each.msg} {each.hint or ''}".strip() for each in found if each.is_serious()]
    if not problems and _pending("default"):
        problems.append("The database's tables are of an older release. Run manage.py migrate.")
    if problems:
        raise UnsafeStartError(problems="\n".join(problems))


def tell_surplus() -> None:
    """Log the secrets that this process was given but does not need."""
    for each in surplus_check():
        logger.warning("%s", each.msg)


def provision_database(admin_url: str = "") -> bool:
    """Make roles, database and isolation, as the server's administrator. Returns whether anything changed."""
    # Django's models must be loaded before this import.
    from apps.tenants.provision import provision

    return provision(
        admin_url=admin_url or endpoints(settings.GLASSBOX_HOME).admin_dsn,
        database=settings.DATABASES["owner"]["NAME"],
        passwords=settings.GLASSBOX_DB_PASSWORDS,
        keys=settings.GLASSBOX_SCOPE_KEYS,
    )


def _pending(alias: str) -> bool:
    connection = connections[alias]
    try:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    finally:
        connection.close()
