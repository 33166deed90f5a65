"""Download a report's table or the list of events. These are made to be read, not to be verified.

The export of the log itself proves that nothing was changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db.models import Max, QuerySet
from django.utils import timezone

from apps.audit.errors import LogError, UnregisteredActionError
from apps.audit.models import Event, Leaf, Outcome
from apps.audit.registry import Group, event_class
from apps.audit.reporting.archive import archive_parts
from apps.audit.reporting.contracts import Cell, Report, Table
from apps.audit.reporting.delimited import csv_bytes
from apps.audit.reporting.events import EVENTS_EXPORTED, EXPORT_CUT_SHORT, REPORT_EXPORTED
from apps.audit.reporting.questions import before
from apps.audit.selectors import GroupState, Reading, readings_of
from apps.audit.services import record
from apps.audit.verify.package import README, evidence
from apps.errors import ApplicationError
from apps.tenants.context import current_scope, tenant_scope_ids
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.streaming import Part, scoped_stream

BATCH: Final = 500
# The name under which the record of an export lists what the API streams.
IN_ORDER: Final = "jsonl in order"
COLUMNS: Final = (
    "occurred_at",
    "event_id",
    "action",
    "what",
    "outcome",
    "actor_kind",
    "actor_id",
    "actor",
    "subject_type",
    "subject_id",
    "scope_ids",
    "intent",
    "policy_version",
    "core",
)


class ListFormat(StrEnum):
    CSV = "csv"
    JSON_LINES = "jsonl"
    PACKAGE = "zip"  # both lists, with the evidence of the log, its checkpoint and the verifier


def report_export(report: Report, table: Table, *, scope_id: UUID | None) -> bytes:
    """Return a table of a report as CSV, and record who downloaded it."""
    current_scope().principal.require(Permission.AUDIT_VIEW)
    record(
        action=REPORT_EXPORTED,
        core={
            "table": table.key,
            "first": report.period.first.isoformat(),
            "last": report.period.last.isoformat(),
            "step": report.period.step.value,
            "scope_id": str(scope_id) if scope_id else None,
            "rows": len(table.rows),
            "questions": report.looked.looked_at,
        },
    )
    return csv_bytes([table.columns, *table.rows])


def events_export(
    events: QuerySet[Event], *, format: ListFormat, filters: Mapping[str, str], batch: int = BATCH
) -> Iterator[bytes]:
    """Yield the events of a list in parts, newest first, and record who downloaded them.

    The record is in the open transaction. The parts are made when the response is sent, each in a separate transaction
    with the grants of that moment (see scoped_stream), so no part contains what the reader may not see. Of the payload
    only the core is included, never a question or an answer.

    Args:   events: filtered, of the open tenant; events that are recorded later than now are left out.
            filters: the filters as the event records them: names, ids and codes, no words that a person typed.
    Raises: PermissionDeniedError; LogError: the package contains the whole log, which requires all of its scopes;
            while the parts are made, what scoped_stream raises.
    """
    principal, now = current_scope().principal, timezone.now()
    principal.require(Permission.AUDIT_VIEW)
    wanted = events.filter(occurred_at__lte=now).order_by("-occurred_at", "-id")
    if format is ListFormat.PACKAGE and not reads_the_whole_log(principal):
        raise LogError("audit.whole_log")
    record(action=EVENTS_EXPORTED, core={"format": format.value, "events": wanted.count(), "filters": dict(filters)})
    return scoped_stream(
        principal,
        _package(wanted, batch, now) if format is ListFormat.PACKAGE else _parts(wanted, format, batch),
        scopes=principal.scope_ids,
        permission=Permission.AUDIT_VIEW,
        cut_short=_cut_short(principal, format.value),
    )


def events_in_order(
    events: QuerySet[Event],
    *,
    after: int | None,
    written: Callable[[Event], Mapping[str, Any]],
    filters: Mapping[str, str],
) -> Iterator[bytes]:
    """Yield events as lines of JSON in the order of the log, oldest first, and record who downloaded them.

    Each line states its place in the log. A reader who keeps the last place can ask for what comes after it and misses
    nothing, because an event that still waits for its place is in no export. Parts and their grants are as in
    events_export.

    Args:   events: filtered, of the open tenant. after: the last place that the reader has; None for all.
            written: the fields of a line except `index`. filters: as in events_export.
    Raises: PermissionDeniedError; while the parts are made, what scoped_stream raises.
    """
    principal = current_scope().principal
    principal.require(Permission.AUDIT_VIEW)
    batch = BATCH
    begin = 0 if after is None else after + 1
    last: int | None = Leaf.objects.aggregate(last=Max("index"))["last"]
    end = begin if last is None else last + 1
    record(
        action=EVENTS_EXPORTED,
        core={"format": IN_ORDER, "filters": dict(filters), "first": begin, "size": max(0, end - begin)},
    )

    def part(start: int) -> bytes:
        places = dict(
            Leaf.objects.filter(index__gte=start, index__lt=min(start + batch, end)).values_list("event_id", "index")
        )
        found = sorted(events.filter(id__any_of=list(places)).order_by(), key=lambda event: places[event.id])
        lines = ({"index": places[event.id], **written(event)} for event in found)
        return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines).encode()

    return scoped_stream(
        principal,
        (partial(part, start) for start in range(begin, end, batch)),
        scopes=principal.scope_ids,
        permission=Permission.AUDIT_VIEW,
        cut_short=_cut_short(principal, IN_ORDER),
    )


def _cut_short(principal: Principal, format: str) -> Callable[[ApplicationError, int], None]:
    def cut_short(error: ApplicationError, sent_bytes: int) -> None:
        record(
            action=EXPORT_CUT_SHORT,
            core={
                "format": format,
                "sent_bytes": sent_bytes,
                "error_code": error.code,
                "reader_kind": principal.kind.value,
                "reader_id": str(principal.id) if principal.id else None,
            },
            outcome=Outcome.FAILED,
        )

    return cut_short


def reads_the_whole_log(principal: Principal) -> bool:
    """Return whether the principal holds every scope of the tenant, since a log with gaps proves nothing. Costs: one
    query.
    """
    return tenant_scope_ids(principal.tenant_id) <= principal.scope_ids


def _package(events: QuerySet[Event], batch: int, now: datetime) -> Iterator[Part]:
    lists = {
        f"list.{format.value}": _parts(events, format, batch) for format in (ListFormat.CSV, ListFormat.JSON_LINES)
    }
    return archive_parts({"README.txt": [README.encode], **lists, **evidence()}, made_at=now)


def _parts(events: QuerySet[Event], format: ListFormat, batch: int) -> Iterator[Part]:
    last: list[Event] = []
    ended = False

    def part() -> bytes:
        nonlocal ended
        found = list((events.filter(before(last[-1])) if last else events)[:batch])
        written = _WRITERS[format](found, first=not last)
        ended = len(found) < batch
        last[:] = found[-1:]
        return written

    while not ended:
        yield part


def _csv(events: Iterable[Event], *, first: bool) -> bytes:
    return csv_bytes([*([COLUMNS] if first else ()), *(_cells(line) for line in _lines(events))])


def _json_lines(events: Iterable[Event], *, first: bool) -> bytes:
    lines = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in _lines(events))
    return "".join(lines).encode()


_WRITERS: Final[Mapping[ListFormat, Callable[..., bytes]]] = {
    ListFormat.CSV: _csv,
    ListFormat.JSON_LINES: _json_lines,
}


def _lines(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    page = list(events)
    readings = readings_of(page, groups=(Group.CORE,))
    for event in page:
        reading = readings[event.id]
        yield {
            "occurred_at": event.occurred_at.isoformat(),
            "event_id": str(event.id),
            "action": event.action,
            "what": _label(event.action),
            "outcome": event.outcome,
            "actor_kind": event.actor_kind,
            "actor_id": str(event.actor_id) if event.actor_id else None,
            "actor": event.actor_label,
            "subject_type": event.subject_type,
            "subject_id": str(event.subject_id) if event.subject_id else None,
            "scope_ids": [str(each) for each in event.scope_ids],
            "core_state": _state(reading),
            "core": reading.payload.get(Group.CORE),
            "commitments": event.commitments,
        }


def _cells(line: Mapping[str, Any]) -> list[Cell]:
    """Return the cells of a spreadsheet row: columns to sort by, and the core's state instead of its content."""
    core = line["core"] or {}
    flat = {
        **line,
        "scope_ids": " ".join(line["scope_ids"]),
        "intent": (core["intent"] or "unrecognised") if "intent" in core else "",
        "policy_version": core.get("policy_version"),
        "core": line["core_state"],
    }
    return [flat[name] for name in COLUMNS]


def _state(reading: Reading) -> str:
    return reading.states.get(Group.CORE, GroupState.INTACT).value if reading.states else "none"


def _label(action: str) -> str:
    """Return the label of the action in this release, or the action's name if the release does not know it."""
    try:
        return event_class(action).label
    except UnregisteredActionError:
        return action
