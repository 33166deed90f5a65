"""What the directory holds of a person, a scope or a tenant: memberships, grants, keys, answers kept, accounts.

The app itself lies below this one and can't register its own. Keys of stores sort as foreign keys point: accounts are
emptied while their memberships still tell whose they are, and grants go before what they are given to.

A scope's row stays, without its name: the events of the log are read by who holds all scopes of theirs, so that without
the row nobody could verify them any more. A tenant's row stays likewise, as the fact that there was one.

Where something in a scope or tenant is held, all of this waits: whoever answers for the hold must be able to sign in.
"""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import Phase, TargetType
from apps.erasure.stores.rows import OF_SCOPE, OF_TENANT, SCOPES_BELOW, Rows

# Of a document: corpus.answers_kept.
REQUESTS: Final = Rows(
    key="tenants.requests",
    label="Answers kept for repeated requests",
    phase=Phase.CACHES,
    table="tenants_idempotentrequest",
    found_by={
        TargetType.USER: "t.principal_kind = 'user' AND t.principal_id = ANY (%(user)s::uuid[])",
        # The answer to who made a scope names it, and lies in the scope above.
        TargetType.SCOPE: f"(t.scope_ids && {SCOPES_BELOW} OR t.subject_id = ANY ({SCOPES_BELOW}))",
        TargetType.TENANT: OF_TENANT,
    },
)
GRANTS: Final = Rows(
    key="tenants.access_grants",
    label="Grants of scopes",
    phase=Phase.ACCOUNTS,
    table="tenants_grant",
    waits_for_holds=True,
    found_by={
        TargetType.USER: (
            "t.membership_id = ANY (ARRAY(SELECT m.id FROM tenants_membership m "
            "WHERE m.tenant_id = %(open_tenant)s AND m.user_id = ANY (%(user)s::uuid[]))) "
            "OR t.api_key_id = ANY (ARRAY(SELECT k.id FROM tenants_apikey k "
            "WHERE k.tenant_id = %(open_tenant)s AND k.person_id = ANY (%(user)s::uuid[])))"
        ),
        TargetType.SCOPE: OF_SCOPE,
        TargetType.TENANT: OF_TENANT,
    },
)
# A key that was rotated is pointed at by its successor, which goes first.
KEYS: Final = Rows(
    key="tenants.access_keys",
    label="API keys that act for a person",
    phase=Phase.ACCOUNTS,
    table="tenants_apikey",
    waits_for_holds=True,
    found_by={TargetType.USER: "t.person_id = ANY (%(user)s::uuid[])", TargetType.TENANT: OF_TENANT},
    when=("NOT EXISTS (SELECT FROM tenants_apikey s WHERE s.tenant_id = t.tenant_id AND s.rotated_from_id = t.id)"),
)
MEMBERSHIPS: Final = Rows(
    key="tenants.access_memberships",
    label="Memberships",
    phase=Phase.ACCOUNTS,
    table="tenants_membership",
    waits_for_holds=True,
    found_by={TargetType.USER: "t.user_id = ANY (%(user)s::uuid[])", TargetType.TENANT: OF_TENANT},
)
SCOPES: Final = Rows(
    key="tenants.scopes",
    label="Names of scopes",
    phase=Phase.ACCOUNTS,
    table="tenants_scope",
    waits_for_holds=True,
    found_by={
        TargetType.SCOPE: f"t.id = ANY ({SCOPES_BELOW}) AND t.key <> 'erased:' || t.id",
        TargetType.TENANT: f"{OF_TENANT} AND t.key <> 'erased:' || t.id",
    },
    emptied={"key": "'erased:' || t.id", "name": "'Erased scope'"},
)
# Nobody may sign in to it from then on.
TENANT: Final = Rows(
    key="tenants.tenant",
    label="The tenant's name",
    phase=Phase.KEYS,
    table="tenants_tenant",
    waits_for_holds=True,
    found_by={TargetType.TENANT: "t.id = ANY (%(tenant)s::uuid[]) AND t.slug <> 'erased-' || t.id"},
    emptied={"slug": "'erased-' || t.id", "name": "'Erased tenant'", "status": "'suspended'"},
    tenant_column="id",
)
