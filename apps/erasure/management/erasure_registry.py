"""`manage.py erasure registry`: the classification as a table, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.erasure.declarations.classified import Classified
from apps.erasure.personal_data.classification import findings
from apps.erasure.personal_data.places import everything
from apps.erasure.registry import classified, stores
from apps.tenants.personal_data import Sort


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("--personal", action="store_true", help="registry: omit what is not about people.")


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Print it. Raises: CommandError: with what nobody classified, and the other gaps."""
    shown = [each for each in classified() if not (options["personal"] and each.sort is Sort.NONE)]
    for line in _table(shown):
        command.stdout.write(line)
    command.stdout.write("")
    for store in stores():
        command.stdout.write(f"{store.phase:>3}  {store.key:<32} {store.label}")
    gaps = findings(everything())
    if gaps:
        raise CommandError("\n".join(["The classification does not match the database:", *map(str, gaps)]))


def _table(shown: Iterable[Classified]) -> list[str]:
    rows = [("NAME", "SORT", "CLEARED BY", "WHAT IT IS, AND ON WHICH GROUND IT IS KEPT")]
    rows += [
        (
            each.name,
            str(each.sort),
            ", ".join(each.cleared_by) or "-",
            f"{each.because} Stays: {each.stays}" if each.stays else each.because,
        )
        for each in shown
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join((*(row[column].ljust(widths[column]) for column in range(3)), row[3])) for row in rows]
