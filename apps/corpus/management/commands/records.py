"""`manage.py records watch`: records out of a folder into a scope of a tenant."""

from __future__ import annotations

import signal
import sys
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from apps.corpus.batches.record_file import Belonging
from apps.corpus.batches.record_folder import FolderError, RecordFolder, State, Taken, watch
from apps.corpus.services.ingest.kind import require_usable
from apps.corpus.services.records.identity import document_id_of
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.selectors.tenants import scope_by_key, tenant_by_slug
from config.locks import FileLock

_REASON = "manage.py records watch"
_EXAMPLES = """
examples:
  manage.py records watch /srv/records/acme --tenant acme --scope fund:alpha --kind run --source flows
  manage.py records watch /srv/records/data --tenant acme --scope fund:alpha --kind dataset_summary \\
      --source warehouse --once

A .json file is a record: {"type": "workflow_output", "record": {...}}, with the details of the API if you like. A .csv
file is summarised as a data profile. The file's name without its ending is the record's external id, unless the file
has an "external_id". A file is taken in when it has stayed as it is for --settle seconds, and then removed or, if it
fails, moved to failed/ with a reason. To be safe with large files, write them under a name that begins with a dot, and
rename them. Links are refused. The command can be killed at any moment and started again: nothing is lost, and nothing
comes twice.
"""


class Command(ServedCommand):
    help = "Takes in records out of a folder. With --once, exit status 1 if any file failed or waits."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["watch"])
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("--tenant", required=True, help="the tenant's short name")
        parser.add_argument("--scope", required=True, help="where the records belong, such as fund:global-equity")
        parser.add_argument("--kind", required=True, help="the key of a kind, of files that name none")
        parser.add_argument("--source", required=True, help="the system that the records come from, such as flows")
        parser.add_argument("--settle", type=float, default=2.0, metavar="SECONDS", help="2 by default")
        parser.add_argument("--once", action="store_true", help="end when everything that is there was taken in")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["settle"] > 0:
            raise CommandError("--settle must be more than 0 seconds.")
        folder = RecordFolder(
            path=options["folder"].resolve(), belonging=_belonging(options), settle_seconds=options["settle"]
        )
        try:
            folder.prepare()
        except FolderError as error:
            raise CommandError(str(error)) from error
        lock = FileLock(folder.path / ".watched")
        if not lock.try_acquire():
            raise CommandError(f"Another process watches {folder.path}.")
        # As a service is stopped. What was begun is committed or not; either way the file is found again.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        left: dict[str, Taken] = {}

        def tell(taken: Taken) -> None:
            if left.get(taken.name) == taken:
                return  # it still waits
            (self.stdout if taken.state is State.DONE else self.stderr).write(
                f"{taken.name}: {taken.state.value}. {taken.told}"
            )
            if taken.state is not State.DONE:
                left[taken.name] = taken

        try:
            watch(folder, on_taken=tell, once=options["once"])
        except KeyboardInterrupt:
            return
        except DatabaseError as error:
            raise CommandError(f"The database can't be used ({type(error).__name__}). Start it again later.") from error
        except OSError as error:
            raise CommandError(f"{folder.path} can't be read: {error.strerror}.") from error
        finally:
            lock.release()
        if left:
            raise CommandError(f"{len(left)} files failed or wait.")


def _belonging(options: dict[str, Any]) -> Belonging:
    try:
        tenant_id = TenantId(tenant_by_slug(options["tenant"]).id)
        document_id_of(options["source"], "a")
        with open_scope(tenant=tenant_id, reason=_REASON):
            scope_id = ScopeId(scope_by_key(options["scope"]).id)
            require_usable(options["kind"])
    except ApplicationError as error:
        raise CommandError(error.detail) from error
    return Belonging(
        tenant_id=tenant_id, scope_id=scope_id, kind=options["kind"], source=options["source"], reason=_REASON
    )
