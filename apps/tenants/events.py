"""Recording of events by this app. The audit app, which lies above this one, connects its writer here.

Without a writer every action fails, because an action that can't be recorded must not happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

from apps.tenants.ids import ScopeId

Writer = Callable[..., object]

_writer: Writer | None = None


def connect(writer: Writer) -> None:
    global _writer
    _writer = writer


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
    if _writer is None:
        raise RuntimeError("no audit writer is connected; is apps.audit installed?")
    _writer(
        action=action,
        core=core,
        question=question,
        actor=actor,
        outcome=outcome,
        subject_type=subject_type,
        subject_id=subject_id,
        scopes=scopes,
    )
