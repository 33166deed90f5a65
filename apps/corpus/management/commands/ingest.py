"""`manage.py ingest`: files into a scope of a tenant, with a progress bar, and figures at the end."""

from __future__ import annotations

import json
import time
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from apps.corpus.batches.batch import Batch, BatchFile
from apps.corpus.registry import kinds_in_force
from apps.corpus.services.ingest.kind import require_usable
from apps.corpus.services.ingest.manifest import PlannedFile, plan
from apps.corpus.services.ingest.measure import BareRate, bare_rate
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.models import Tenant
from apps.tenants.selectors.tenants import scope_by_key, tenant_by_slug
from config.startup import prepare

_EXAMPLES = """
examples:
  manage.py ingest reports/*.pdf --tenant meridian --scope fund:global-equity --kind run
  manage.py ingest filings/documents/*.pdf --manifest filings/documents.jsonl \\
      --tenant meridian --scope firm:meridian --kind reference_report --measure
  manage.py ingest profile.md --tenant meridian --scope firm:meridian --kind org_profile --company Meridian

A line of the manifest that can't be used is told with its number, and the others go on; a key that is not known is
told and passed over. A file that is there already (the same bytes, scope and kind) is left as it is, so the command
can be repeated.
"""
_REASON = "manage.py ingest"
_METADATA = ("company", "ticker", "document_type", "source_type", "period", "published_on", "language", "jurisdictions")


class Command(ServedCommand):
    help = "Ingests files into a tenant's scope and makes them searchable. Exit status 1 if any of them failed."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files and folders")
        parser.add_argument("--tenant", required=True, help="the tenant's short name")
        parser.add_argument("--scope", required=True, help="where the documents belong, such as fund:global-equity")
        parser.add_argument("--kind", required=True, help="the key of a kind of the tenant's policy")
        parser.add_argument("--manifest", type=Path, help="JSON lines with a file and its metadata each")
        for name in _METADATA:
            parser.add_argument(f"--{name.replace('_', '-')}", default="", help=f"{name} of files that name none")
        parser.add_argument("--local", action="store_true", help="run the jobs here even if workers are running")
        parser.add_argument("--measure", action="store_true", help="compare with the bare embedding model at the end")
        parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(stderr=options["json"])
        if options["manifest"] and not options["manifest"].is_file():
            raise CommandError(f"There is no manifest {options['manifest']}.")
        if not options["paths"] and not options["manifest"]:
            raise CommandError("Name files or folders, or a --manifest that names them.")
        try:
            tenant = tenant_by_slug(options["tenant"])
            with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
                scope_id = ScopeId(scope_by_key(options["scope"]).id)
                require_usable(options["kind"])
                planned = plan(
                    paths=options["paths"],
                    manifest=options["manifest"],
                    defaults={name: options[name] for name in _METADATA if options[name]},
                    default_kind=options["kind"],
                    kinds=kinds_in_force(),
                )
        except ApplicationError as error:
            raise CommandError(error.detail) from error
        except OSError as error:
            raise CommandError(f"{error.filename} can't be read: {error.strerror}.") from error
        prepare()
        started = time.monotonic()
        batch = Batch(tenant_id=TenantId(tenant.id), scope_id=scope_id, reason=_REASON)
        try:
            _ingest(batch, planned, console, local=options["local"])
        except KeyboardInterrupt:
            waiting = sum(not file.is_finished for file in batch.files)
            raise CommandError(f"Stopped. {waiting} documents wait; run the command again to continue.") from None
        elapsed_s = time.monotonic() - started
        bare = _measured(batch, tenant) if options["measure"] else None
        figures = _figures(batch, elapsed_s=elapsed_s, bare=bare)
        if options["json"]:
            self.stdout.write(json.dumps(figures, ensure_ascii=False, indent=2))
        else:
            _print(console, figures)
        if figures["failed"]:
            raise CommandError(f"{len(figures['failed'])} of {figures['files']} files failed.")


