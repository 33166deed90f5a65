"""Rows of the log as somebody would leave them who got past audit_record: by an earlier release, or as the owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import current_data_key
from apps.audit.models import Event, Payload, Unsealed
from apps.audit.sealing import SealBinding, Sealed, seal
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.conftest import admin_dsn

_TABLES = "audit_event, audit_payload, audit_unsealed"
ANSWERED = "retrieval.question.answered"


def able(principal: Principal) -> Principal:
    """Them with every role: for a world in which somebody did what their role does not let them."""
    return replace(principal, roles=frozenset(Role))


@contextmanager
def superuser() -> Iterator[psycopg.Connection[Any]]:
    """A connection to the test's database that no trigger, constraint or policy stops; it commits at the end."""
    with psycopg.connect(admin_dsn(), dbname=settings.TEST_DATABASE) as opened:
        opened.execute("SET session_replication_role = replica")
        yield opened


@contextmanager
def insertable() -> Iterator[None]:
    """The rights to insert that the runtime role had in an earlier release, while the block lasts."""
    role = connection.settings_dict["USER"]
    with psycopg.connect(admin_dsn(), dbname=settings.TEST_DATABASE, autocommit=True) as administrator:
        administrator.execute(f"GRANT INSERT ON {_TABLES} TO {role}")
        try:
            yield
        finally:
            administrator.execute(f"REVOKE INSERT ON {_TABLES} FROM {role}")


@contextmanager
def recorded_at(at: datetime) -> Iterator[None]:
    """What is recorded in the block was recorded then: the database, which goes by its own clock, is not asked."""
    with (
        patch("apps.audit.services.timezone", SimpleNamespace(now=lambda: at)),
        patch("apps.audit.services.insert_event", _insert_by_hand),
    ):
        yield


def _insert_by_hand(
    event: Event, sealed: Mapping[str, Sealed], *, key_id: UUID, terms: Mapping[str, Sequence[str]]
) -> None:
    with insertable():
        event.save(force_insert=True)
        Unsealed.objects.create(tenant_id=event.tenant_id, event_id=event.id)
        Payload.objects.bulk_create(
            Payload(
                tenant_id=event.tenant_id,
                event_id=event.id,
                scope_ids=event.scope_ids,
                group=group,
                ciphertext=each.ciphertext,
                data_key_id=key_id,
                terms=terms[group],
            )
            for group, each in sealed.items()
        )


def bare_event(commitments: Mapping[str, str], **fields: Any) -> Event:
    """The row of an event, without a payload."""
    values = {
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
    with insertable():
        event: Event = Event.objects.create(**values)
    return event


def sealed_for(event: Event, group: str, values: Mapping[str, Any]) -> Sealed:
    place = SealBinding(tenant_id=event.tenant_id, event_id=event.id, group=group)
    return seal(values, place=place, key=current_data_key(current_scope().tenant_id, event.occurred_at).key)


def add_group(event: Event, group: str, ciphertext: bytes, **fields: Any) -> Payload:
    key = current_data_key(current_scope().tenant_id, event.occurred_at)
    values = {
        "tenant_id": event.tenant_id,
        "event_id": event.id,
        "scope_ids": event.scope_ids,
        "group": group,
        "ciphertext": ciphertext,
        "data_key_id": key.id,
        **fields,
    }
    with insertable():
        row: Payload = Payload.objects.create(**values)
    return row
