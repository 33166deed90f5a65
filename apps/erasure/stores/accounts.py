"""Accounts: of the platform, not of a tenant, and so emptied only where no other tenant has the person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import connection

from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.stores.rows import ids
from apps.tenants.context import current_scope, open_identity
from apps.tenants.ids import UserId
from apps.tenants.tokens import Identity

# An administrator of the platform has the account for the platform's own purpose, whatever tenants they belong to.
_TO_EMPTY: Final = """
    FROM tenants_user u WHERE u.id = %(user)s AND u.username <> 'erased-' || u.id
     AND NOT tenants_of_account(u.id, u.username, 'is_superuser')::boolean
     AND NOT EXISTS (SELECT FROM tenants_membership m WHERE m.user_id = u.id AND m.tenant_id <> %(open_tenant)s)
"""
_EMPTY: Final = f"""
    UPDATE tenants_user t
       SET username = 'erased-' || t.id, first_name = '', last_name = '', email = '', password = %(password)s,
           last_login = NULL, is_active = false, is_staff = false
     WHERE t.id = (SELECT u.id {_TO_EMPTY})
"""  # noqa: S608 (constants)


class Accounts:
    """Names, address and password of a person who belongs to this tenant alone; of a tenant, those of its members.

    The row stays, and is nobody's: versions of policies point at it, and it keeps the id from being given again. An
    account whose person is, or was, a member of another tenant is not this tenant's to empty: that one answers for it
    by itself, and this one sees nothing of it once its memberships are gone. It counts zero here. So does the account
    of an administrator of the platform.

    Sessions are not searched for: their content is sealed under a key that only the browser has. An emptied account has
    no password, which ends them at once; the rows go within the hour after they end (eight hours at most).

    Costs: five queries a person, since a transaction sees the other tenants of one person at a time.
    """

    key = "tenants.access_accounts"
    label = "Accounts of people who belong to no other tenant"
    phase = Phase.ACCOUNTS
    tables = ("tenants_user", "tenants_credential")
    types = frozenset({TargetType.USER, TargetType.TENANT})
    waits_for_holds = True

    def count(self, targets: Sequence[Target]) -> int:
        return sum(self._asked(user, f"SELECT count(*) {_TO_EMPTY}") for user in self._people(targets))

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        emptied = 0
        for user in self._people(targets):
            if emptied >= limit:
                break
            with open_identity(Identity(user=UserId(user))), connection.cursor() as cursor:
                cursor.execute(_EMPTY, {**self._parameters(user), "password": make_password(None)})
                emptied += cursor.rowcount
        return emptied

    def _people(self, targets: Sequence[Target]) -> list[UUID]:
        """Those who belong to the open tenant, or did: another's people are none of its business."""
        users, tenant = ids(targets, TargetType.USER), current_scope().tenant_id
        of_tenant = tenant in ids(targets, TargetType.TENANT)
        if not users and not of_tenant:
            return []
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT DISTINCT user_id FROM tenants_membership WHERE tenant_id = %s "
                "AND (%s OR user_id = ANY (%s::uuid[])) ORDER BY 1",
                [tenant, of_tenant, users],
            )
            return [row[0] for row in cursor.fetchall()]

    def _asked(self, user: UUID, query: str) -> int:
        with open_identity(Identity(user=UserId(user))), connection.cursor() as cursor:
            cursor.execute(query, self._parameters(user))
            return int(cursor.fetchone()[0])

    def _parameters(self, user: UUID) -> dict[str, UUID]:
        return {"user": user, "open_tenant": current_scope().tenant_id}
