"""`manage.py restore`: puts a backup back, and removes what was erased since, before anything is served of it."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from redis.exceptions import RedisError

from apps.erasure.models import RestorationState
from apps.erasure.proof.passes import Went
from apps.erasure.proof.prover import prove_restored
from apps.erasure.residue.access import Access, access_from_settings
from apps.errors import ApplicationError
from apps.operations.backup.acting import ERASER, acting_as
from apps.operations.backup.load import Restored, restore
from apps.operations.backup.replay import Replay, replay
from apps.operations.backup.restorations import Backup
from config import env
from config.services import ServiceName, endpoints

_EXAMPLES = """
examples:
  manage.py restore /backups/2026-11-22                       the configured database is missing or empty
  manage.py restore /backups/2026-11-22 --into glassbox_trial a database of another name beside it
  manage.py restore /backups/2026-11-22 --replace glassbox    the one that is there is set aside under another name
  manage.py restore --replay                                  a backup was put back by other means

Stop web, worker, sealer, eraser and beat first. Nothing of a database that was put back is served, by whatever means
that was done, before its removals are repeated; this command does that at its end. It needs the keys of the log and the
passwords of all database roles, and outside the embedded services ADMIN_DATABASE_URL.
"""


class Command(BaseCommand):
    help = "Restores a backup, and removes what was erased since, before anything of it is served."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "directory", type=Path, nargs="?", metavar="DIR", help="the directory that manage.py backup wrote"
        )
        parser.add_argument("--into", metavar="NAME", help="the database to create, instead of the configured one")
        parser.add_argument(
            "--replace",
            metavar="NAME",
            help="set aside the existing database that holds tenants; repeat its name as a safeguard",
        )
        parser.add_argument(
            "--replay", action="store_true", help="restore nothing; only repeat what was removed since the backup"
        )
        parser.add_argument(
            "--prove-later",
            action="store_true",
            help="do not search the disk now: manage.py erasure physical --now does it later, and until then "
            "certificates say that what was erased is not proven gone again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder, configured = options["directory"], str(settings.DATABASES["default"]["NAME"])
        database = options["into"] or configured
        if bool(folder) == bool(options["replay"]):
            raise CommandError("Name the backup, or give --replay.", returncode=2)
        if options["replace"] not in (None, database):
            raise CommandError(f"--replace names {options['replace']}, and the database is {database}.", returncode=2)
        try:
            restored = self._restore(folder.absolute(), database, bool(options["replace"])) if folder else None
            access = _access(database)
            done = replay(
                database="" if database == configured else database,
                backup=Backup(id=restored.backup_id, made_at=restored.made_at) if restored else Backup(),
                access=access,
            )
        except ApplicationError as error:
            raise CommandError(str(error)) from error
        except RedisError as error:
            problem = f"Redis is required, because it holds some of what was removed ({type(error).__name__})"
            raise CommandError(f"{problem}. Nothing is served; run manage.py restore --replay then.") from error
        self._tell(done, database)
        if access is None:
            self.stdout.write(
                "ADMIN_DATABASE_URL is not set: what came back was removed again, and can't be proven gone from the "
                "disk. Certificates concerned say so."
            )
        elif not options["prove_later"]:
            self._prove(access, "" if database == configured else database)

    def _prove(self, access: Access, database: str) -> None:
        """The database is open by now: whatever becomes of the proof, it is said."""
        self.stdout.write("Clearing what was removed again from the disk, and searching it ...")
        try:
            with acting_as(ERASER, database=database):
                went = prove_restored(access)
        except (ApplicationError, psycopg.Error) as error:
            problem = str(error) if isinstance(error, ApplicationError) else type(error).__name__
            raise CommandError(f"Not proven yet ({problem}): run manage.py erasure physical --now.") from error
        self.stdout.write(_describe_proof(went))
        if went.waiting or went.restored.get(RestorationState.FAILED):
            raise CommandError(
                "Not everything that came back is proven gone from the disk: the page of certificates says why. Run "
                "manage.py erasure physical --now, or this command with --replay, to have it tried again."
            )

    def _restore(self, folder: Path, database: str, replace: bool) -> Restored:
        self.stdout.write(f"Restoring {folder} as {database} ...")
        restored = restore(folder, admin_url=_admin_url(), database=database, replace=replace, on_table=self._table)
        if restored.set_aside:
            self.stdout.write(
                f"The earlier database is now called {restored.set_aside}. It holds what was added since the backup, "
                "and no process uses it. Drop it once nobody needs it."
            )
        return restored

    def _table(self, name: str) -> None:
        if self.stdout.isatty():
            self.stdout.write(f"  {name}")

    def _tell(self, done: Replay, database: str) -> None:
        for each in done.tenants:
            parts = [
                f"{each.targets} targets removed again, {each.removed.total()} items of them were there",
                f"{each.kept} kept by legal holds" if each.kept else "",
                f"still there: {', '.join(each.stayed)}, of removals that had not come to their end"
                if each.stayed
                else "",
                f"{each.lost_leaves} exported events of the log are lost" if each.lost_leaves else "",
            ]
            self.stdout.write(f"{each.tenant_id}: {'; '.join(part for part in parts if part)}.")
        self.stdout.write(f"{database} may be served: tombstones were replayed up to number {done.through}.")


def _describe_proof(went: Went) -> str:
    if not went.restored and not went.waiting:
        return "Nothing that was erased had come back."
    counts = ", ".join(f"{count} {RestorationState(state).label.lower()}" for state, count in went.restored.items())
    return f"Of what came back, by tenant: {counts or 'none ended'}; {went.waiting} wait."


def _access(database: str) -> Access | None:
    """Return the server administrator's access to that database; None if it is not configured."""
    admin_url = _admin_url(default="")
    if not admin_url:
        return None
    found = access_from_settings(admin_url=admin_url)
    if database == found.database:
        return found
    return replace(found, database=database, backup_url={**found.backup_url, "PGDATABASE": database})


def _admin_url(**default: str) -> str:
    if ServiceName.POSTGRES in settings.GLASSBOX_EMBEDDED_SERVICES:
        return endpoints(settings.GLASSBOX_HOME).admin_dsn
    return env.url("ADMIN_DATABASE_URL", schemes=("postgresql", "postgres"), **default)
