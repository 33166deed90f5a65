"""Stores of rows that the database keeps from everybody as long as their tenant is there: with it they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import connection

from apps.erasure.contracts import Target, TargetType
from apps.erasure.stores.rows import ids
from apps.tenants.context import current_scope
from apps.tenants.personal_data import TenantStore

_OF_TENANT: Final = frozenset({TargetType.TENANT})


class TenantRows(TenantStore):
    """A store of whole tables as they are declared. See Store in contracts.py."""

    @property
    def types(self) -> frozenset[TargetType]:
        return _OF_TENANT

    def count(self, targets: Sequence[Target]) -> int:
        """Costs: one query; none where no tenant is among the targets."""
        if not names_tenant(targets):
            return 0
        each = (f"(SELECT count(*) FROM {table} WHERE tenant_id = %(tenant)s)" for table in self.tables)  # noqa: S608
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {' + '.join(each)}", {"tenant": current_scope().tenant_id})
            return int(cursor.fetchone()[0])

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """Costs: a query for each table that is empty already, and one more."""
        removed = 0
        with connection.cursor() as cursor:
            for table in self.tables if names_tenant(targets) else ():
                cursor.execute("SELECT audit_remove_of_tenant(%s, %s)", [table, limit - removed])
                removed += int(cursor.fetchone()[0])
                if removed >= limit:
                    break
        return removed


def names_tenant(targets: Sequence[Target]) -> bool:
    """Whether the open tenant is among the targets."""
    return current_scope().tenant_id in ids(targets, TargetType.TENANT)
