"""Checks of roles and functions: which role may do what, and with whose rights functions run."""

from __future__ import annotations

from collections.abc import Iterator

from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows
from apps.tenants.rights import CLOSED_FUNCTIONS, GLOBAL_GRANTS, ORDINARY_ROLES, SECRET_COLUMNS
from config.database import ROLE_LIMITS, SERVER_LIMITS

# Tables that only audit_record writes, as the role that owns the function.
RECORDED = ("audit_event", "audit_payload")
# Tables that only the worker updates, and from which no role deletes: it wraps keys anew, and updates verifications
# until they are finished.
REWRAPPED = ("audit_datakey", "audit_verification")
# Tables into which only the worker inserts, and which no role changes.
SEALED = ("audit_leaf", "audit_subtree", "audit_checkpoint", "audit_attestation")
# The table from which only the worker deletes, once the leaf is there.
QUEUED = ("audit_unsealed",)
# The functions that run with their owner's rights, and the role that must own each.
SECURITY_DEFINERS = {
    "authz.transaction_mark": "glassbox_authz",
    "authz.verified": "glassbox_authz",
    "authz.tenant": "glassbox_authz",
    "authz.scopes": "glassbox_authz",
    "authz.person": "glassbox_authz",
    "authz.may": "glassbox_authz",
    "authz.knows": "glassbox_authz",
    "authz.acts_as": "glassbox_authz",
    "authz.actor_label": "glassbox_authz",
    "authz.tenant_if_open": "glassbox_authz",
    "authz.scopes_if_open": "glassbox_authz",
    "authz.is_open": "glassbox_authz",
    "authz.identity": "glassbox_authz",
    # Ends statements and sessions that exceed their role's limit, and nothing else (apps/tenants/watchdog.py).
    "authz.end_overlong": "glassbox_watchdog",
    # Writes an event with the token's tenant, scopes and actor, and the server's time (audit/sql/recording.sql).
    "public.audit_record": "glassbox_recorder",
    # Removes what a sealed event of the log names, and nothing else (apps/audit/sql/erasing.sql).
    "public.audit_erase": "glassbox_remover",
    # Return what an executing run of removals names, which is all that the eraser may delete (removal_targets.sql).
    "public.audit_removal_targets": "glassbox_remover",
    "public.audit_removal_terms": "glassbox_remover",
    # End a tenant that an executing run names: rows, what its log says, its keys (audit/sql/end_of_tenant.sql).
    "public.audit_remove_of_tenant": "glassbox_remover",
    "public.audit_empty_log": "glassbox_remover",
    # Destroy the key of a request for erasure that was carried out (apps/audit/sql/requests.sql).
    "public.audit_forget_request": "glassbox_remover",
    # Destroy the key of a request for access that has ended, and remove packages with their keys
    # (apps/audit/sql/access_packages.sql).
    "public.audit_forget_access": "glassbox_remover",
    "public.audit_remove_packages": "glassbox_remover",
    "public.audit_destroy_keys": "glassbox_remover",
    # Return the ids of the documents of the open scopes that are restricted or held (apps/audit/sql/holds.sql).
    "public.restricted_documents": "glassbox_remover",
    "public.hidden_documents": "glassbox_remover",
    "public.held_documents": "glassbox_remover",
    # Whether the acting person's account and another one count as one person's (apps/tenants/sql/accounts.sql).
    "public.tenants_same_hands": "glassbox_remover",
    # Returns an account's personal columns, to readers whom the token lets know them
    # (apps/tenants/sql/personal_columns.sql).
    "public.tenants_of_account": "glassbox_remover",
    # Whether an account that the token may see has a mailbox; and end the account's open links (sql/account_links.sql).
    "public.tenants_has_mailbox": "glassbox_remover",
    "public.tenants_links_end": "glassbox_remover",
    # Ends a person's keys with their membership, factor or password (apps/tenants/sql/api_keys.sql).
    "public.tenants_personal_keys_end": "glassbox_remover",
    # Whether the acting person has a second factor; and whether two people of each tenant agreed to remove a factor.
    "public.tenants_factor_stands": "glassbox_remover",
    "public.tenants_factor_given_up": "glassbox_remover",
    # A trigger that only refuses, and reveals nothing else (apps/corpus/sql/restrictions.sql).
    "public.corpus_document_is_kept": "glassbox_remover",
    # Return and keep the password hash of the one account that the identity token names, and remove it together with
    # the account's data (apps/tenants/sql/passwords.sql).
    "public.tenants_password": "glassbox_authz",
    "public.tenants_password_keep": "glassbox_authz",
    "public.tenants_password_gone": "glassbox_authz",
}


