"""Does the wall stand? Asked of PostgreSQL's own catalogue: what is there, not what the migrations meant to make.

Read by the checks that every server makes at its start (checks.py), by `manage.py isolation check`, and by the tests.
It runs as the runtime role: everything that it reads is readable by anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker")
# Those that a person or a queue may log in as besides; none of them may see past the wall either.
ORDINARY_ROLES = (*RUNTIME_ROLES, "glassbox_auditor", "glassbox_eraser")
# Without a tenant_id, and behind the wall all the same.
PLATFORM_TABLES = ("tenants_tenant", "tenants_user", "tenants_session")
APPEND_ONLY = ("audit_event",)
# What a sign-in looks for before it knows a tenant, and names that are the whole platform's.
GLOBAL_KEYS = ("tenants_tenant_pkey", "tenants_tenant_slug_key", "tenants_user_pkey", "tenants_user_username_key")
SECURITY_DEFINERS = (
    "authz.verified",
    "authz.tenant",
    "authz.scopes",
    "authz.may",
    "authz.acts_as",
    "authz.tenant_if_open",
    "authz.scopes_if_open",
    "authz.is_open",
    "authz.identity",
)


class Cursor(Protocol):
    def execute(self, sql: str, params: Any = None, /) -> object: ...

    def fetchall(self) -> list[tuple[Any, ...]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is not as it must be. A warning is what this server's administrator may not be able to mend."""

    subject: str
    problem: str
    remedy: str
    is_warning: bool = False

    def __str__(self) -> str:
        return f"{self.subject} {self.problem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueCheck:
    """title: what is true where nothing is found."""

    title: str
    find: Callable[[Cursor], Iterator[Finding]]


def findings(cursor: Cursor) -> list[Finding]:
    """Everything that is wrong. Costs: one query a check, some milliseconds each."""
    return [finding for check in CHECKS for finding in check.find(cursor)]


# Tables, partitions included, that hold rows of tenants (or the platform's people), with what guards them.
_TABLES = """
    WITH guarded AS (
        SELECT c.oid, c.relname, c.relispartition, c.relrowsecurity, c.relforcerowsecurity
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
           AND (c.relname = ANY (%(platform)s::text[]) OR EXISTS (
                SELECT FROM pg_attribute a
                 WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
    )
"""


