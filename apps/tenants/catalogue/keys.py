"""Checks of keys and indexes, which bypass the policies."""

from __future__ import annotations

from collections.abc import Iterator

from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows

# Indexes that reveal how many events other scopes have, by time and by action. docs/security.md says so.
TOLD_TIMES = ("event_by_time", "event_by_action")

# Keys that a sign-in searches before it knows a tenant, and names that are unique on the whole platform.
GLOBAL_KEYS = ("tenants_tenant_pkey", "tenants_tenant_slug_key", "tenants_user_pkey", "tenants_user_username_key")


def keys_without_tenant(cursor: Cursor) -> Iterator[Finding]:
    """Find keys and indexes without tenant_id. Constraints bypass the policies, so each must stay within one tenant."""
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
    for table, index in rows(
        cursor,
        GUARDED
        + """
        SELECT g.relname, i.indexrelid::regclass::text
          FROM guarded g JOIN pg_index i ON i.indrelid = g.oid JOIN pg_class c ON c.oid = i.indexrelid
          JOIN pg_am m ON m.oid = c.relam
         WHERE NOT i.indisprimary AND m.amname <> 'hash'
           AND (NOT i.indisunique OR g.relname = ANY (%(platform)s::text[]))
           AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = g.oid AND a.attname = 'tenant_id'
                              AND a.attnum = ANY (i.indkey))
         ORDER BY 1, 2
        """,
    ):
        yield Finding(
            subject=f"Index {index} of {table}",
            problem="has an order and no tenant_id: a scan of it tells where hidden values lie.",
            remedy="Put tenant first in its fields, or make it USING hash (a unique one, EXCLUDE USING hash).",
        )


def keys_without_scope(cursor: Cursor) -> Iterator[Finding]:
    """Find keys and indexes without the scope, in tables whose rows are isolated by scope.

    A scan of such an index visits hidden rows, and so reveals something about them.
    """
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
            remedy="Make both tables with EnableIsolation, by scope.",
        )


def hidden_ranges(cursor: Cursor) -> Iterator[Finding]:
    """Find indexes in which a search for a range visits rows that the policies would hide.

    A range of times or of bigint numbers is searched in an index before the policies are checked. The index must
    therefore also contain every column that a read policy of the table checks.
    """
    for table, index, column, missing in rows(
        cursor,
        GUARDED
        + """
        , asked AS (
            SELECT DISTINCT p.polrelid AS relid, d.refobjsubid AS attnum
              FROM pg_policy p JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
               AND d.refclassid = 'pg_class'::regclass AND d.refobjid = p.polrelid AND d.refobjsubid > 0
             WHERE p.polcmd IN ('r', '*')
        )
        SELECT g.relname, i.indexrelid::regclass::text, a.attname::text, string_agg(DISTINCT m.attname::text, ', ')
          FROM guarded g JOIN pg_index i ON i.indrelid = g.oid
          JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.atttypid IN ('timestamptz'::regtype, 'int8'::regtype)
          JOIN asked ON asked.relid = g.oid AND asked.attnum <> ALL (i.indkey)
          JOIN pg_attribute m ON m.attrelid = g.oid AND m.attnum = asked.attnum
          JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am ON pg_am.oid = c.relam
         WHERE pg_am.amname <> 'hash' AND NOT i.indexrelid::regclass::text = ANY (%(told)s::text[])
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        """,
        told=list(TOLD_TIMES),
    ):
        yield Finding(
            subject=f"Index {index} of {table}",
            problem=f"orders {column} and lacks {missing}, which a policy asks about: a range tells of hidden rows.",
            remedy="Leave the column out of the index, or put those of the policies before it.",
        )
