"""`manage.py ask`: one question through the whole pipeline, as the API answers it."""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from typing import IO, Any, Final, cast

from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.table import Table
from rich.text import Text

from apps.errors import ApplicationError
from apps.retrieval.presentation import asked_json
from apps.retrieval.services.ask import Asked, ask
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.selectors.tenants import tenant_by_slug

_REASON: Final = "manage.py ask"


class Command(ServedCommand):
    help = (
        "Asks one question as the system, in all scopes of a tenant or in those named, and records it.\n\n"
        'Example: manage.py ask "What was last quarter\'s drawdown?" --tenant meridian --scope fund:global-equity'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("question")
        parser.add_argument("--tenant", required=True, help="the tenant's short name")
        parser.add_argument("--scope", action="append", default=[], help="a scope's key; repeat it for several")
        parser.add_argument("--trace", action="store_true", help="with --json: every stage as well")
        parser.add_argument("--json", action="store_true", help="print one JSON object, as the API answers")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = tenant_by_slug(options["tenant"])
            with open_scope(tenant=TenantId(tenant.id), reason=_REASON) as context:
                system = context.principal
            asked = ask(text=options["question"], scopes=options["scope"], principal=system, reason=_REASON)
        except ApplicationError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(asked_json(asked, trace=options["trace"]), ensure_ascii=False, indent=2))
        else:
            _print(Console(file=cast("IO[str]", self.stdout)), asked)


def _print(console: Console, asked: Asked) -> None:
    body = asked_json(asked)
    console.print(Text(body["answer"]), style="yellow" if body["refused"] else "bold")
    for problem in body["degraded"]:
        console.print(Text(f"degraded: {problem['message']}"), style="yellow")
    for notice in body["notices"]:
        console.print(Text(notice), style="dim")
    for disclaimer in body["disclaimers"]:
        console.print(Text(disclaimer["text"]))
    for finding in body["profile"]:
        console.print(Text(f"profile    {finding['effect']} by {finding['key']}: {finding['reason']}"), style="yellow")
    if body["citations"]:
        table = Table("document", "page", "quote", "reference", show_lines=True)
        for citation in body["citations"]:
            table.add_row(
                Text(f"{citation['document']['title']} (version {citation['document']['version']})"),
                str(citation["page"]),
                Text(citation["quote"]),
                Text(citation["ref_id"]),
            )
        console.print(table)
    console.print(Text(f"intent     {body['intent']['reason']}"))
    console.print(Text(f"may reach  {', '.join(body['kinds']['permitted']) or 'nothing'}"))
    console.print(Text(f"policy     version {body['policy_version']}    grounding  {body['grounding'] or 'none'}"))
    if body["repair"] != "none":
        console.print(Text(f"repair     {body['repair'].replace('_', ' ')}: not as it was written first"))
    console.print(Text(f"event      {body['audit_event_id']}    {body['elapsed_ms']:.0f} ms"))
