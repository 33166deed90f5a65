"""`manage.py corpus`: whether what is stored is indexed as this release does it, and to make it so."""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from apps.corpus.services.reindex import Reindexed, document_reindex, documents_to_reindex
from apps.corpus.terms import TERMS_VERSION
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.models import Tenant
from apps.tenants.selectors.tenants import all_tenants, tenant_by_slug

_REASON = "manage.py corpus"
_EXAMPLES = """
examples:
  manage.py corpus check                       which tenants have documents that an earlier release indexed
  manage.py corpus reindex                     index them anew, in all tenants
  manage.py corpus reindex --tenant meridian   in one

Reindexing counts the words of the stored passages again. No file is read and nothing is embedded; each document is a
transaction and an event of its own. It can be stopped and run again at any time, while questions are asked.
"""


class Command(ServedCommand):
    help = (
        "check: exit status 1 if documents were indexed by an earlier release. reindex: indexes them again; exit "
        "status 1 if any of them failed."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["check", "reindex"])
        parser.add_argument("--tenant", help="the tenant's short name; all tenants without it")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenants = [tenant_by_slug(options["tenant"])] if options["tenant"] else all_tenants()
        except ApplicationError as error:
            raise CommandError(error.detail) from error
        if options["action"] == "check":
            self._check(tenants, as_json=options["json"])
        else:
            self._reindex(tenants, as_json=options["json"])

    def _check(self, tenants: Sequence[Tenant], *, as_json: bool) -> None:
        outdated = {tenant.slug: len(_outdated(tenant)) for tenant in tenants}
        if as_json:
            self.stdout.write(json.dumps({"terms_version": TERMS_VERSION, "outdated": outdated}, indent=2))
        else:
            for slug, count in outdated.items():
                self.stdout.write(f"{slug}: {count} documents were indexed by an earlier release")
        if total := sum(outdated.values()):
            raise CommandError(f"{total} documents to reindex: run manage.py corpus reindex.")

    def _reindex(self, tenants: Sequence[Tenant], *, as_json: bool) -> None:
        waiting = [(tenant, document_id) for tenant in tenants for document_id in _outdated(tenant)]
        done: Counter[str] = Counter()
        failed: list[dict[str, str]] = []
        columns = (
            *(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed} of {task.total} documents")),
            *(TimeElapsedColumn(), TimeRemainingColumn()),
        )
        with Progress(*columns, console=Console(stderr=True)) as progress:
            shown = progress.add_task("Indexing", total=len(waiting))
            try:
                for tenant, document_id in waiting:
                    try:
                        with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
                            done[document_reindex(document_id=document_id).value] += 1
                    except (ApplicationError, DatabaseError) as error:
                        # Its kind and no message: a driver's may quote the document.
                        code = error.code if isinstance(error, ApplicationError) else type(error).__name__
                        failed.append({"tenant": tenant.slug, "document": str(document_id), "error": code})
                    progress.advance(shown)
            except KeyboardInterrupt:
                left = len(waiting) - done.total() - len(failed)
                raise CommandError(f"Stopped. {left} documents wait; run the command again to continue.") from None
        counts = {state.value: done[state.value] for state in Reindexed}
        if as_json:
            self.stdout.write(json.dumps({"terms_version": TERMS_VERSION, **counts, "failed": failed}, indent=2))
        else:
            self._tell(counts, failed)
        if failed:
            raise CommandError(f"{len(failed)} of {len(waiting)} documents failed and stay as they were; run it again.")

    def _tell(self, counts: dict[str, int], failed: list[dict[str, str]]) -> None:
        self.stdout.write(f"{counts[Reindexed.DONE]} documents reindexed.")
        if counts[Reindexed.RESTRICTED]:
            self.stdout.write(
                f"{counts[Reindexed.RESTRICTED]} are restricted and stay as they are; run it again when they are not."
            )
        for each in failed:
            self.stderr.write(f"{each['tenant']}, document {each['document']}: {each['error']}")


def _outdated(tenant: Tenant) -> Sequence[Any]:
    with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
        return documents_to_reindex()
