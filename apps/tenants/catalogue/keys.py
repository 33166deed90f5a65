"""Checks of keys and indexes, which bypass the policies."""

from __future__ import annotations

from collections.abc import Iterator

from apps.sql_files import read_statements
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows

_SQL = read_statements(__file__)

# Indexes that reveal how many events other scopes have, by time and by action. docs/security.md says so.
TOLD_TIMES = ("event_by_time", "event_by_action")

# Keys that a sign-in searches before it knows a tenant, and names that are unique on the whole platform.
GLOBAL_KEYS = ("tenants_tenant_pkey", "tenants_tenant_slug_key", "tenants_user_pkey", "tenants_user_username_key")


def keys_without_tenant(cursor: Cursor) -> Iterator[Finding]:
    """Find keys and indexes without tenant_id. Constraints bypass the policies, so each must stay within one tenant."""
    for table, index in rows(
        cursor,
        GUARDED + _SQL["unique_keys_without_tenant"],
        **{"global": list(GLOBAL_KEYS)},
    ):
        yield Finding(
            subject=f"Unique key {index} of {table}",
            problem="does not contain tenant_id: an insertion that fails would tell of another tenant's row.",
            remedy="Put tenant into the constraint's fields; the primary key is made so by EnableIsolation.",
        )
    for table, constraint, target in rows(cursor, GUARDED + _SQL["foreign_keys_without_tenant"]):
        yield Finding(
            subject=f"Foreign key {constraint} of {table}",
            problem=f"does not contain tenant_id: it would accept a hidden row of {target}.",
            remedy="Make the field a TenantForeignKey: EnableIsolation adds the composite constraint.",
        )
    for table, index in rows(cursor, GUARDED + _SQL["indexes_without_tenant"]):
        yield Finding(
            subject=f"Index {index} of {table}",
            problem="has an order and no tenant_id: a scan of it tells where hidden values lie.",
            remedy="Put tenant first in its fields, or make it USING hash (a unique one, EXCLUDE USING hash).",
        )


def keys_without_scope(cursor: Cursor) -> Iterator[Finding]:
    """Find keys and indexes without the scope, in tables whose rows are isolated by scope.

    A scan of such an index visits hidden rows, and so reveals something about them.
    """
    scoped = GUARDED + _SQL["scoped"]
    for table, index in rows(cursor, scoped + _SQL["indexes_without_scope"]):
        yield Finding(
            subject=f"Index {index} of {table}",
            problem="does not contain tenant_id and scope_id: a scan of it visits rows of other scopes.",
            remedy="Put tenant and scope first in its fields.",
        )
    for table, constraint in rows(cursor, scoped + _SQL["foreign_keys_without_scope"]):
        yield Finding(
            subject=f"Foreign key {constraint} of {table}",
            problem="does not contain scope_id: it would accept a hidden parent of another scope.",
            remedy="Make both tables with EnableIsolation, by scope.",
        )


def hidden_ranges(cursor: Cursor) -> Iterator[Finding]:
    """Find indexes in which a search for a range visits rows that the policies would hide.

    A range of times or of bigint numbers is searched in an index before the policies are checked. The index must
    therefore also contain every column that a read policy of the table checks.
    """
    for table, index, column, missing in rows(
        cursor,
        GUARDED + _SQL["hidden_ranges"],
        told=list(TOLD_TIMES),
    ):
        yield Finding(
            subject=f"Index {index} of {table}",
            problem=f"orders {column} and lacks {missing}, which a policy asks about: a range tells of hidden rows.",
            remedy="Leave the column out of the index, or put those of the policies before it.",
        )
