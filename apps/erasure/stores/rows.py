"""What most stores are: rows of one table, found by a column for each type of target, removed or emptied in parts.

Plain statements: the ORM would read every passage in order to delete it. They name ids of the open tenant alone, and
the wall keeps them to the scopes that are open: whoever removes opens all of the tenant's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from apps.erasure.contracts import WHOLE, Target, TargetType
from apps.erasure.registry import kept_within
from apps.tenants.context import current_scope
from apps.tenants.personal_data import RowStore


class Rows(RowStore):
    """A store of rows as they are declared. See Store in contracts.py."""

    @property
    def types(self) -> frozenset[TargetType]:
        """The types of target that it may hold something of."""
        return frozenset(self.found_by)

    def count(self, targets: Sequence[Target]) -> int:
        """Costs: one query, and those of kept_within; none where no target concerns the store."""
        found = self._condition(targets)
        if found is None:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {self.table} t WHERE {found}", self._parameters(targets))  # noqa: S608
            return int(cursor.fetchone()[0])

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """Costs: as count."""
        found = self._condition(targets)
        if found is None:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(self._statement(found), {**self._parameters(targets), "limit": limit})
            return int(cursor.rowcount)

    def _condition(self, targets: Sequence[Target]) -> str | None:
        types = sorted({target.type for target in targets} & self.found_by.keys())
        if not types:
            return None
        any_of = " OR ".join(f"({self._found(each)})" for each in types)
        return f"t.{self.tenant_column} = %(open_tenant)s AND ({any_of})"

    def _found(self, type: TargetType) -> str:
        if not self.document_column or type not in WHOLE:
            return self.found_by[type]
        return f"({self.found_by[type]}) AND t.{self.document_column} <> ALL (%(kept_document)s::uuid[])"

    def _parameters(self, targets: Sequence[Target]) -> dict[str, Any]:
        parameters = ids_of(targets)
        if self.document_column:
            kept = {item for items in kept_within(targets).values() for item in items}
            parameters["kept_document"] = ids(sorted(kept), TargetType.DOCUMENT)
        return parameters

    def _statement(self, found: str) -> str:
        when = f" AND ({self.when})" if self.when else ""
        order = f" ORDER BY {self.order}" if self.order else ""
        chosen = f"SELECT t.id FROM {self.table} t WHERE {found}{when}{order} LIMIT %(limit)s"  # noqa: S608
        # By the primary key, which begins with the tenant: the part that is removed is not looked for again.
        those = f"WHERE t.{self.tenant_column} = %(open_tenant)s AND t.id = ANY (ARRAY({chosen}))"
        if not self.emptied:
            return f"DELETE FROM {self.table} t {those}"  # noqa: S608
        changes = ", ".join(f"{column} = {value}" for column, value in self.emptied.items())
        return f"UPDATE {self.table} t SET {changes} {those}"  # noqa: S608


def ids(targets: Sequence[Target], type: TargetType) -> list[UUID]:
    """The ids of the targets of one type, each once."""
    return sorted({target.id for target in targets if target.type is type})


def ids_of(targets: Sequence[Target]) -> dict[str, Any]:
    """What the conditions of a store (Rows.found_by) refer to."""
    by_type = {str(type): ids(targets, type) for type in TargetType}
    return {**by_type, "open_tenant": current_scope().tenant_id}
