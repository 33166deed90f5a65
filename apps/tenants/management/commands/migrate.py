"""Django's migrate, as the owner of the tables, with the roles and the wall made first and the rights given after."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as Migrate

from apps.tenants.provision import settle
from config import env
from config.services import ServiceName, endpoints
from config.startup import provision_database


class Command(Migrate):
    help = (
        "Brings the database up to date: roles, token functions, tables and rights. Outside the embedded services "
        "it needs ADMIN_DATABASE_URL, a connection string of a server administrator."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        admin_url = _admin_url()
        provision_database(admin_url)
        super().handle(*args, **options)
        settle(admin_url=admin_url, database=settings.DATABASES["owner"]["NAME"])


def _admin_url() -> str:
    if ServiceName.POSTGRES in settings.GLASSBOX_EMBEDDED_SERVICES:
        return endpoints(settings.GLASSBOX_HOME).admin_dsn
    return env.url("ADMIN_DATABASE_URL", schemes=("postgresql", "postgres"))