def definers(cursor: Cursor) -> Iterator[Finding]:
    for function, is_definer, is_listed, owner, is_pinned, is_public in rows(
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
        keeper = SECURITY_DEFINERS.get(function)
        problems = [
            text
            for text, found in (
                ("runs with its owner's rights and is not listed", is_definer and not is_listed),
                (f"does not belong to {keeper}", is_listed and owner != keeper),
                ("has no pinned search_path", is_definer and not is_pinned),
                ("may be called by everybody", is_public),
            )
            if found
        ]
        if problems:
            yield Finding(
                subject=f"Function {function}",
                problem=f"{', '.join(problems)}.",
                remedy="Make it SECURITY INVOKER, or list it in apps/tenants/catalogue/roles.py with the reason.",
            )


def strong_roles(cursor: Cursor) -> Iterator[Finding]:
    for role, problems in rows(
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
                   CASE WHEN EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid AND (s.setdatabase <> 0
                                        OR EXISTS (SELECT FROM unnest(s.setconfig) AS o (set)
                                                    WHERE r.rolname || ':' || o.set <> ALL (%(limits)s::text[]))))
                        THEN 'has settings of its own for every session' END,
                   CASE WHEN EXISTS (SELECT FROM unnest(%(needed)s::text[]) AS l (set)
                                      WHERE starts_with(l.set, r.rolname || ':') AND NOT EXISTS (
                                            SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid
                                               AND l.set = ANY (
                                                   SELECT r.rolname || ':' || o FROM unnest(s.setconfig) AS o)))
                        THEN 'lacks a limit of time' END,
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
        limits=_limits(),
        needed=[each for each in _limits() if each.split(":")[1].split("=")[0] not in SERVER_LIMITS],
    ):
        if problems:
            yield Finding(
                subject=f"Role {role}",
                problem=f"{', '.join(problems)}.",
                remedy="Run manage.py migrate with ADMIN_DATABASE_URL: it makes the roles what they must be.",
            )
    for (role,) in rows(
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


def _limits() -> list[str]:
    return [f"{role}:{name}={value}" for role, limits in ROLE_LIMITS.items() for name, value in limits.items()]


def rights(cursor: Cursor) -> Iterator[Finding]:
    """Find rights on relations that the roles which run anything must not have."""
    for table, role, rights in rows(
        cursor,
        GUARDED
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
            OR (relname = ANY (%(recorded)s::text[]) AND right_ <> 'SELECT')
            OR (relname = ANY (%(rewrapped)s::text[]) AND right_ NOT IN ('SELECT', 'INSERT')
                AND (role, right_) <> ('glassbox_worker', 'UPDATE'))
            OR (relname = ANY (%(sealed)s::text[]) AND right_ <> 'SELECT'
                AND (role, right_) <> ('glassbox_worker', 'INSERT'))
            OR (relname = ANY (%(queued)s::text[]) AND right_ <> 'SELECT'
                AND (role, right_) <> ('glassbox_worker', 'DELETE'))
            OR (NOT is_guarded AND NOT role || ':' || relname || ':' || right_ = ANY (%(granted)s::text[]))
         GROUP BY 1, 2 ORDER BY 1, 2
        """,
        roles=list(ORDINARY_ROLES),
        recorded=list(RECORDED),
        rewrapped=list(REWRAPPED),
        sealed=list(SEALED),
        queued=list(QUEUED),
        granted=_global_rights(),
    ):
        yield Finding(
            subject=f"Role {role}",
            problem=f"holds {rights} on {table}, which it has no use for.",
            remedy=(
                "Revoke it; for a table without a tenant that it needs, add it to GLOBAL_GRANTS in "
                "apps/tenants/rights.py, or isolate the table."
            ),
        )


def secret_columns(cursor: Cursor) -> Iterator[Finding]:
    """Find secrets that a role may read without needing them.

    The check is about rights on columns, whatever rows a policy shows.
    """
    for column, readers in SECRET_COLUMNS.items():
        table, _, name = column.rpartition(".")
        for (role,) in rows(
            cursor,
            """
            SELECT r.name FROM unnest(%(roles)s::text[]) AS r (name), pg_attribute a
             WHERE a.attrelid = to_regclass(%(table)s) AND a.attname = %(name)s
               AND has_column_privilege(r.name, a.attrelid, a.attnum, 'SELECT') ORDER BY 1
            """,
            roles=[role for role in ORDINARY_ROLES if role not in readers],
            table=table,
            name=name,
        ):
            yield Finding(
                subject=f"Role {role}",
                problem=f"may read {column.removeprefix('public.')}, which is a secret.",
                remedy="Revoke SELECT on the column; where it is needed, list the role in apps/tenants/rights.py.",
            )


def _global_rights() -> list[str]:
    return [
        f"{role}:{table}:{right.strip()}"
        for role, tables in GLOBAL_GRANTS.items()
        for table, rights in tables.items()
        for right in rights.split(",")
    ]


def open_doors(cursor: Cursor) -> Iterator[Finding]:
    found = rows(
        cursor,
        """
        SELECT p.oid::regprocedure::text FROM pg_proc p
         WHERE p.pronamespace = 'pg_catalog'::regnamespace
           AND (p.proname LIKE ANY (%(closed)s::text[]) OR p.oid::regprocedure::text LIKE ANY (%(closed)s::text[]))
           AND EXISTS (SELECT FROM unnest(%(roles)s::text[]) AS r (name)
                        WHERE has_function_privilege(r.name, p.oid, 'EXECUTE'))
         ORDER BY 1
        """,
        closed=list(CLOSED_FUNCTIONS),
        roles=list(ORDINARY_ROLES),
    )
    if found:
        names = [name for (name,) in found]
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        yield Finding(
            subject="PostgreSQL",
            problem=f"lets the runtime roles call {shown}: they look past row-level security.",
            remedy="Run manage.py migrate with an ADMIN_DATABASE_URL that may revoke rights on pg_catalog's functions.",
            is_warning=True,
        )
    for role, may in rows(
        cursor,
        "SELECT name, has_parameter_privilege(name, 'backtrace_functions', 'SET') "
        "FROM unnest(%(roles)s::text[]) AS r (name) ORDER BY 1",
        roles=[*ORDINARY_ROLES, "glassbox_authz"],
    ):
        if role == "glassbox_authz" and not may:
            yield Finding(
                subject="PostgreSQL",
                problem="tells transactions apart by time alone: a token is good in the next one of the same message.",
                remedy="Run manage.py migrate with an ADMIN_DATABASE_URL that may grant SET ON PARAMETER.",
                is_warning=True,
            )
        elif role != "glassbox_authz" and may:
            yield Finding(
                subject=f"Role {role}",
                problem="may set backtrace_functions, by which a token knows its transaction.",
                remedy=f"REVOKE SET ON PARAMETER backtrace_functions FROM {role}.",
            )
    for role, limit in rows(
        cursor,
        """
        SELECT r.rolname, split_part(l.set, ':', 2) FROM pg_roles r JOIN unnest(%(server)s::text[]) AS l (set)
            ON starts_with(l.set, r.rolname || ':')
         WHERE NOT EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid
                              AND split_part(l.set, ':', 2) = ANY (s.setconfig)) ORDER BY 1, 2
        """,
        server=[each for each in _limits() if each.split(":")[1].split("=")[0] in SERVER_LIMITS],
    ):
        yield Finding(
            subject=f"Role {role}",
            problem=f"lacks {limit}: its statements may fill the disk.",
            remedy="Run manage.py migrate with an ADMIN_DATABASE_URL that is a superuser's.",
            is_warning=True,
        )
