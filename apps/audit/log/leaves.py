"""The leaf of an event as the database holds it."""

from __future__ import annotations

from apps.audit.canonical import event_header, leaf_hash
from apps.audit.models import Event


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
