"""An event and its sealed groups, in one statement: the record is part of every question's latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.models import Event
from apps.audit.sealing import Sealed

# What can't stand in a term, between those of one group: PostgreSQL has no arrays of arrays of different lengths.
_BETWEEN: Final = "\x1f"
_RECORD: Final = """
    SELECT audit_record(%s, %s::uuid[], %s, %s, %s, %s, %s, %s::text[], %s::bytea[], %s::bytea[], %s::text[])
"""


def insert_event(
    event: Event, sealed: Mapping[str, Sealed], *, key_id: UUID, terms: Mapping[str, Sequence[str]]
) -> None:
    """Insert both, and the row by which the event waits for its leaf; from then on it counts as one that was read.

    The database takes the tenant and the actor from the token, and the time from its own clock, which the event has
    afterwards (apps/audit/sql/recording.sql).

    Args: event: made and not saved, with its id.
          sealed, terms: by group.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _RECORD,
            [
                event.id,
                list(event.scope_ids),
                event.action,
                str(event.outcome),
                event.subject_type,
                event.subject_id,
                key_id,
                list(sealed),
                [each.commitment for each in sealed.values()],
                [each.ciphertext for each in sealed.values()],
                [_BETWEEN.join(terms[group]) for group in sealed],
            ],
        )
        event.occurred_at = cursor.fetchone()[0]
    event._state.adding, event._state.db = False, connection.alias
