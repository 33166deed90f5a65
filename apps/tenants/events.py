"""Recording of events by this room, through the writer that the room audit registers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from apps.tenants.ids import ScopeId
from apps.tenants.registry import write_event


def emit(
    *,
    action: str,
    core: Mapping[str, Any],
    actor: Mapping[str, Any] | None = None,
    question: Mapping[str, Any] | None = None,
    outcome: str = "success",
    subject_type: str = "",
    subject_id: UUID | None = None,
    scopes: Iterable[ScopeId] = (),
) -> None:
    """Record an action of the open scope's principal, in the current transaction."""
    write_event(
        action=action,
        core=core,
        question=question,
        actor=actor,
        outcome=outcome,
        subject_type=subject_type,
        subject_id=subject_id,
        scopes=scopes,
    )