def _rows(cursor: Cursor, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    cursor.execute(statement, {"platform": list(PLATFORM_TABLES), **parameters})
    return cursor.fetchall()


def guarded_tables(cursor: Cursor) -> list[str]:
    """The tables, partitions included, that must be behind the wall; by name."""
    return [table for (table,) in _rows(cursor, _TABLES + "SELECT relname FROM guarded ORDER BY relname")]


def _unguarded_tables(cursor: Cursor) -> Iterator[Finding]:
    for table, is_partition, enabled, forced, permissive, unmatched, open_to_all in _rows(
        cursor,
        _TABLES
        + """
        SELECT g.relname, g.relispartition, g.relrowsecurity, g.relforcerowsecurity,
               (SELECT count(*) FROM pg_policy p WHERE p.polrelid = g.oid AND p.polpermissive),
               (SELECT count(*) FROM pg_policy p
                 WHERE p.polrelid = g.oid AND p.polpermissive AND NOT EXISTS (
                       SELECT FROM pg_policy f
                        WHERE f.polrelid = g.oid AND NOT f.polpermissive AND f.polcmd = p.polcmd
                          AND f.polroles = '{0}'::oid[]
                          AND pg_get_expr(f.polqual, g.oid) IS NOT DISTINCT FROM pg_get_expr(p.polqual, g.oid)
                          AND pg_get_expr(f.polwithcheck, g.oid)
                              IS NOT DISTINCT FROM pg_get_expr(p.polwithcheck, g.oid))),
               (SELECT count(*) FROM pg_policy p
                 WHERE p.polrelid = g.oid AND p.polpermissive
                   AND (coalesce(pg_get_expr(p.polqual, g.oid), 'authz.') NOT LIKE '%%authz.%%'
                        OR coalesce(pg_get_expr(p.polwithcheck, g.oid), 'authz.') NOT LIKE '%%authz.%%'))
          FROM guarded g ORDER BY g.relname
        """,
    ):
        missing = [
            name
            for name, absent in (
                ("row-level security is not enabled", not enabled),
                ("it is not forced upon the owner", not forced),
                ("it has no policy", not permissive),
                ("a policy lacks its restrictive twin", unmatched),
                ("a policy asks nothing of the scope token", open_to_all),
            )
            if absent
        ]
        if missing:
            yield Finding(
                subject=f"{'Partition' if is_partition else 'Table'} {table}",
                problem=f"holds rows of tenants and is not isolated: {', '.join(missing)}.",
                remedy=(
                    "Add EnableIsolation(<model>, version=LATEST) from apps.tenants.operations to the migration that "
                    f"creates {table}, after CreateModel; a platform's table takes PoliciesByCommand."
                ),
            )


def _unguarded_relations(cursor: Cursor) -> Iterator[Finding]:
    """Relations that row-level security does not reach by itself, and that a runtime role may read."""
    for relation, kind in _rows(
        cursor,
        """
        SELECT c.relname,
               CASE c.relkind WHEN 'v' THEN 'View' WHEN 'm' THEN 'Materialised view' ELSE 'Foreign table' END
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind IN ('v', 'm', 'f')
           AND NOT (c.relkind = 'v' AND 'security_invoker=true' = ANY (coalesce(c.reloptions, '{}')))
           AND EXISTS (SELECT FROM unnest(%(roles)s::text[]) AS r (name)
                        WHERE has_any_column_privilege(r.name, c.oid, 'SELECT'))
         ORDER BY 1
        """,
        roles=list(ORDINARY_ROLES),
    ):
        yield Finding(
            subject=f"{kind} {relation}",
            problem="is read with its owner's rights: the policies of the tables below it do not hold.",
            remedy=(
                "Make it WITH (security_invoker = true)." if kind == "View" else "Make it a table with EnableIsolation."
            ),
        )


def _keys_without_tenant(cursor: Cursor) -> Iterator[Finding]:
    """Constraints look past the policies, so each must stay within one tenant."""
    for table, index in _rows(
        cursor,
        _TABLES
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
    for table, constraint, target in _rows(
        cursor,
        _TABLES
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


def _keys_without_scope(cursor: Cursor) -> Iterator[Finding]:
    """In tables whose rows are shown by scope: an index that lacks it visits hidden rows, and tells of them."""
    scoped = """, scoped AS (
        SELECT g.* FROM guarded g WHERE EXISTS (
            SELECT FROM pg_policy p WHERE p.polrelid = g.oid AND p.polpermissive AND p.polcmd = '*'
               AND pg_get_expr(p.polqual, g.oid) LIKE '%%(scope_id = ANY%%'))
    """
    guarded = _TABLES.rstrip() + scoped
    for table, index in _rows(
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
    for table, constraint in _rows(
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


def _telling_planner(cursor: Cursor) -> Iterator[Finding]:
    for table, columns in _rows(
        cursor,
        _TABLES
        + """
        SELECT g.relname, string_agg(a.attname, ', ' ORDER BY a.attnum)
          FROM guarded g JOIN pg_attribute a ON a.attrelid = g.oid
         WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0
         GROUP BY 1 ORDER BY 1
        """,
    ):
        yield Finding(
            subject=f"Table {table}",
            problem=f"has planner statistics of {columns}: EXPLAIN would tell of hidden values.",
            remedy="Run manage.py migrate: it settles what the planner may know of every such table.",
        )
    for functions, example in _rows(
        cursor,
        "SELECT count(*), min(oid::regprocedure::text) FROM pg_proc WHERE proleakproof AND procost < 10 "
        "HAVING count(*) > 0",
    ):
        yield Finding(
            subject="PostgreSQL",
            problem=(
                f"tries {functions} kinds of condition on hidden rows before it asks the policy, such as {example}: "
                "EXPLAIN ANALYZE and time would tell of hidden values."
            ),
            remedy="Run manage.py migrate with an ADMIN_DATABASE_URL that may alter pg_catalog's functions.",
            is_warning=True,
        )


def _definers(cursor: Cursor) -> Iterator[Finding]:
    for function, is_definer, is_listed, owner, is_pinned, is_public in _rows(
        cursor,
        """
        SELECT n.nspname || '.' || p.proname, p.prosecdef, n.nspname || '.' || p.proname = ANY (%(listed)s::text[]),
               pg_get_userbyid(p.proowner), 'search_path=pg_catalog, pg_temp' = ANY (coalesce(p.proconfig, '{}')),
               EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
                        WHERE x.grantee = 0 AND x.privilege_type = 'EXECUTE')
          FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
         WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND (p.prosecdef OR n.nspname = 'authz')
         ORDER BY 1
        """,
        listed=list(SECURITY_DEFINERS),
    ):
        problems = [
            text
            for text, found in (
                ("runs with its owner's rights and is not listed", is_definer and not is_listed),
                ("does not belong to glassbox_authz", is_listed and owner != "glassbox_authz"),
                ("has no pinned search_path", is_definer and not is_pinned),
                ("may be called by everybody", is_public),
            )
            if found
        ]
        if problems:
            yield Finding(
                subject=f"Function {function}",
                problem=f"{', '.join(problems)}.",
                remedy="Make it SECURITY INVOKER, or list it in apps/tenants/catalogue.py with the reason.",
            )


def _strong_roles(cursor: Cursor) -> Iterator[Finding]:
    for role, problems in _rows(
        cursor,
        """
        SELECT r.rolname, array_remove(ARRAY[
                   CASE WHEN r.rolsuper THEN 'is a superuser' END,
                   CASE WHEN r.rolbypassrls THEN 'has BYPASSRLS' END,
                   CASE WHEN r.rolcreaterole THEN 'may make roles' END,
                   CASE WHEN r.rolcreatedb THEN 'may make databases' END,
                   CASE WHEN r.rolreplication THEN 'may replicate' END,
                   CASE WHEN EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid)
                        THEN 'is a member of another role' END,
                   CASE WHEN EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid)
                          OR EXISTS (SELECT FROM pg_proc p WHERE p.proowner = r.oid)
                          OR EXISTS (SELECT FROM pg_namespace n WHERE n.nspowner = r.oid) THEN 'owns objects' END,
                   CASE WHEN EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid)
                        THEN 'has settings of its own for every session' END,
                   CASE WHEN has_database_privilege(r.rolname, current_database(), 'CREATE')
                        THEN 'may make schemas' END,
                   CASE WHEN has_database_privilege(r.rolname, current_database(), 'TEMP')
                        THEN 'may make temporary tables' END,
                   CASE WHEN EXISTS (SELECT FROM pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_%%'
                                        AND has_schema_privilege(r.rolname, n.oid, 'CREATE'))
                        THEN 'may create in a schema' END,
                   CASE WHEN has_any_column_privilege(r.rolname, 'authz.signing_key', 'SELECT, INSERT, UPDATE')
                        THEN 'may touch the signing keys' END
               ]::text[], NULL)
          FROM pg_roles r WHERE r.rolname = ANY (%(roles)s::text[]) ORDER BY 1
        """,
        roles=list(ORDINARY_ROLES),
    ):
        if problems:
            yield Finding(
                subject=f"Role {role}",
                problem=f"{', '.join(problems)}.",
                remedy="Run manage.py migrate with ADMIN_DATABASE_URL: it makes the roles what they must be.",
            )
    for (role,) in _rows(
        cursor,
        "SELECT rolname FROM pg_roles WHERE rolname LIKE 'glassbox\\_%%' AND rolbypassrls "
        "AND rolname <> 'glassbox_backup' AND rolname <> ALL (%(roles)s::text[])",
        roles=list(ORDINARY_ROLES),
    ):
        yield Finding(
            subject=f"Role {role}",
            problem="has BYPASSRLS: only glassbox_backup may.",
            remedy=f"ALTER ROLE {role} NOBYPASSRLS.",
        )


def _rights(cursor: Cursor) -> Iterator[Finding]:
    """Rights on relations that no role which runs anything is given."""
    for table, role, rights in _rows(
        cursor,
        _TABLES
        + """
        , held AS (
            SELECT c.oid, c.relname, r.name AS role, p.name AS right_,
                   EXISTS (SELECT FROM guarded g WHERE g.oid = c.oid) AS is_guarded
              FROM pg_class c, unnest(%(roles)s::text[]) AS r (name),
                   unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER',
                                'MAINTAIN']) AS p (name)
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
               AND CASE WHEN p.name IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
                        THEN has_any_column_privilege(r.name, c.oid, p.name)
                        ELSE has_table_privilege(r.name, c.oid, p.name) END
        )
        SELECT relname, role, string_agg(right_, ', ' ORDER BY right_) FROM held
         WHERE right_ IN ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
            OR (role = 'glassbox_auditor' AND right_ <> 'SELECT')
            OR (relname = ANY (%(append)s::text[]) AND right_ NOT IN ('SELECT', 'INSERT'))
            OR (NOT is_guarded AND NOT relname || ':' || right_ = ANY (%(granted)s::text[])
                AND role IN ('glassbox_api', 'glassbox_worker'))
            OR (NOT is_guarded AND role NOT IN ('glassbox_api', 'glassbox_worker'))
         GROUP BY 1, 2 ORDER BY 1, 2
        """,
        roles=list(ORDINARY_ROLES),
        append=list(APPEND_ONLY),
        granted=_global_rights(),
    ):
        yield Finding(
            subject=f"Role {role}",
            problem=f"holds {rights} on {table}, which it has no use for.",
            remedy=(
                "Revoke it; for a table without a tenant that it needs, add it to GLOBAL_GRANTS in "
                "apps/tenants/provision.py, or isolate the table."
            ),
        )


def _global_rights() -> list[str]:
    from apps.tenants.provision import GLOBAL_GRANTS

    return [
        f"{table}:{right.strip()}"
        for tables in GLOBAL_GRANTS.values()
        for table, rights in tables.items()
        for right in rights.split(",")
    ]


# A sample of every family in sql/closed_doors.sql; `who` calls them.
_DOORS = """
    SELECT p.oid::regprocedure::text, string_agg(r.name, ', ')
      FROM pg_proc p, unnest(%(roles)s::text[]) AS r (name)
     WHERE p.pronamespace = 'pg_catalog'::regnamespace
       AND (p.proname LIKE 'pg\\_stat\\_get\\_%%' OR p.proname LIKE 'lo\\_%%' OR p.proname IN (
            'loread', 'lowrite', 'pg_lock_status', 'pg_blocking_pids', 'pg_cancel_backend', 'pg_terminate_backend',
            'pg_notify', 'pg_relation_size', 'pg_total_relation_size', 'pg_table_size', 'pg_indexes_size',
            'pg_database_size'))
       AND has_function_privilege(r.name, p.oid, 'EXECUTE')
     GROUP BY p.oid ORDER BY 1
"""


def _open_doors(cursor: Cursor) -> Iterator[Finding]:
    found = _rows(cursor, _DOORS, roles=list(ORDINARY_ROLES))
    if found:
        names = [name for name, _ in found]
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        yield Finding(
            subject="PostgreSQL",
            problem=f"lets the runtime roles call {shown}: they look past row-level security.",
            remedy="Run manage.py migrate with an ADMIN_DATABASE_URL that may revoke rights on pg_catalog's functions.",
            is_warning=True,
        )


CHECKS = (
    CatalogueCheck(title="every table with rows of tenants has its policies, forced", find=_unguarded_tables),
    CatalogueCheck(title="no view, materialised view or foreign table goes round them", find=_unguarded_relations),
    CatalogueCheck(title="every unique, primary and foreign key stays within a tenant", find=_keys_without_tenant),
    CatalogueCheck(title="every key and index of a scoped table stays within a scope", find=_keys_without_scope),
    CatalogueCheck(title="the planner tells nothing of hidden values", find=_telling_planner),
    CatalogueCheck(title="no function runs with its owner's rights but the token's", find=_definers),
    CatalogueCheck(title="the roles that run anything are ordinary ones", find=_strong_roles),
    CatalogueCheck(title="no role holds a right that it has no use for", find=_rights),
    CatalogueCheck(title="PostgreSQL's own side doors are shut", find=_open_doors),
)
