"""Payloads of the log's first form, sealed in its second. Part of migration 0002.

Rights and triggers keep everybody from changing an event, the owner included, so the wall is taken down for the length
of this transaction: what the migration needs as the tables' owner, and nothing that outlives it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

_BATCH = 500
_TABLES = ("audit_event", "audit_payload", "audit_datakey")

# Rows are not sealed twice, and a payload is as hard to read as its event. Immediate: an event is there before it.
FOREIGN_KEY = (
    "ALTER TABLE audit_payload ADD CONSTRAINT audit_payload_event_fk FOREIGN KEY (tenant_id, event_id, scope_ids) "
    "REFERENCES audit_event (tenant_id, id, scope_ids)"
)


def lower_wall(apps, schema_editor) -> None:
    unforced(apps, schema_editor)
    schema_editor.execute(FOREIGN_KEY)


def unforced(apps, schema_editor) -> None:
    """The owner sees all rows, until raise_wall."""
    for table in _TABLES:
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")


def raise_wall(apps, schema_editor) -> None:
    # Foreign keys that wait for the end of the transaction would keep the tables from being altered.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table in _TABLES:
        schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def seal_all(apps, schema_editor) -> None:
    """Batch by batch, in one transaction: afterwards every event has its commitments, or nothing has changed."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM audit_event)")
        if not cursor.fetchone()[0]:
            return
        cursor.execute("ALTER TABLE audit_event DISABLE TRIGGER audit_event_append_only")
        last, keys = "00000000-0000-0000-0000-000000000000", {}
        while rows := _batch(cursor, last):
            last = rows[-1][0]
            _seal_batch(cursor, rows, keys)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE audit_event ENABLE TRIGGER audit_event_append_only")


def forget_plain(apps, schema_editor) -> None:
    """Dropping a column leaves its bytes in the file; rewriting the table into a new one does not."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM audit_event)")
        if cursor.fetchone()[0]:
            cursor.execute("CLUSTER audit_event USING audit_event_pkey")
            cursor.execute("ALTER TABLE audit_event SET WITHOUT CLUSTER")


def refuse_if_sealed(apps, schema_editor) -> None:
    """Backwards: an empty log alone. What was sealed is not written in plain again."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM audit_event)")
        if cursor.fetchone()[0]:
            raise RuntimeError(
                "audit 0002 can't be taken back: the log holds events with sealed payloads, which the release before "
                "can't read. Restore that release's backup instead."
            )


def _batch(cursor, last):
    cursor.execute(
        "SELECT id, tenant_id, scope_ids, actor_label, payload FROM audit_event WHERE id > %s ORDER BY id LIMIT %s",
        [last, _BATCH],
    )
    return cursor.fetchall()


def _seal_batch(cursor, rows, keys) -> None:
    from apps.audit.registry import ACTOR_LABEL, Group
    from apps.audit.sealing import Place, seal
    from apps.audit.terms import terms_of

    payloads, commitments = [], []
    for id, tenant, scopes, label, stored in rows:
        if tenant not in keys:
            keys[tenant] = _data_key(cursor, tenant)
        key_id, key = keys[tenant]
        payload = stored if isinstance(stored, dict) else json.loads(stored)
        payload["actor"] = {**payload.get(Group.ACTOR, {}), ACTOR_LABEL: label}
        sealed = {
            group: seal(values, place=Place(tenant_id=tenant, event_id=id, group=group), key=key)
            for group, values in payload.items()
        }
        commitments.append((json.dumps({group: each.commitment.hex() for group, each in sealed.items()}), id, tenant))
        payloads += [
            (tenant, id, scopes, group, each.ciphertext, key_id, terms_of(group, payload[group]))
            for group, each in sealed.items()
        ]
    cursor.executemany("UPDATE audit_event SET commitments = %s WHERE id = %s AND tenant_id = %s", commitments)
    cursor.executemany(
        "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms) "
        "VALUES (%s, %s, %s::uuid[], %s, %s, %s, %s::text[])",
        payloads,
    )


def _data_key(cursor, tenant):
    """A key of the period that is now, which the application will go on with."""
    import secrets

    from apps.audit.digests import epoch
    from apps.audit.ids import new_id
    from apps.audit.keys.data_keys import KEY_BYTES, key_context, key_provider

    id, key = new_id(), secrets.token_bytes(KEY_BYTES)
    wrapped = key_provider().wrap(key, context=key_context(tenant=tenant, key_id=id))
    cursor.execute(
        "INSERT INTO audit_datakey (id, tenant_id, epoch, kek_id, wrapped_key) VALUES (%s, %s, %s, %s, %s)",
        [id, tenant, epoch(datetime.now(UTC)), wrapped.kek_id, wrapped.wrapped],
    )
    return id, key
