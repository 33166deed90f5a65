"""The rows of what a restore brought back: where their needles lie, and a step of one, stated in the log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from apps.audit.services import record
from apps.erasure.certificate.restored import restored_statement
from apps.erasure.events import RESTORED_STATED
from apps.erasure.models import Restoration
from apps.erasure.residue.access import Access


def folder_of(access: Access) -> Path:
    """Where needles of restorations lie. Another database than the configured one has a folder of its own, which the
    prover of the configured one does not tidy."""
    configured = str(settings.DATABASES["default"]["NAME"])
    return access.home if access.database == configured else access.home / "databases" / access.database


def state_restoration(row: Restoration, *, fields: Sequence[str]) -> None:
    """Save a step of a restoration, and state it in the log, in one transaction. Args: fields: besides the step's."""
    event = record(
        action=RESTORED_STATED,
        core={"restoration": str(row.id), "state": row.state, "statement": restored_statement(row)},
        subject_type="restoration",
        subject_id=row.id,
    )
    row.end_events = [*row.end_events, event.id]
    row.save(update_fields=["state", "error_code", "end_events", *fields])
