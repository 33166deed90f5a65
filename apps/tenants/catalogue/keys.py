"""Keys and indexes, which look past the policies."""

from __future__ import annotations

from collections.abc import Iterator

from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows

# What a sign-in looks for before it knows a tenant, and names that are the whole platform's.
GLOBAL_KEYS = ("tenants_tenant_pkey", "tenants_tenant_slug_key", "tenants_user_pkey", "tenants_user_username_key")


def keys_without_tenant(cursor: Cursor) -> Iterator[Finding]:
    """Constraints look past the policies, so each must stay within one tenant."""
    for table, index in rows(
        cursor,
        GUARDED
        + """
        SELECT g.relname, i.indexrelid::regclass::text
          FROM guarded g JOIN pg_index i ON i.indrelid = g.oid
         WHERE (i.indisunique OR i.indisexclusion) AND NOT i.indexrelid::regclass::text = ANY (%(global)s::text[])
           AND g.relname <> ALL (%(platform)s::text[])
           AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = g.oid AND a.attname = 'tenant_id'
                              AND a.attnum = ANY (i.indkey))
         ORDER BY 1, 2
        """,
        **{"global": list(GLOBAL_KEYS)},
    ):
        yield Finding(
            subject=f"Unique key {index} of {table}",
            problem="does not contain tenant_id: an insertion that fails would tell of another tenant's row.",
            remedy="Put tenant into the constraint's fields; the primary key is made so by EnableIsolation.",
        )
    for table, constraint, target in rows(
        cursor,
        GUARDED
        + """
        SELECT g.relname, k.conname, t.relname
          FROM guarded g JOIN pg_constraint k ON k.conrelid = g.oid AND k.contype = 'f'
          JOIN guarded t ON t.oid = k.confrelid
         WHERE g.relname <> ALL (%(platform)s::text[]) AND t.relname <> 'tenants_user'
           AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = g.oid AND a.attname = 'tenant_id'
                              AND a.attnum = ANY (k.conkey))
         ORDER BY 1, 2
        """,
    ):
        yield Finding(
            subject=f"Foreign key {constraint} of {table}",
            problem=f"does not contain tenant_id: it would accept a hidden row of {target}.",
            remedy="Make the field a TenantForeignKey: EnableIsolation adds the composite constraint.",
        )


def keys_without_scope(cursor: Cursor) -> Iterator[Finding]:
    """In tables whose rows are shown by scope: an index that lacks it visits hidden rows, and tells of them."""
    scoped = """, scoped AS (
        SELECT g.* FROM guarded g WHERE EXISTS (
            SELECT FROM pg_policy p WHERE p.polrelid = g.oid AND p.polpermissive AND p.polcmd = '*'
               AND pg_get_expr(p.polqual, g.oid) LIKE '%%(scope_id = ANY%%'))
    """
    guarded = GUARDED.rstrip() + scoped
    for table, index in rows(
        cursor,
        guarded
        + """
        SELECT s.relname, i.indexrelid::regclass::text
          FROM scoped s JOIN pg_index i ON i.indrelid = s.oid
         WHERE (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = s.oid
                   AND a.attname IN ('tenant_id', 'scope_id') AND a.attnum = ANY (i.indkey)) < 2
         ORDER BY 1, 2
        """,
    ):
        yield Finding(
            subject=f"Index {index} of {table}",
            problem="does not contain tenant_id and scope_id: a scan of it visits rows of other scopes.",
            remedy="Put tenant and scope first in its fields.",
        )
    for table, constraint in rows(
        cursor,
        guarded
        + """
        SELECT s.relname, k.conname
          FROM scoped s JOIN pg_constraint k ON k.conrelid = s.oid AND k.contype = 'f'
          JOIN scoped t ON t.oid = k.confrelid
         WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = s.oid AND a.attname = 'scope_id'
                              AND a.attnum = ANY (k.conkey))
         ORDER BY 1, 2
        """,
    ):
        yield Finding(
            subject=f"Foreign key {constraint} of {table}",
            problem="does not contain scope_id: it would accept a hidden parent of another scope.",
            remedy="Make both tables with EnableIsolation(version=LATEST), or use KeysByScope.",
        )
