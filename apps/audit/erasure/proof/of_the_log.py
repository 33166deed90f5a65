"""What is looked for of parts of events, and of what the directory below holds, which can't register its own."""

from __future__ import annotations

from typing import Final

from apps.audit.erasure.contracts import TargetType
from apps.audit.erasure.proof.looked_for import LookedFor, Made, register_looked_for, slices_of

_PART: Final = "tenant_id = %(tenant)s AND event_id = %(item)s AND field_group = %(part)s"
# As Accounts (erasure/accounts.py) has it: another tenant's person keeps the account.
_ACCOUNT: Final = (
    "FROM tenants_user u WHERE u.id = %(item)s AND NOT u.is_superuser AND EXISTS (SELECT FROM tenants_membership m "
    "WHERE m.user_id = u.id AND m.tenant_id = %(tenant)s) AND NOT EXISTS (SELECT FROM tenants_membership m "
    "WHERE m.user_id = u.id AND m.tenant_id <> %(tenant)s)"
)
_QUERIES: Final = (
    (TargetType.EVENT_GROUP, Made.BYTES, f"SELECT {slices_of('ciphertext')} AS value FROM audit_payload WHERE {_PART}"),
    (
        TargetType.EVENT_GROUP,
        Made.TEXT,
        "SELECT actor_label AS value FROM audit_event "
        "WHERE tenant_id = %(tenant)s AND id = %(item)s AND %(part)s = 'actor'",
    ),
    (
        TargetType.USER,
        Made.TEXT,
        "SELECT unnest(ARRAY[u.username, u.email, u.last_name, trim(u.first_name || ' ' || u.last_name)]) AS value "
        + _ACCOUNT,
    ),
    (
        TargetType.SCOPE,
        Made.TEXT,
        "SELECT unnest(ARRAY[key, name]) AS value FROM tenants_scope WHERE tenant_id = %(tenant)s AND id = %(item)s",
    ),
    (
        TargetType.TENANT,
        Made.TEXT,
        "SELECT unnest(ARRAY[slug, name]) AS value FROM tenants_tenant WHERE id = %(item)s AND id = %(tenant)s",
    ),
    (
        TargetType.TENANT,
        Made.BYTES,
        f"SELECT {slices_of('wrapped_key')} AS value FROM audit_datakey "
        "WHERE tenant_id = %(tenant)s AND tenant_id = %(item)s",
    ),
)


def register_looked_for_here() -> None:
    register_looked_for(*(LookedFor(type=type, made=made, sql=sql) for type, made, sql in _QUERIES))
