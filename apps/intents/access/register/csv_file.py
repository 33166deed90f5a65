"""An answer as a CSV file, written in parts while its reader may still read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from apps.audit.models import Outcome
from apps.audit.reporting.contracts import Cell as CsvCell
from apps.audit.reporting.delimited import csv_bytes
from apps.audit.services import record
from apps.errors import ApplicationError
from apps.intents.access.contracts import Subject
from apps.intents.access.register.asking import Register
from apps.intents.access.register.contracts import Mode
from apps.intents.access.register.lines import ChangedLine, Line, Places, changed_lines, lines
from apps.intents.events import LIST_CUT_SHORT
from apps.intents.profile_words import profile_notes
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission
from apps.tenants.streaming import Part, scoped_stream

_BATCH: Final = 200
COLUMNS: Final = (
    "change",
    "who",
    "name",
    "sort",
    "roles",
    "from",
    "until",
    "way",
    "scope",
    "kinds_by_intent",
    "policy_versions",
    "policy_sha256",
    "log_size",
    "log_root",
)


def register_csv(register: Register) -> Iterator[bytes]:
    """Yield the answer as CSV in parts, each while the reader may still read it. Raises: what scoped_stream raises."""
    principal = current_scope().principal

    def cut_short(error: ApplicationError, sent_bytes: int) -> None:
        record(
            action=LIST_CUT_SHORT,
            core={
                "format": "csv",
                "sent_bytes": sent_bytes,
                "error_code": error.code,
                "reader_kind": principal.kind.value,
                "reader_id": str(principal.id) if principal.id else None,
            },
            outcome=Outcome.FAILED,
        )

    return scoped_stream(
        principal,
        csv_parts(register),
        scopes=principal.scope_ids,
        permission=Permission.AUDIT_VIEW,
        cut_short=cut_short,
    )


def csv_parts(register: Register) -> Iterator[Part]:
    """Yield functions that make the parts of the CSV, the head first."""
    yield partial(csv_bytes, [COLUMNS, *_head_rows(register)])
    for start in range(0, register.rows, _BATCH):
        yield partial(_part, register, start)


def _part(register: Register, start: int) -> bytes:
    window = slice(start, start + _BATCH)
    found: list[Sequence[CsvCell]] = []
    for line in lines(register, register.spans[window]):
        found += _csv_rows(register, line)
    for changed in changed_lines(register, register.changes[window]):
        found += _csv_changes(register, changed)
    return csv_bytes(found)


def _head_rows(register: Register) -> Iterator[Sequence[CsvCell]]:
    """Yield what concerns everybody: the policy's own changes, the profile, or that nobody could reach anything."""
    for name, gained, kinds in register.policy_changes:
        said = f"{name}: {' '.join(kind.value for kind in kinds)}"
        yield _row(register, "gained" if gained else "lost", "everybody who could ask", way="question", kinds=said)
    for said in register.profile_changes:
        yield _row(register, "profile", "everybody who could ask", way="question", kinds=said)
    if register.question.mode is not Mode.CHANGES:
        for version in register.versions:
            for note in profile_notes(version.snapshot.profile):
                said = f"Policy version {version.snapshot.number}: {note}"
                yield _row(register, "", "everybody who could ask", way="question", kinds=said)
    if not register.rows:
        yield _row(register, "", "nobody")


def _csv_rows(register: Register, line: Line) -> Iterator[Sequence[CsvCell]]:
    reaches = "; ".join(f"{name}: {' '.join(kinds)}" for name, kinds in line.reaches)
    for way, found in (("question", line.asks), ("opening", line.opens)):
        for scope in _scopes(found):
            yield _row(
                register,
                "",
                line.who,
                subject=line.subject,
                roles=line.roles,
                way=way,
                scope=scope,
                kinds=reaches if way == "question" else "every kind",
                since=line.since,
                until=line.until,
            )


def _csv_changes(register: Register, line: ChangedLine) -> Iterator[Sequence[CsvCell]]:
    for change, way, found, roles in (
        ("gained", "question", line.gained_asks, line.roles_after),
        ("gained", "opening", line.gained_opens, line.roles_after),
        ("lost", "question", line.lost_asks, line.roles_before),
        ("lost", "opening", line.lost_opens, line.roles_before),
    ):
        for scope in _scopes(found):
            yield _row(register, change, line.who, subject=line.subject, roles=roles, way=way, scope=scope)


def _scopes(found: Places) -> Iterator[str]:
    yield from (scope.key for scope in found.names)
    if found.hidden:
        yield f"{found.hidden} that you may not see"


def _row(
    register: Register,
    change: str,
    who: str,
    *,
    subject: Subject | None = None,
    roles: str = "",
    way: str = "",
    scope: str = "",
    kinds: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> Sequence[CsvCell]:
    question, versions = register.question, register.versions
    begin, end = since or question.since, until or question.until
    return (
        change,
        who,
        subject.name if subject else "",
        subject.kind.value if subject else "",
        roles,
        begin.isoformat(),
        end.isoformat() if end else "",
        way,
        scope,
        kinds,
        " ".join(str(each.snapshot.number) for each in versions),
        " ".join(each.sha256 for each in versions),
        register.history.log_size,
        register.history.log_root,
    )
