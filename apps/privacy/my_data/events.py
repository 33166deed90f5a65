"""The events of this package: a person exported their own data, or the export ended early."""

from __future__ import annotations

from typing import Final

from apps.audit.registry import ANYBODY, EventClass, Group, register

MY_DATA_EXPORTED: Final = "audit.my_data.exported"
MY_DATA_CUT_SHORT: Final = "audit.my_data.cut_short"


def register_subject_access_events() -> None:
    register(
        EventClass(
            action=MY_DATA_EXPORTED,
            label="Own data downloaded",
            fields={Group.CORE: frozenset({"format", "categories", "events", "unreached_events"})},
            permissions=ANYBODY,
        ),
        EventClass(
            action=MY_DATA_CUT_SHORT,
            label="Download of own data incomplete",
            fields={Group.CORE: frozenset({"format", "sent_bytes", "error_code", "user_id"})},
        ),
    )
