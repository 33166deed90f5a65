"""`manage.py policy prove`: what a change of policy lets through, as theorems with counterexamples."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.intents.policy_file.references import described, instant_named, needs_tenant, policy_named
from apps.intents.proof.rendering import Proof, Side, proof_sha256, prove
from apps.intents.services.proofs import proof_hand_out
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import tenant_by_slug

EXAMPLES: Final = """\
  manage.py policy prove active 4 --tenant meridian
  manage.py policy prove 2026-01-31 2026-06-30 --tenant meridian --json > proof.json
"""
_REFERENCES: Final = "a version's number, a date or instant (in force then), active, baseline, or a file"


def add_arguments(parser: CommandParser) -> None:
    for side in ("before", "after"):
        parser.add_argument(side, help=_REFERENCES)
    parser.add_argument(
        "--tenant",
        default="",
        help="the tenant's short name; without it, files and the baseline are compared, and nobody asks anything",
    )
    parser.add_argument("--json", action="store_true", help="the proof as one file instead of words")


def run(command: BaseCommand, options: dict[str, Any]) -> None:
    references = options["before"], options["after"]
    with ExitStack() as scope:
        if options["tenant"]:
            tenant = tenant_by_slug(options["tenant"])
            scope.enter_context(open_scope(tenant=TenantId(tenant.id), reason="manage.py policy prove"))
        elif any(map(needs_tenant, references)):
            raise CommandError("A version, a date or active belongs to one tenant: add --tenant.")
        before, after = (policy_named(reference) for reference in references)
        if options["tenant"]:
            proof = proof_hand_out(
                before,
                after,
                form="command",
                at_before=instant_named(references[0]),
                at_after=instant_named(references[1]),
            )
        else:
            proof = prove(Side(policy=before, held={}), Side(policy=after, held={}))
    if options["json"]:
        command.stdout.write(proof.text(), ending="")
        return
    names = [described(*pair) for pair in zip(references, (before, after), strict=True)]
    command.stdout.write(f"From {names[0]} to {names[1]}:")
    _tell(command, proof, asked=bool(options["tenant"]))


def _tell(command: BaseCommand, proof: Proof, *, asked: bool) -> None:
    for each in proof.stated:
        command.stdout.write(f"  {'holds' if each.holds else 'REFUTED':<8} {each.sentence}")
    if not asked:
        command.stdout.write("Nobody's roles were looked at, since no --tenant was named: only the policies differ.")
    command.stdout.write(f"SHA-256 of the file (--json): {proof_sha256(proof.text())}")
