"""An event and its sealed groups, in one statement: the record is part of every question's latency."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.models import Event
from apps.audit.sealing import Sealed

# What can't stand in a term, between those of one group: PostgreSQL has no arrays of arrays of different lengths.
_BETWEEN: Final = "\x1f"
_INSERT: Final = """
    WITH event AS (
        INSERT INTO audit_event (
            id, tenant_id, scope_ids, action, outcome, occurred_at, actor_kind, actor_id, actor_label,
            subject_type, subject_id, commitments
        ) VALUES (
            %(id)s, %(tenant)s, %(scopes)s::uuid[], %(action)s, %(outcome)s, %(at)s, %(actor_kind)s, %(actor)s,
            %(label)s, %(subject_type)s, %(subject)s, %(commitments)s::jsonb
        )
    ), waiting AS (
        INSERT INTO audit_unsealed (tenant_id, event_id) VALUES (%(tenant)s, %(id)s)
    )
    INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms)
    SELECT %(tenant)s, %(id)s, %(scopes)s::uuid[], part.name, part.ciphertext, %(key)s,
           string_to_array(part.terms, %(between)s)
      FROM unnest(%(names)s::text[], %(ciphertexts)s::bytea[], %(terms)s::text[]) AS part (name, ciphertext, terms)
"""


def insert_event(
    event: Event, sealed: Mapping[str, Sealed], *, key_id: UUID, terms: Mapping[str, Sequence[str]]
) -> None:
    """Insert both, and the row by which the event waits for its leaf; from then on it counts as one that was read.

    Args: event: made and not saved, with its id.
          sealed, terms: by group.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT,
            {
                "id": event.id,
                "tenant": event.tenant_id,
                "scopes": list(event.scope_ids),
                "action": event.action,
                "outcome": str(event.outcome),
                "at": event.occurred_at,
                "actor_kind": event.actor_kind,
                "actor": event.actor_id,
                "label": event.actor_label,
                "subject_type": event.subject_type,
                "subject": event.subject_id,
                "commitments": json.dumps(event.commitments),
                "key": key_id,
                "between": _BETWEEN,
                "names": list(sealed),
                "ciphertexts": [each.ciphertext for each in sealed.values()],
                "terms": [_BETWEEN.join(terms[group]) for group in sealed],
            },
        )
    event._state.adding, event._state.db = False, connection.alias
