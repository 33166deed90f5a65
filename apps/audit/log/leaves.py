"""The leaf of an event as the database holds it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from apps.audit.canonical import event_header, leaf_hash
from apps.audit.fast_leaves import IS_COMMITMENT, fast_leaf_hash
from apps.audit.models import Event

# Of a time that a header can have. A timestamp by itself would be parsed in Python, at a third of the cost of a leaf.
SECONDS: Final = """
    CASE WHEN e.occurred_at BETWEEN '0001-01-02' AND '9999-12-30'
         THEN floor(extract(epoch FROM e.occurred_at))::bigint END
"""
COLUMNS: Final = f"""
    e.id, e.action, e.outcome, {SECONDS} AS seconds, e.actor_kind, e.actor_id, e.subject_type, e.subject_id,
    e.scope_ids, e.commitments::text AS commitments
"""
"""What leaf_of_row takes, of an event e."""
_NAMES: Final = (
    "event_id",
    "action",
    "outcome",
    "seconds",
    "actor_kind",
    "actor_id",
    "subject_type",
    "subject_id",
    "scope_ids",
)


def leaf_of(event: Event) -> bytes:
    """32 bytes: canonical.leaf_hash of the event's header and commitments."""
    header = event_header(
        tenant_id=event.tenant_id,
        event_id=event.id,
        action=event.action,
        outcome=event.outcome,
        occurred_at=event.occurred_at,
        actor_kind=event.actor_kind,
        actor_id=event.actor_id,
        subject_type=event.subject_type,
        subject_id=event.subject_id,
        scope_ids=event.scope_ids,
    )
    return leaf_hash(header, event.commitments)


def leaf_of_row(tenant_id: UUID, row: Sequence[Any]) -> bytes:
    """The same of the columns, at a third of the cost (apps/audit/fast_leaves.py).

    What a column should not hold is left to leaf_of, and with it the judgement whether it has a leaf at all.
    """
    columns: dict[str, Any] = dict(zip(_NAMES, row, strict=False))
    commitments = json.loads(row[-1])
    if columns["seconds"] is None or not _are_commitments(commitments):
        return leaf_of(Event.objects.get(id=columns["event_id"]))
    return fast_leaf_hash(**columns, tenant_id=tenant_id, commitments=commitments)


def _are_commitments(value: Any) -> bool:
    return type(value) is dict and all(type(each) is str and IS_COMMITMENT(each) for each in value.values())
