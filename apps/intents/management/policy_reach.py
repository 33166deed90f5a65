"""`manage.py policy reach`: who could reach what, for everybody or narrowed, from a shell."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.errors import ApplicationError
from apps.intents.access.contracts import Candidate
from apps.intents.access.register.asking import Asked, Form, register_ask
from apps.intents.access.register.contracts import Mode
from apps.intents.access.register.csv_file import csv_parts
from apps.intents.access.register.json_page import register_json
from apps.intents.access.register.words import notes, summary
from apps.intents.errors import AmbiguousDocumentError, AmbiguousNameError, NameNotKnownError
from apps.intents.management.policy_at import called, instant_of, key_of
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import tenant_id_of

EXAMPLES = """\
  manage.py policy reach --tenant meridian --kind kyc_file --date 2026-01-31
  manage.py policy reach --tenant meridian --user "Lindqvist, Maria" --date 2026-01-01 --until 2026-04-01 --csv
  manage.py policy reach --tenant meridian --changes --date 2026-01-01 --until 2026-04-01
"""


def add_arguments(parser: ArgumentParser) -> None:
    """All that `reach` takes, the tenant included."""
    parser.add_argument("--tenant", required=True, help="the tenant's short name")
    subject = parser.add_mutually_exclusive_group()
    subject.add_argument("--user", default="", help="a name as people write it, or a key's name; by default everybody")
    subject.add_argument("--key", default="", help="an API key's prefix: the 12 characters after gbx_")
    parser.add_argument("--role", default="", choices=["", *Role.values], help="whoever held it then")
    parser.add_argument("--scope", default="", help="a scope's key")
    parser.add_argument("--kind", default="", help="a kind of document: its key, or the firm's name of it")
    parser.add_argument("--document", default="", help="a document's id or title")
    parser.add_argument("--date", default="", help="an ISO 8601 time, in UTC if it has no zone; by default now")
    parser.add_argument("--until", default="", help="the end: makes it a range, or with --changes the later instant")
    parser.add_argument("--changes", action="store_true", help="what differs between --date and --until")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="every line as CSV")
    form.add_argument("--json", action="store_true", help="one JSON object")


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Print the answer. Raises CommandError: an option can't be read, or names nobody and nothing for certain."""
    asked = Asked(
        mode=Mode.CHANGES if options["changes"] else Mode.RANGE if options["until"] else Mode.AT,
        since=instant_of(options["date"], "--date") if options["date"] else None,
        until=instant_of(options["until"], "--until") if options["until"] else None,
        user=options["user"],
        key=key_of(options["key"]),
        role=Role(options["role"]) if options["role"] else None,
        scope=options["scope"],
        kind=options["kind"],
        document=options["document"],
    )
    try:
        with open_scope(tenant=tenant_id_of(options["tenant"]), reason="manage.py policy reach"):
            register = register_ask(asked, form=Form.COMMAND)
    except (AmbiguousNameError, NameNotKnownError) as error:
        raise CommandError(_names(error.detail, error.data["candidates"])) from error
    except AmbiguousDocumentError as error:
        found = "\n".join(f"  --document {each.id}  {each.title}" for each in error.data["documents"])
        raise CommandError(f"{error.detail}\n{found}") from error
    except ApplicationError as error:
        raise CommandError(error.detail) from error
    if options["csv"]:
        for part in csv_parts(register):
            command.stdout.write(part().decode(), ending="")
        return
    answer = register_json(register, first=0, limit=max(1, register.rows))
    if options["json"]:
        command.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2))
        return
    command.stdout.write(summary(register))
    for row in answer["rows"]:
        times = f", {row['since']} to {row['until']}" if row["since"] else ""
        command.stdout.write(f"  {row['label']} ({row['name']}), {row['roles']}{times}: {_where(row, '')}")
    for row in answer["changes"]:
        command.stdout.write(
            f"  {row['label']} ({row['name']}), {row['roles_before'] or 'nothing'} -> "
            f"{row['roles_after'] or 'nothing'}: gained {_where(row, 'gained_')}; lost {_where(row, 'lost_')}"
        )
    for said in register.profile_changes:
        command.stdout.write(f"  {said}")
    for note in notes(register):
        command.stdout.write(note)


def _names(detail: str, candidates: tuple[Candidate, ...]) -> str:
    return "\n".join([detail, *(f"  {called(each)}" for each in candidates)])


def _where(row: Mapping[str, Any], before: str) -> str:
    said = [
        f"{way} {', '.join(_places(row[f'{before}{name}']))}"
        for name, way in (("asks", "questions in"), ("opens", "pages in"))
        if _places(row[f"{before}{name}"])
    ]
    return "; ".join(said) or "nothing"


def _places(found: Mapping[str, Any]) -> list[str]:
    return [*found["scopes"], *([f"{found['hidden']} hidden"] if found["hidden"] else [])]
