"""`manage.py audit`: what an operator does to the log and its keys from a shell."""

from __future__ import annotations

import subprocess
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.audit.keys.data_keys import key_provider
from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.sequencer import seal_all_waiting, tenants_that_wait
from apps.audit.management import audit_export, audit_verify
from apps.audit.services import rewrap_data_keys
from apps.errors import ApplicationError
from apps.operations.management import audit_mend
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.selectors.tenants import all_tenants
from config.needs import Process, child_environment

ROLE: Final = "glassbox_worker"
_ROTATING: Final = """
To change the key-encryption key: put a new one first in GLASSBOX_AUDIT_KEKS (new:hex,old:hex), restart all processes,
run `manage.py audit rotate-keys`, and take the old one out when no process runs with the old list any more. Payloads
are not touched. It can be repeated, and is when it was interrupted.
"""


class Command(ServedCommand):
    free_actions = frozenset({"log-key"})
    help = (
        "rotate-keys: wraps the data keys of the log under the newest key-encryption key. seal: gives waiting events "
        "their leaves, as the sealer does every second. checkpoint: signs and exports a checkpoint of every log that "
        "grew, as the worker does every minute. log-key: prints the public key that verifies checkpoints. verify: "
        "checks whether a log is unchanged. export: writes a copy of a log, with the program that verifies it. mend: "
        "proposes to remove from a log what was inserted past the application."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_ROTATING, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=[*_ACTIONS, *_READING])
        audit_verify.add_arguments(parser)
        audit_export.add_arguments(parser)
        audit_mend.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] in _READING:
            _READING[options["action"]](self, options)
            return
        if settings.GLASSBOX_DB_ROLE != ROLE:
            # The role that serves requests may not change a data key's row, and is not given the right for this.
            self._run_as_worker(str(options["action"]))
            return
        _ACTIONS[str(options["action"])](self)

    def rotate_keys(self) -> None:
        newest, rewrapped, failed = key_provider().current_id, 0, 0
        for tenant in all_tenants():
            try:
                with open_scope(tenant=TenantId(tenant.id), reason="rotate the keys of the log"):
                    count = rewrap_data_keys()
            except ApplicationError as error:
                failed += 1
                self.stderr.write(f"{tenant.slug}: {error}")
            else:
                rewrapped += count
                self.stdout.write(f"{tenant.slug}: {count} data keys rewrapped under {newest}")
        if failed:
            raise CommandError(f"{failed} tenants still have data keys under an older key: keep it. See above.")
        self.stdout.write(f"{rewrapped} data keys rewrapped; all are under {newest}.")

    def seal(self) -> None:
        self.stdout.write(f"{seal_all_waiting()} events sealed.")
        waiting = tenants_that_wait()
        if waiting:
            raise CommandError(
                f"Events of {len(waiting)} tenants still wait: run it again, and read the messages above."
            )

    def checkpoint(self) -> None:
        signed, failed = 0, 0
        for tenant in all_tenants():
            try:
                signed += checkpoint_tenant(TenantId(tenant.id))
            except ApplicationError as error:
                failed += 1
                self.stderr.write(f"{tenant.slug}: {error}")
        if failed:
            raise CommandError(f"{signed} checkpoints signed, and {failed} tenants have a problem: see above.")
        self.stdout.write(f"{signed} checkpoints signed; all are exported to {settings.GLASSBOX_CHECKPOINT_URL}.")

    def log_key(self) -> None:
        for key in settings.GLASSBOX_LOG_VERIFY_KEYS:
            self.stdout.write(key.line())

    def _run_as_worker(self, action: str) -> None:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "audit", action]
        result = subprocess.run(
            command, env=child_environment(Process.WORKER), capture_output=True, text=True, check=False
        )
        self.stdout.write(result.stdout, ending="")
        if result.returncode:
            raise CommandError(result.stderr.strip() or f"{ROLE} could not do it", returncode=result.returncode)


_ACTIONS: Final[Mapping[str, Callable[[Command], None]]] = {
    "rotate-keys": Command.rotate_keys,
    "seal": Command.seal,
    "checkpoint": Command.checkpoint,
    "log-key": Command.log_key,
}
# What needs no role of its own.
_READING: Final[Mapping[str, Callable[[BaseCommand, Mapping[str, Any]], None]]] = {
    "verify": audit_verify.run,
    "export": audit_export.run,
    "mend": audit_mend.run,
}
