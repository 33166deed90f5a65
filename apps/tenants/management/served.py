"""Commands that work with tenants' data: they refuse a database that may not be worked with, as web and worker do.

What refuses is registered by the app that knows (apps/erasure/tombstones/gate.py): this one knows of no backups.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from apps.errors import ApplicationError
from apps.tenants.registry import pass_gates


class ServedCommand(BaseCommand):
    """The base of every command of the project but those that must work on a database that is closed.

    free_actions: of a command with actions, those that ask the database for nothing of a tenant's.
    """

    free_actions: ClassVar[frozenset[str]] = frozenset()

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Raises: CommandError: with 2, before anything is done: the database may not be worked with."""
        if options.get("action") not in self.free_actions:
            try:
                pass_gates()
            except ApplicationError as error:
                raise CommandError(error.detail, returncode=2) from error
        return super().execute(*args, **options)
