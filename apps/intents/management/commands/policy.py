"""`manage.py policy`: read a tenant's policy, test its classifier, and work with it as one file, from a shell."""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from contextlib import ExitStack
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware
from rich.console import Console

from apps.errors import ApplicationError
from apps.intents.diff import SAME, PolicyDiff, policy_diff, policy_diff_json
from apps.intents.errors import PolicyAuthorError
from apps.intents.management import policy_at, policy_check, policy_prove, policy_reach
from apps.intents.policy_file import render_policy_file, version_heading
from apps.intents.policy_file.importing import policy_file_import
from apps.intents.policy_file.references import described, file_text, needs_tenant, policy_named
from apps.intents.rendering import policy_json
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.tables import policy_tables
from apps.tenants.context import open_scope
from apps.tenants.errors import UnknownTenantError
from apps.tenants.ids import TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.models import Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import tenant_by_slug

_REFERENCES: Final = "a version's number, a date or instant (in force then), active, baseline, or a file"

_EXAMPLES = f"""
examples:
  manage.py policy show --tenant meridian
  manage.py policy show --tenant meridian --at 2026-01-31T12:00:00+00:00 --json
  manage.py policy export --tenant meridian > policy.py
  manage.py policy import policy.py --tenant meridian --author olivia --reason "Runs for compliance questions."
  manage.py policy diff active policy.py --tenant meridian
  manage.py policy diff 2026-01-31 3 --tenant meridian --unified
{policy_check.EXAMPLES}{policy_prove.EXAMPLES}{policy_at.EXAMPLES}{policy_reach.EXAMPLES}"""


