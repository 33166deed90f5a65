"""Everything that must be true before a command can use the database: services up, roles made, schema current.

Embedded services only. A production installation runs `manage.py migrate` with ADMIN_DATABASE_URL set, once a
release, and its servers refuse to start when that was forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from config.services import ensure_services

# Commands that read no row; `check` does when it is given --database.
_WITHOUT_DATABASE = frozenset({"", "help", "version", "check", "collectstatic", "diffsettings", "spectacular"})


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
    if not settings.GLASSBOX_EMBEDDED:
        return
    ensure_services(home=settings.GLASSBOX_HOME)
    provisioned = provision_database()
    if provisioned or _pending():
        call_command("migrate", database="owner", interactive=False, verbosity=0)


def provision_database(admin_url: str = "") -> bool:
    """Roles, database and wall, as the server's administrator. Returns whether anything changed."""
    from apps.tenants.provision import provision
    from config.services import endpoints

    return provision(
        admin_url=admin_url or endpoints(settings.GLASSBOX_HOME).admin_dsn,
        database=settings.DATABASES["owner"]["NAME"],
        passwords=settings.GLASSBOX_DB_PASSWORDS,
        keys=settings.GLASSBOX_SCOPE_KEYS,
    )


def _pending() -> bool:
    connection = connections["owner"]
    try:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    finally:
        connection.close()