def _ingest(batch: Batch, planned: list[PlannedFile], console: Console, *, local: bool) -> None:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        receiving = progress.add_task("Receiving", total=len(planned), detail="")
        for file in planned:
            taken = batch.take_in(file)
            if taken.error:
                progress.console.print(f"[red]{escape(taken.named)}[/red]: {escape(taken.error)}", highlight=False)
            elif taken.differs:
                told = f"already exists here, with another {', '.join(taken.differs)}, which was not changed"
                progress.console.print(f"[yellow]{escape(taken.named)}[/yellow] {told}", highlight=False)
            progress.update(receiving, advance=1, detail=f"{len(batch.files)} of {len(planned)} files")
        embedding = progress.add_task(
            "Embedding", total=sum(file.byte_size for file in batch.files) or 1, detail="starting"
        )
        began = time.monotonic()

        def show() -> None:
            done_bytes = sum(file.byte_size * (file.progress.fraction if file.progress else 0) for file in batch.files)
            progress.update(embedding, completed=done_bytes, detail=_detail(batch, time.monotonic() - began))

        batch.run(on_change=show, local=local)


def _detail(batch: Batch, elapsed_s: float) -> str:
    states = [file.progress for file in batch.files if file.progress is not None]
    passages = sum(file.embedded_now for file in batch.files)
    ended = sum(file.is_finished for file in batch.files)
    return (
        f"{ended} of {len(batch.files)} files, {sum(state.pages for state in states):,} pages, "
        f"{passages:,} passages, {passages / max(elapsed_s, 0.001):.1f}/s"
    )


def _measured(batch: Batch, tenant: Tenant) -> BareRate | None:
    return bare_rate(
        tenant_id=batch.tenant_id,
        scope_id=batch.scope_id,
        document_ids=[file.progress.document_id for file in batch.files if file.embedded_now and file.progress],
        profile=tenant.embedding_profile,
        reason=_REASON,
    )


def _figures(batch: Batch, *, elapsed_s: float, bare: BareRate | None) -> dict[str, Any]:
    made = [file for file in batch.files if not file.error and (file.created or file.embedded_now)]
    pages = sum(file.progress.pages for file in made if file.progress is not None)
    passages = sum(file.embedded_now for file in made)
    figures: dict[str, Any] = {
        "files": len(batch.files),
        "ingested": len(made),
        "unchanged": sum(not file.error for file in batch.files) - len(made),
        "failed": [
            {"file": file.label, "place": file.place, "error": file.error} for file in batch.files if file.error
        ],
        "warnings": [
            {"file": file.label, "place": place, "warning": said}
            for file in batch.files
            for place, said in _warnings(file)
        ],
        "otherwise_described": [
            {"file": file.label, "fields": list(file.differs)} for file in batch.files if file.differs
        ],
        "pages": pages,
        "chunks": passages,
        "elapsed_s": round(elapsed_s, 1),
        "pages_per_s": round(pages / elapsed_s, 1),
        "chunks_per_s": round(passages / elapsed_s, 1),
    }
    if bare is not None:
        figures["bare_chunks_per_s"] = round(bare.passages_per_s, 1)
        figures["share_of_bare"] = round(passages / elapsed_s / bare.passages_per_s, 3)
    return figures


def _warnings(file: BatchFile) -> Iterator[tuple[str, str]]:
    """What was passed over of a file's line, and what was lost of the file when it was read."""
    yield from ((file.place, note) for note in file.notes)
    yield from (("", warning) for warning in file.warnings)


def _print(console: Console, figures: dict[str, Any]) -> None:
    table = Table(show_header=False, box=None)
    table.add_row("ingested", f"{figures['ingested']} of {figures['files']} files")
    table.add_row("unchanged", str(figures["unchanged"]))
    table.add_row("pages", f"{figures['pages']:,} ({figures['pages_per_s']} a second)")
    table.add_row("passages", f"{figures['chunks']:,} ({figures['chunks_per_s']} a second)")
    table.add_row("time", f"{figures['elapsed_s']} s")
    if "share_of_bare" in figures:
        bare, share = figures["bare_chunks_per_s"], figures["share_of_bare"]
        table.add_row("bare model", f"{bare} passages a second; the whole reached {share:.0%} of it")
    console.print(table)
    if figures["warnings"]:
        warnings = Table("file", "where", "what was passed over", title="Taken in with reservations")
        for each in figures["warnings"]:
            warnings.add_row(escape(each["file"]), escape(each["place"]), escape(each["warning"]))
        console.print(warnings)
    if figures["failed"]:
        failed = Table("file", "where", "what happened", title="Failed")
        for each in figures["failed"]:
            failed.add_row(escape(each["file"]), escape(each["place"]), escape(each["error"]))
        console.print(failed)
