"""What the eraser may do to the tables whose rows a store clears, as the models declare it.

`manage.py migrate` gives it (apps/tenants/eraser_rights.py). The database holds it by itself: the eraser deletes or
empties rows of what an executing run of removals names, finds them by ids, and writes nothing but what is left of an
emptied row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Model

from apps.tenants.personal_data.declaration import PersonalData, declarations
from apps.tenants.personal_data.stores import SCOPES_BELOW, RowStore, TargetType, TenantStore

Declared = Iterable[tuple[type[Model], PersonalData]]

_COLUMN = re.compile(r"\bt\.(\w+)")
_AMONG = re.compile(r"(= ANY|<> ALL) \(%\((\w+)\)s::(\w+)\[\]\)")
_IDS = re.compile(r"%\((\w+)\)s::(\w+)\[\]")
_SCOPES = f"%({TargetType.SCOPE})s::uuid[]"  # audit_removal_targets() goes below the named scopes by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRights:
    """What the eraser may do to one table.

    tenant_column: the tenant of a row.
    reads: the columns by which it finds rows.
    deletes: an SQL condition for the rows that it may delete; empty if it deletes none.
    empties: the same for the rows that it may empty, setting the columns `updates` so that the row meets `leaves`.
    """

    table: str
    tenant_column: str
    reads: tuple[str, ...]
    deletes: str
    empties: str
    updates: tuple[str, ...]
    leaves: str


def declared_rights(declared: Declared | None = None) -> list[TableRights]:
    """Return what the eraser may do to each table that a RowStore clears. declared: that of all models, if None."""
    all_declared = list(declarations() if declared is None else declared)
    scoped = {model._meta.db_table for model, _ in all_declared if _has_scope(model)}
    by_table: dict[str, list[RowStore]] = {}
    for model, personal_data in all_declared:
        for store in personal_data.stores:
            if isinstance(store, RowStore):
                by_table.setdefault(store.table or model._meta.db_table, []).append(store)
    return [_rights(table, stores, table in scoped) for table, stores in sorted(by_table.items())]


def tables_of_tenant(declared: Declared | None = None) -> list[str]:
    """Return the tables that a TenantStore clears."""
    return sorted(
        table
        for _, personal_data in (declarations() if declared is None else declared)
        for store in personal_data.stores
        if isinstance(store, TenantStore)
        for table in store.tables
    )


def _has_scope(model: type[Model]) -> bool:
    return any(field.column == "scope_id" for field in model._meta.local_concrete_fields)


def _rights(table: str, stores: list[RowStore], is_scoped: bool) -> TableRights:
    removing = [store for store in stores if not store.emptied]
    emptying = [store for store in stores if store.emptied]
    if len(emptying) > 1:
        raise ValueError(f"{table}: two stores empty its rows, and each would have to leave what the other one does")
    emptied: Mapping[str, str] = emptying[0].emptied if emptying else {}
    reads = dict.fromkeys(column for store in stores for column in (store.tenant_column, "id", *_reads(store)))
    if is_scoped:
        reads["scope_id"] = None
    return TableRights(
        table=table,
        tenant_column=stores[0].tenant_column,
        reads=tuple(sorted(reads)),
        deletes=_covered(table, removing),
        empties=_covered(table, emptying),
        updates=tuple(emptied),
        leaves=" AND ".join(f"{column} = {_of_table(table, value)}" for column, value in emptied.items()),
    )


def _reads(store: RowStore) -> Iterator[str]:
    for clause in (*store.found_by.values(), *store.emptied.values(), store.when, store.order):
        yield from _COLUMN.findall(clause)
    yield from store.reads.split()
    if store.document_column:
        yield store.document_column


def _covered(table: str, stores: list[RowStore]) -> str:
    """Return the condition for the rows that a run covers. One that names a tenant covers every row of it."""
    if not stores:
        return ""
    found = [
        store.found_by[type]
        for type in (TargetType.SCOPE, TargetType.DOCUMENT, TargetType.USER, TargetType.EVENT_GROUP)
        for store in stores
        if type in store.found_by
    ]
    whole = f"{stores[0].tenant_column} IN (SELECT audit_removal_targets('{TargetType.TENANT}'))"
    # The tenant and the scope come first, because they are the quickest to check.
    return " OR ".join((whole, *(f"({_of_table(table, _of_runs(each))})" for each in found)))


def _of_runs(condition: str) -> str:
    """Return a store's condition with what an executing run names in place of the ids that the store is given."""
    condition = condition.replace(SCOPES_BELOW, _SCOPES)
    condition = _AMONG.sub(lambda match: f"{_IN[match[1]]} ({_named(match[2], match[3])})", condition)
    condition = _IDS.sub(lambda match: f"ARRAY({_named(match[1], match[2])})", condition)
    return condition.replace("%(open_tenant)s", "(SELECT authz.tenant())").replace("%%", "%")


_IN = {"= ANY": "IN", "<> ALL": "NOT IN"}


def _named(kind: str, type: str) -> str:
    """Return the query for the ids of the targets of a type. A sub-select can be hashed, however many there are."""
    cast = "" if type == "uuid" else f"::{type}"
    return f"SELECT audit_removal_targets('{TargetType(kind)}'){cast}"


def _of_table(table: str, clause: str) -> str:
    return _COLUMN.sub(rf"{table}.\1", clause)
