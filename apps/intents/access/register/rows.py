"""The lines of an answer, for pages, files and programs. Scopes that the asker may not see are counted, not named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from apps.audit.models import Outcome
from apps.audit.reporting.contracts import Cell as CsvCell
from apps.audit.reporting.delimited import csv_bytes
from apps.audit.services import record
from apps.errors import ApplicationError
from apps.intents.access.contracts import ScopeName, Subject
from apps.intents.access.register.asking import Register
from apps.intents.access.register.contracts import Cell, Change, History, Mode, Span
from apps.intents.access.register.words import called, notes, summary
from apps.intents.events import LIST_CUT_SHORT
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Scopes by name, and how many more the asker may not see."""

    names: tuple[ScopeName, ...]
    hidden: int

    def __bool__(self) -> bool:
        return bool(self.names or self.hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a list: whom, how long, and where by each way."""

    subject: Subject
    who: str
    roles: str
    since: datetime | None
    until: datetime | None
    asks: Places
    opens: Places
    reaches: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def is_same_place(self) -> bool:
        return self.asks == self.opens


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLine:
    """How the reach of one subject differs, and where by each way it was gained and lost."""

    subject: Subject
    who: str
    roles_before: str
    roles_after: str
    gained_asks: Places
    gained_opens: Places
    lost_asks: Places
    lost_opens: Places

    @property
    def is_by_policy_alone(self) -> bool:
        """Whether only the kinds changed, which the policy's own changes tell."""
        places = (self.gained_asks, self.gained_opens, self.lost_asks, self.lost_opens)
        return self.roles_before == self.roles_after and not any(places)


def lines(register: Register, spans: Iterable[Span] | None = None) -> Iterator[Line]:
    history = register.history
    for span in register.spans if spans is None else spans:
        yield Line(
            subject=span.subject,
            who=called(span.subject),
            roles=_roles(span.cell),
            since=span.since,
            until=span.until,
            asks=places(history, span.cell.asks),
            opens=places(history, span.cell.opens),
            reaches=tuple((name, tuple(kind.value for kind in kinds)) for name, kinds in span.cell.reaches),
        )


def changed_lines(register: Register, changes: Iterable[Change] | None = None) -> Iterator[ChangedLine]:
    history, nowhere = register.history, frozenset[ScopeId]()
    for change in register.changes if changes is None else changes:
        asks, opens = (
            [getattr(cell, way) if cell else nowhere for cell in (change.before, change.after)]
            for way in ("asks", "opens")
        )
        yield ChangedLine(
            subject=change.subject,
            who=called(change.subject),
            roles_before=_roles(change.before),
            roles_after=_roles(change.after),
            gained_asks=places(history, asks[1] - asks[0]),
            gained_opens=places(history, opens[1] - opens[0]),
            lost_asks=places(history, asks[0] - asks[1]),
            lost_opens=places(history, opens[0] - opens[1]),
        )


def places(history: History, scopes: Iterable[ScopeId]) -> Places:
    wanted = set(scopes)
    names = tuple(sorted((history.names[each] for each in wanted if each in history.names), key=lambda each: each.key))
    return Places(names=names, hidden=len(wanted) - len(names))


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


def register_json(register: Register, *, first: int, limit: int) -> dict[str, Any]:
    """Return a page of the answer as one JSON object. first: how many lines come before it."""
    question, filters = register.question, register.question.filters
    is_change = question.mode is Mode.CHANGES
    return {
        "sentence": summary(register),
        "mode": question.mode.value,
        "since": question.since.isoformat(),
        "until": question.until.isoformat() if question.until else None,
        "answered_at": register.history.read_at.isoformat(),
        "tenant": register.history.tenant.slug,
        "role": filters.role.value if filters.role else None,
        "scope": register.scope.key if register.scope else None,
        "kind": filters.kind or None,
        "document": _document(register),
        "policies": [
            {
                "version": each.snapshot.number,
                "version_id": str(each.snapshot.version_id),
                "content_sha256": each.sha256,
                "valid_from": each.valid_from.isoformat(),
                "valid_to": each.valid_to.isoformat() if each.valid_to else None,
                "reaches": [{"intent": r.name, "kinds": [kind.value for kind in r.kinds]} for r in each.reaches],
            }
            for each in register.versions
        ],
        "policy_changes": [
            {"intent": name, "gained": gained, "kinds": [kind.value for kind in kinds]}
            for name, gained, kinds in register.policy_changes
        ],
        "log": {"size": register.history.log_size, "root_hash": register.history.log_root},
        "notes": list(notes(register)),
        "total": register.rows,
        "next": first + limit if first + limit < register.rows else None,
        "rows": [_line_json(each) for each in lines(register, register.spans[first : first + limit])],
        "changes": [
            _changed_json(each)
            for each in changed_lines(register, register.changes[first : first + limit] if is_change else ())
        ],
    }


def _document(register: Register) -> dict[str, Any] | None:
    if (document := register.document) is None:
        return None
    scope = register.history.names.get(document.scope_id)
    return {
        "id": str(document.id),
        "title": document.title,
        "kind": document.kind,
        "scope": scope.key if scope else None,
        "received_at": document.received_at.isoformat(),
        "published_at": document.published_at.isoformat() if document.published_at else None,
        "gone_at": document.gone_at.isoformat() if document.gone_at else None,
    }


def _line_json(line: Line) -> dict[str, Any]:
    return {
        **_subject(line.subject),
        "roles": line.roles,
        "since": line.since.isoformat() if line.since else None,
        "until": line.until.isoformat() if line.until else None,
        "asks": _places(line.asks),
        "opens": _places(line.opens),
        "reaches": [{"intent": name, "kinds": list(kinds)} for name, kinds in line.reaches],
    }


def _changed_json(line: ChangedLine) -> dict[str, Any]:
    return {
        **_subject(line.subject),
        "roles_before": line.roles_before,
        "roles_after": line.roles_after,
        "gained_asks": _places(line.gained_asks),
        "gained_opens": _places(line.gained_opens),
        "lost_asks": _places(line.lost_asks),
        "lost_opens": _places(line.lost_opens),
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {"kind": subject.kind.value, "id": str(subject.id), "name": subject.name, "label": subject.label}


def _places(found: Places) -> dict[str, Any]:
    return {"scopes": [scope.key for scope in found.names], "hidden": found.hidden}


def _roles(cell: Cell | None) -> str:
    return ", ".join(role.label for role in cell.roles) if cell else ""


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
    """Yield what concerns everybody: the policy's own changes, or that nobody could reach anything."""
    for name, gained, kinds in register.policy_changes:
        said = f"{name}: {' '.join(kind.value for kind in kinds)}"
        yield _row(register, "gained" if gained else "lost", "everybody who could ask", way="question", kinds=said)
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
