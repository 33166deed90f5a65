"""The audit events of facts."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register
from apps.tenants.roles import Permission

EXPORTED = "filings.facts.exported"


def register_events() -> None:
    register(
        EventClass(
            action=EXPORTED,
            label="Figures downloaded",
            fields={Group.CORE: frozenset({"format", "rows", "documents"})},
            permissions=frozenset({Permission.DOCUMENT_VIEW}),
        )
    )
