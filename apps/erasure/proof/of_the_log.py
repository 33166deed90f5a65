"""What is looked for of parts of events, and of what the directory below holds, which can't register its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

import psycopg

from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.looked_for import LookedFor, Made, slices_of
from apps.erasure.registry import register_looked_for

_OF: Final = "WHERE tenant_id = %(tenant)s AND"
_PART: Final = f"{_OF} event_id = %(item)s AND field_group = %(part)s"
# As Accounts (stores/accounts.py) has it: a person whom another tenant has too keeps the account.
_ACCOUNT: Final = (
    "tenants_user u WHERE u.id = %(item)s AND NOT u.is_superuser AND EXISTS (SELECT FROM tenants_membership m "
    "WHERE m.user_id = u.id AND m.tenant_id = %(tenant)s) AND NOT EXISTS (SELECT FROM tenants_membership m "
    "WHERE m.user_id = u.id AND m.tenant_id <> %(tenant)s)"
)
# Those who go with the tenant.
_ACCOUNTS: Final = (
    "tenants_user u WHERE %(item)s = %(tenant)s AND NOT u.is_superuser AND EXISTS (SELECT FROM tenants_membership m "
    "WHERE m.user_id = u.id AND m.tenant_id = %(tenant)s) AND NOT EXISTS (SELECT FROM tenants_membership m "
    "WHERE m.user_id = u.id AND m.tenant_id <> %(tenant)s)"
)
_NAMES: Final = "unnest(ARRAY[u.username, u.email, u.last_name, trim(u.first_name || ' ' || u.last_name)])"
_QUERIES: Final = (
    (TargetType.EVENT_GROUP, Made.BYTES, slices_of("ciphertext"), f"audit_payload {_PART}"),
    (TargetType.EVENT_GROUP, Made.TEXT, "actor_label", f"audit_event {_OF} id = %(item)s AND %(part)s = 'actor'"),
    (TargetType.USER, Made.TEXT, _NAMES, _ACCOUNT),
    (TargetType.TENANT, Made.TEXT, _NAMES, _ACCOUNTS),
    (TargetType.SCOPE, Made.TEXT, "unnest(ARRAY[key, name])", f"tenants_scope {_OF} id = %(item)s"),
    (
        TargetType.TENANT,
        Made.TEXT,
        "unnest(ARRAY[slug, name])",
        "tenants_tenant WHERE id = %(tenant)s AND id = %(item)s",
    ),
    (TargetType.TENANT, Made.BYTES, slices_of("wrapped_key"), f"audit_datakey {_OF} tenant_id = %(item)s"),
)


def accounts_that_go(connection: psycopg.Connection[Any], *, tenant_id: UUID, targets: Iterable[Target]) -> set[UUID]:
    """The accounts that are emptied with the tenant, where it is among the targets: their rows name no tenant."""
    if not any(target.type is TargetType.TENANT for target in targets):
        return set()
    rows = connection.execute(f"SELECT u.id FROM {_ACCOUNTS}".encode(), {"tenant": tenant_id, "item": tenant_id})  # noqa: S608
    return {row[0] for row in rows}


def register_looked_for_here() -> None:
    register_looked_for(
        *(
            LookedFor(type=type, made=made, value=value, of=of, is_name=value is _NAMES)
            for type, made, value, of in _QUERIES
        )
    )
