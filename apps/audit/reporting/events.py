"""The events of this package: who downloaded figures or a list from the log."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register
from apps.tenants.roles import Permission

REPORT_EXPORTED = "audit.report.exported"
EVENTS_EXPORTED = "audit.events.exported"
EXPORT_CUT_SHORT = "audit.events.export_cut_short"

_CUT_SHORT = frozenset({"format", "sent_bytes", "error_code", "reader_kind", "reader_id"})


def register_reporting_events() -> None:
    register(
        EventClass(
            action=REPORT_EXPORTED,
            label="Report downloaded",
            fields={Group.CORE: frozenset({"table", "first", "last", "step", "scope_id", "rows", "questions"})},
            permissions=frozenset({Permission.AUDIT_VIEW}),
        ),
        EventClass(
            action=EVENTS_EXPORTED,
            label="List of events downloaded",
            fields={Group.CORE: frozenset({"format", "events", "filters", "first", "size"})},
            permissions=frozenset({Permission.AUDIT_VIEW}),
        ),
        EventClass(
            action=EXPORT_CUT_SHORT,
            label="List of events cut short",
            fields={Group.CORE: _CUT_SHORT},
        ),
    )
