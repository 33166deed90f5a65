"""`manage.py policy at`: who could reach what, when, from a shell."""

from __future__ import annotations

import json
import re
import shlex
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware
from rich.console import Console
from rich.table import Table

from apps.errors import ApplicationError
from apps.intents.access import AccessAnswer, access_ask, access_json
from apps.intents.access.contracts import Candidate
from apps.intents.access.words import validity
from apps.intents.errors import AmbiguousNameError
from apps.tenants.context import open_scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.selectors.tenants import tenant_id_of

EXAMPLES = """\
  manage.py policy at --tenant meridian --user alice --date 2026-01-31T12:00
  manage.py policy at --tenant meridian --user "Lindqvist, Maria"
  manage.py policy at --tenant meridian --key 3f9a1c20b7de --intent performance --json
"""
"""For the epilog of the command that this is a part of."""

_KEY = re.compile(r"(gbx_)?([0-9a-zA-Z]{12})")
_INTENT = re.compile(r"[a-z][a-z0-9_]{0,39}")


def add_arguments(parser: ArgumentParser) -> None:
    """All that `at` takes, the tenant included."""
    parser.add_argument("--tenant", required=True, help="the tenant's short name")
    subject = parser.add_mutually_exclusive_group(required=True)
    subject.add_argument(
        "--user", default="", help="a user name, full name, part of a name, initials or e-mail address, or a key's name"
    )
    subject.add_argument("--key", default="", help="an API key's prefix: the 12 characters after gbx_")
    parser.add_argument("--date", default="", help="an ISO 8601 time, in UTC if it has no zone; by default now")
    parser.add_argument("--intent", default="", help="an intent's short name, or unrecognised; by default all intents")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the sentence and tables")


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Print the answer.

    Raises CommandError: an option can't be read, there is no such tenant, or the name may mean several members.
    """
    at = instant_of(options["date"]) if options["date"] else None
    key, intent = key_of(options["key"]), _intent(options["intent"])
    try:
        with open_scope(tenant=tenant_id_of(options["tenant"]), reason="manage.py policy at"):
            answer = access_ask(user=options["user"], key=key, at=at, intent=intent)
    except AmbiguousNameError as error:
        raise CommandError(_ambiguous(error, options)) from error
    except ApplicationError as error:
        raise CommandError(error.detail) from error
    if options["json"]:
        command.stdout.write(json.dumps(access_json(answer), ensure_ascii=False, indent=2))
        return
    console = Console()
    with console.capture() as capture:
        console.print(answer.sentence, highlight=False, markup=False)
        if answer.suggestions:
            console.print("The nearest names:", highlight=False)
        for candidate in answer.suggestions:
            console.print(f"  {called(candidate)}", highlight=False, markup=False)
        for table in _tables(answer):
            console.print(table)
        for note in answer.notes:
            console.print(note, style="dim", highlight=False)
    command.stdout.write(capture.get())


def _ambiguous(error: AmbiguousNameError, options: Mapping[str, Any]) -> str:
    """Return the candidates, each with the command that asks about them."""
    given = {f"--{name}": options[name] for name in ("tenant", "date", "intent") if options[name]}
    lines = ["Several members or keys, past or present, may be meant, so there is no answer. Ask about one of them:"]
    for candidate in error.data["candidates"]:
        words = [word for option in {**given, _option(candidate): candidate.name}.items() for word in option]
        command = shlex.join(["manage.py", "policy", "at", *words, *(["--json"] if options["json"] else [])])
        lines += [f"  {called(candidate)}", f"    {command}"]
    if error.data["more"]:
        lines.append(f"  {error.data['more']} more: write more of the name")
    return "\n".join(lines)


def _option(candidate: Candidate) -> str:
    return "--key" if candidate.kind is PrincipalKind.API_KEY else "--user"


def called(candidate: Candidate) -> str:
    return f"{candidate.label} ({candidate.name}), {candidate.standing}"


def instant_of(text: str, option: str = "--date") -> datetime:
    try:
        instant = parse_datetime(text)
    except ValueError:
        instant = None
    if instant is None:
        raise CommandError(f"{option} {text!r} is not a time; write it as 2026-01-31T12:00:00+00:00")
    return make_aware(instant) if is_naive(instant) else instant


def key_of(text: str) -> str:
    if not text:
        return ""
    match = _KEY.fullmatch(text)
    if match is None:
        raise CommandError("--key takes a key's prefix, the 12 characters after gbx_; never the whole key")
    return match[2]


def _intent(text: str) -> str:
    if text and not _INTENT.fullmatch(text):
        raise CommandError(f"--intent {text!r} is not an intent's name, such as performance, or unrecognised")
    return text


def _tables(answer: AccessAnswer) -> list[Table]:
    tables = []
    if answer.intents:
        kinds = Table(title="What could be reached", title_justify="left")
        for heading in ("intent", "kinds"):
            kinds.add_column(heading, overflow="fold")
        for each in answer.intents:
            kinds.add_row(each.name, ", ".join(kind.value for kind in each.kinds) or "none")
        tables.append(kinds)
    if answer.granted_by:
        given = Table(title="What gave it", title_justify="left")
        for heading in ("by", "role", "valid", "scopes"):
            given.add_column(heading, overflow="fold")
        for granted in answer.granted_by:
            held = granted.holding
            scopes = [f"{grant.scope.key} ({validity(grant.valid_from, grant.valid_to)})" for grant in granted.grants]
            given.add_row(
                held.through.value.replace("_", " "),
                held.role.label,
                validity(held.valid_from, held.valid_to),
                "\n".join(scopes) or "none",
            )
        tables.append(given)
    return tables
