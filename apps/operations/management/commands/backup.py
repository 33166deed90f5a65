"""`manage.py backup`: a copy of everything, to be put back with `manage.py restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.errors import ApplicationError
from apps.operations.backup.dump import backup_check, backup_write


class Command(BaseCommand):
    help = (
        "Writes the whole database, with the originals of documents, to a new directory. The backup does not contain "
        "the keys of the environment, without which the log's payloads can't be read: keep those elsewhere."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "directory", type=Path, metavar="DIR", help="the directory to write to; it must not exist yet"
        )
        parser.add_argument(
            "--check", action="store_true", help="write nothing: check whether the backup in DIR is complete"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["directory"].absolute()
        try:
            if options["check"]:
                values = backup_check(folder)
                self.stdout.write(
                    f"The backup of {values['made_at']} is complete: {values['files']['database.dump']['bytes']} "
                    f"bytes, {len(values['tenants'])} tenants, up to tombstone {values['tombstones']}."
                )
                return
            backup = backup_write(folder, progress=self._progress)
        except ApplicationError as error:
            raise CommandError(str(error)) from error
        days = settings.GLASSBOX_BACKUP_RETENTION_DAYS
        keep = (
            f"Delete it within {days} days (GLASSBOX_BACKUP_RETENTION_DAYS)"
            if days
            else "Set GLASSBOX_BACKUP_RETENTION_DAYS to the number of days that you keep backups: certificates name it"
        )
        self.stdout.write(
            f"{backup.byte_size} bytes of {len(backup.leaves)} tenants written to {backup.path}. Whoever can read it "
            f"can read their documents. {keep}; until then it still contains whatever is erased in the meantime."
        )

    def _progress(self, done: int, total: int) -> None:
        if self.stdout.isatty():
            self.stdout.write(f"\r{done} of {total} tables", ending="\n" if done == total else "")
            self.stdout.flush()
