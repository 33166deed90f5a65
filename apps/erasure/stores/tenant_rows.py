"""Stores of rows that the database keeps from everybody as long as their tenant is there: with it they go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import connection

from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.stores.rows import ids
from apps.tenants.context import current_scope

_OF_TENANT: Final = frozenset({TargetType.TENANT})


@dataclass(slots=True, kw_only=True, eq=False)
class TenantRows:
    """A store of whole tables. See Store in contracts.py.

    Args: tables: in the order in which they are emptied; each with RemovedWithTenant in its migration, by which the
              database lets audit_remove_of_tenant at them, for a run that names the tenant and is being carried out.
    """

    key: str
    label: str
    phase: Phase
    tables: tuple[str, ...]
    waits_for_holds: bool = False

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
