"""`manage.py audit export`: a copy of the log for an outsider, with the program that checks it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.audit.verify.export import export_log
from apps.errors import ApplicationError
from apps.tenants.selectors.tenants import tenant_id_of


def add_arguments(parser: CommandParser) -> None:
    """Beside those of audit_verify.py."""
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="export: a directory to be made, or a .zip; it must not exist yet"
    )


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    if not options["tenant"] or not options["output"]:
        raise CommandError("Name the tenant and the place: --tenant NAME --output DIR", returncode=2)
    if options["since"] == "":
        raise CommandError("Name the checkpoint: --since FILE", returncode=2)
    try:
        exported = export_log(
            tenant=tenant_id_of(options["tenant"]),
            output=options["output"],
            since=Path(options["since"]).read_text(encoding="utf-8") if options["since"] else None,
            contents=not options["commitments_only"],
        )
    except (ApplicationError, OSError, UnicodeDecodeError) as error:
        raise CommandError(str(error), returncode=2) from error
    command.stdout.write(
        f"{exported.size - exported.first} events, leaves {exported.first} to {exported.size - 1}, "
        f"written to {exported.path}. To check it: python {exported.path}/verify_log.py {exported.path} "
        "--checkpoint FILE --key KEY, with a checkpoint and a key that did not come with it."
        if exported.size > exported.first
        else f"There is no event to export yet; {exported.path} holds the rest."
    )
