"""Events as somebody who writes rows by hand would leave them, made within what the runtime role may do: insert."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import current_data_key
from apps.audit.models import Event, Payload
from apps.audit.sealing import Place, Sealed, seal
from apps.tenants.context import current_scope

ANSWERED = "retrieval.question.answered"


def bare_event(commitments: Mapping[str, str], **fields: Any) -> Event:
    """The row of an event, without a payload."""
    event: Event = Event.objects.create(
        **{
            "id": new_id(),
            "tenant_id": current_scope().tenant_id,
            "scope_ids": [],
            "action": ANSWERED,
            "outcome": "success",
            "occurred_at": timezone.now(),
            "actor_kind": "system",
            "actor_label": "system",
            "commitments": dict(commitments),
            **fields,
        }
    )
    return event


def sealed_for(event: Event, group: str, values: Mapping[str, Any]) -> Sealed:
    place = Place(tenant_id=event.tenant_id, event_id=event.id, group=group)
    return seal(values, place=place, key=current_data_key(current_scope().tenant_id, event.occurred_at).key)


def add_group(event: Event, group: str, ciphertext: bytes, **fields: Any) -> Payload:
    key = current_data_key(current_scope().tenant_id, event.occurred_at)
    row: Payload = Payload.objects.create(
        **{
            "tenant_id": event.tenant_id,
            "event_id": event.id,
            "scope_ids": event.scope_ids,
            "group": group,
            "ciphertext": ciphertext,
            "data_key_id": key.id,
            **fields,
        }
    )
    return row
