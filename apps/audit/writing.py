"""Insert an event and its sealed groups in one statement, because recording adds to the latency of every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.models import Event
from apps.audit.sealing import Sealed

# The separator of the terms of one group, which no term can contain. PostgreSQL has no arrays of arrays of different
# lengths.
_BETWEEN: Final = "\x1f"
_RECORD: Final = """
    SELECT audit_record(%s, %s::uuid[], %s, %s, %s, %s, %s, %s::text[], %s::bytea[], %s::bytea[], %s::text[])
"""


def insert_event(
    event: Event, sealed: Mapping[str, Sealed], *, key_id: UUID, terms: Mapping[str, Sequence[str]]
) -> None:
    """Insert an event, its groups, and the row by which the event waits for its leaf.

    The database takes the tenant and the actor from the token, and the time from its own clock; this sets the time on
    the event (apps/audit/sql/recording.sql). Afterwards the event counts as one that was read from the database.

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