class Command(ServedCommand):
    help = (
        "Shows a tenant's policy, checks its classifier, and exports, imports and compares the policy as one "
        "readable file."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(
            dest="action", required=True, metavar="show | check | export | import | diff | prove | at | reach"
        )
        show = actions.add_parser("show", help="show the policy in force, now or at a given time")
        show.add_argument("--at", default="", help="an ISO 8601 time; in UTC if it has no zone")
        policy_check.add_arguments(
            actions.add_parser(
                "check",
                help="list a policy's problems, and classify each review example by the others; exit status 1 with "
                "problems, or below the policy's own bar",
            )
        )
        export = actions.add_parser(
            "export", help="write a version as one file, in the form of the files in apps/intents/packs/"
        )
        export.add_argument(
            "which", nargs="?", default="active", help=f"{_REFERENCES}; by default the version in force"
        )
        export.add_argument("--output", default="", help="the file to write; by default the terminal")
        hand_in = actions.add_parser("import", help="make a draft from a file; nothing in the file is executed")
        hand_in.add_argument("file", help="written as `policy export` writes it")
        hand_in.add_argument("--author", required=True, help="user name of a member who may edit policies")
        hand_in.add_argument(
            "--reason", required=True, help="why the version is wanted, for the reviewer and the audit log"
        )
        diff = actions.add_parser("diff", help="show what changes from one policy to another, in words")
        for side in ("before", "after"):
            diff.add_argument(side, help=_REFERENCES)
        diff.add_argument("--tenant", default="", help="the tenant's short name; not needed for files and the baseline")
        diff.add_argument("--unified", action="store_true", help="show the two files line by line instead of words")
        policy_prove.add_arguments(
            actions.add_parser("prove", help="state exhaustively what a change lets through, with counterexamples")
        )
        policy_at.add_arguments(
            actions.add_parser("at", help="show who could reach what and when, and who had allowed it")
        )
        policy_reach.add_arguments(
            actions.add_parser("reach", help="list who could reach what: at an instant, over a range, or what changed")
        )
        for action in (show, export, hand_in):
            action.add_argument("--tenant", required=True, help="the tenant's short name")
        for action in (show, hand_in, diff):
            action.add_argument("--json", action="store_true", help="one JSON object instead of tables and words")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._run(options)
        except ApplicationError as error:
            raise CommandError(error.detail) from error

    def _run(self, options: dict[str, Any]) -> None:
        if options["action"] == "at":
            policy_at.run(self, options)
            return
        if options["action"] == "reach":
            policy_reach.run(self, options)
            return
        if options["action"] == "prove":
            policy_prove.run(self, options)
            return
        if options["action"] == "check":
            policy_check.run(self, options)
            return
        if options["action"] == "diff":
            self._diff(options)
            return
        tenant = tenant_by_slug(options["tenant"])
        if options["action"] == "import":
            self._import(tenant, options)
            return
        with open_scope(tenant=TenantId(tenant.id), reason=f"manage.py policy {options['action']}"):
            if options["action"] == "show":
                self._show(options["at"], as_json=options["json"])
            else:
                self._export(options["which"], options["output"])

    def _export(self, which: str, output: str) -> None:
        snapshot = policy_named(which)
        text = version_heading(snapshot) + render_policy_file(snapshot)
        if not output:
            self.stdout.write(text, ending="")
            return
        try:
            Path(output).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise CommandError(f"{output} can't be written ({error.strerror}); choose another path.") from error

    def _import(self, tenant: Tenant, options: dict[str, Any]) -> None:
        if not options["reason"].strip():
            raise CommandError("--reason is empty; say in a sentence why the version is wanted.")
        author = _author(options["author"], tenant)
        with open_scope(tenant=TenantId(tenant.id), principal=author, reason="manage.py policy import"):
            before = policy_in_force()
            draft = policy_file_import(
                text=file_text(options["file"]), filename=options["file"], reason=options["reason"]
            )
            after = version_snapshot(draft)
        if options["json"]:
            body = {"version": draft.number, "version_id": str(draft.id), **policy_diff_json(before, after)}
            self.stdout.write(json.dumps(body, ensure_ascii=False, indent=2))
            return
        self.stdout.write(
            f"Version {draft.number} is a draft by {draft.author_label}. Compared with the version in force:"
        )
        self._changes(policy_diff(before, after))

    def _diff(self, options: dict[str, Any]) -> None:
        references = options["before"], options["after"]
        with ExitStack() as scope:
            if options["tenant"]:
                tenant = tenant_by_slug(options["tenant"])
                scope.enter_context(open_scope(tenant=TenantId(tenant.id), reason="manage.py policy diff"))
            elif any(map(needs_tenant, references)):
                raise CommandError("A version, a date or active belongs to one tenant: add --tenant.")
            before, after = (policy_named(reference) for reference in references)
        if options["json"]:
            self.stdout.write(json.dumps(policy_diff_json(before, after), ensure_ascii=False, indent=2))
            return
        names = [described(*pair) for pair in zip(references, (before, after), strict=True)]
        if options["unified"]:
            old, new = (render_policy_file(snapshot).splitlines(keepends=True) for snapshot in (before, after))
            self.stdout.write("".join(unified_diff(old, new, names[0], names[1])), ending="")
            return
        self.stdout.write(f"From {names[0]} to {names[1]}:")
        self._changes(policy_diff(before, after))

    def _changes(self, diff: PolicyDiff) -> None:
        for change in diff.changes:
            self.stdout.write(f"  {change.kind.value:<8} {change.sentence}")
        if not diff.changes:
            self.stdout.write(f"  {SAME}")

    def _show(self, at_text: str, *, as_json: bool) -> None:
        snapshot = policy_in_force(_instant(at_text) if at_text else None)
        if as_json:
            self.stdout.write(json.dumps(policy_json(snapshot), ensure_ascii=False, indent=2))
            return
        self._print(*policy_tables(snapshot))

    def _print(self, *renderables: Any) -> None:
        # Through self.stdout, so that call_command(stdout=...) gets the tables too.
        console = Console()
        with console.capture() as capture:
            for renderable in renderables:
                console.print(renderable)
        self.stdout.write(capture.get())


def _author(username: str, tenant: Tenant) -> Principal:
    """The person who hands the file in: the database wants another one to approve it."""
    user = user_by_name(username)
    if user is None or not user.is_active:
        problem = "there is no such account" if user is None else "the account is deactivated"
        raise PolicyAuthorError(username=username, problem=problem)
    try:
        principal = user_principal(user, TenantId(tenant.id))
    except UnknownTenantError as error:
        raise PolicyAuthorError(username=username, problem=f"the account holds no role in {tenant.slug}") from error
    if not principal.may(Permission.POLICY_EDIT):
        raise PolicyAuthorError(username=username, problem=f"the roles held in {tenant.slug} don't allow it")
    return principal


def _instant(text: str) -> datetime:
    try:
        instant = parse_datetime(text)
    except ValueError:
        instant = None
    if instant is None:
        raise CommandError(f"--at {text!r} is not a time; write it as 2026-01-31T12:00:00+00:00")
    return make_aware(instant) if is_naive(instant) else instant
