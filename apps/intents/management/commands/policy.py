"""`manage.py policy`: read a tenant's policy, and test its classifier, from a shell."""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware
from rich.console import Console

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.registry import provider_for
from apps.errors import ApplicationError
from apps.intents.check import GoldenCheck, golden_check
from apps.intents.contracts import PolicySnapshot
from apps.intents.rendering import policy_json
from apps.intents.scoring import Vector
from apps.intents.selectors import policy_in_force
from apps.intents.services.golden import golden_vectors
from apps.intents.tables import check_tables, check_verdict, policy_tables
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Tenant
from apps.tenants.selectors.tenants import tenant_by_slug

_EXAMPLES = """
examples:
  manage.py policy show --tenant meridian
  manage.py policy show --tenant meridian --at 2026-01-31T12:00:00+00:00 --json
  manage.py policy check --tenant meridian
  manage.py policy check --tenant meridian --terms-only
"""


class Command(BaseCommand):
    help = "Shows a tenant's policy in force, or checks its classifier on the golden examples."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="show | check")
        show = actions.add_parser("show", help="the policy in force, now or at an instant")
        show.add_argument("--at", default="", help="an ISO 8601 instant; UTC where it names no zone")
        check = actions.add_parser(
            "check", help="classify every golden example without itself; exit status 1 below the policy's own bar"
        )
        check.add_argument("--terms-only", action="store_true", help="as if no embedding provider could be reached")
        for action in (show, check):
            action.add_argument("--tenant", required=True, help="the tenant's short name")
            action.add_argument("--json", action="store_true", help="one JSON object instead of tables")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = tenant_by_slug(options["tenant"])
            with open_scope(tenant=TenantId(tenant.id), reason=f"manage.py policy {options['action']}"):
                if options["action"] == "show":
                    self._show(options["at"], as_json=options["json"])
                else:
                    self._check(tenant, terms_only=options["terms_only"], as_json=options["json"])
        except ApplicationError as error:
            raise CommandError(error.detail) from error

    def _show(self, at_text: str, *, as_json: bool) -> None:
        snapshot = policy_in_force(_instant(at_text) if at_text else None)
        if as_json:
            self.stdout.write(json.dumps(policy_json(snapshot), ensure_ascii=False, indent=2))
            return
        self._print(*policy_tables(snapshot))

    def _check(self, tenant: Tenant, *, terms_only: bool, as_json: bool) -> None:
        snapshot = policy_in_force()
        check = golden_check(snapshot, None if terms_only else _vectors(tenant, snapshot))
        if as_json:
            self.stdout.write(json.dumps(_check_json(check, snapshot), ensure_ascii=False, indent=2))
        else:
            self._print(*check_tables(check, snapshot), check_verdict(check))
        if not check.passed:
            raise CommandError(check_verdict(check))

    def _print(self, *renderables: Any) -> None:
        # Through self.stdout, so that call_command(stdout=...) gets the tables too.
        console = Console()
        with console.capture() as capture:
            for renderable in renderables:
                console.print(renderable)
        self.stdout.write(capture.get())


def _instant(text: str) -> datetime:
    try:
        instant = parse_datetime(text)
    except ValueError:
        instant = None
    if instant is None:
        raise CommandError(f"--at {text!r} is not an instant; write it as 2026-01-31T12:00:00+00:00")
    return make_aware(instant) if is_naive(instant) else instant


def _vectors(tenant: Tenant, snapshot: PolicySnapshot) -> Vector:
    provider = provider_for(
        tenant.embedding_profile, tenant_region=tenant.residency_region, tenant_strict=tenant.residency_strict
    )
    try:
        return golden_vectors(snapshot=snapshot, provider=provider)
    except ProviderError as error:
        raise CommandError(f"{error.detail} To check the terms alone, add --terms-only.") from error


def _check_json(check: GoldenCheck, snapshot: PolicySnapshot) -> dict[str, Any]:
    return {
        "version": snapshot.number,
        "version_id": str(snapshot.version_id),
        "terms_only": check.degraded,
        "examples": check.examples,
        "correct": check.correct,
        "accuracy": round(check.accuracy, 4),
        "minimum_accuracy": check.minimum_accuracy,
        "passed": check.passed,
        "confusion": [
            {"expected": cell.expected, "given": cell.given, "examples": cell.examples} for cell in check.confusion
        ],
        "misclassified": [
            {"text": row.text, "expected": row.expected, "given": row.given, "reason": row.reason}
            for row in check.misclassified
        ],
    }
