"""`manage.py isolation check`: see the wall hold, in the database that is served, a line for each claim."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from apps.tenants.catalogue import CHECKS
from apps.tenants.checks import ROLE_SQL, role_problems
from apps.tenants.probe import observations


class Command(BaseCommand):
    help = (
        "Checks in the database's catalogue that the isolation holds, and tests it with a canary that is rolled "
        "back. Exits with 1 if something does not hold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["check"])
        parser.add_argument("--json", action="store_true", help="the same as JSON: claim, holds, is_warning, seen")

    def handle(self, *args: Any, **options: Any) -> None:
        lines = [*_role(), *_catalogue(), *_probed()]
        failed = [line for line in lines if not line["holds"] and not line["is_warning"]]
        if options["json"]:
            self.stdout.write(json.dumps({"holds": not failed, "lines": lines}, indent=2))
        else:
            for line in lines:
                mark = "ok  " if line["holds"] else "warn" if line["is_warning"] else "FAIL"
                self.stdout.write(f"{mark}  {line['claim']}")
                for seen in line["seen"]:
                    self.stdout.write(f"      {seen}")
        if failed:
            raise CommandError(f"The isolation does not hold: {len(failed)} of {len(lines)} lines above.")
        if not options["json"]:
            warned = sum(not line["holds"] for line in lines)
            self.stdout.write(
                f"The isolation holds: {len(lines)} lines, as {settings.GLASSBOX_DB_ROLE}"
                + (f", {warned} of them a warning." if warned else ".")
            )


def _line(claim: str, *, seen: list[str], is_warning: bool = False, holds: bool | None = None) -> dict[str, Any]:
    return {"claim": claim, "holds": not seen if holds is None else holds, "is_warning": is_warning, "seen": seen}


def _role() -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(ROLE_SQL)
        problems = role_problems(cursor.fetchall()[0])
    return [_line(f"{settings.GLASSBOX_DB_ROLE}, which serves, is an ordinary role", seen=problems)]


def _catalogue() -> list[dict[str, Any]]:
    lines = []
    with connection.cursor() as cursor:
        for check in CHECKS:
            found = list(check.find(cursor))
            lines.append(
                _line(
                    check.title,
                    seen=[f"{each} {each.remedy}" for each in found],
                    is_warning=bool(found) and all(each.is_warning for each in found),
                )
            )
    return lines


def _probed() -> list[dict[str, Any]]:
    return [_line(each.claim, seen=[each.seen] if each.seen else [], holds=each.holds) for each in observations()]
