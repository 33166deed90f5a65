"""Checks of roles and functions: which role may do what, and with whose rights functions run."""

from __future__ import annotations

from collections.abc import Iterator

from apps.sql_files import read_statements
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows
from apps.tenants.rights import BEYOND_SCOPES, CLOSED_FUNCTIONS, GLOBAL_GRANTS, ORDINARY_ROLES, SECRET_COLUMNS
from config.database import ROLE_LIMITS, SERVER_LIMITS

_SQL = read_statements(__file__)

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
    # A trigger that only refuses, for versions that its caller does not see as well (apps/intents/sql/replacing.sql).
    "public.intents_replaced_held": "glassbox_remover",
    "public.corpus_document_received_first": "glassbox_remover",
    "public.corpus_document_moved_lasting": "glassbox_remover",
    # Returns the kinds of the tenant that documents name, in whatever scope, and nothing else of them
    # (apps/intents/sql/kept_kinds.sql).
    "public.intents_documented_kinds": "glassbox_surveyor",
    # Return and keep the password hash of the one account that the identity token names, and remove it together with
    # the account's data (apps/tenants/sql/passwords.sql).
    "public.tenants_password": "glassbox_authz",
    "public.tenants_password_keep": "glassbox_authz",
    "public.tenants_password_gone": "glassbox_authz",
}


def definers(cursor: Cursor) -> Iterator[Finding]:
    for function, is_definer, is_listed, owner, is_pinned, is_public in rows(
        cursor,
        _SQL["definers"],
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
        _SQL["strong_roles"],
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
        roles=[*ORDINARY_ROLES, *BEYOND_SCOPES],
    ):
        yield Finding(
            subject=f"Role {role}",
            problem="has BYPASSRLS: only glassbox_backup and those of BEYOND_SCOPES may.",
            remedy=f"ALTER ROLE {role} NOBYPASSRLS.",
        )
    yield from _beyond_scopes(cursor)


def _beyond_scopes(cursor: Cursor) -> Iterator[Finding]:
    """Find what a role that no policy binds may do beyond reading its columns for its functions."""
    for role, allowed in BEYOND_SCOPES.items():
        for (problem,) in rows(
            cursor,
            _SQL["beyond_scopes"],
            role=role,
            columns=[f"{table}.{column}" for table, columns in allowed.items() for column in columns],
            functions=[name for name, owner in SECURITY_DEFINERS.items() if owner == role],
        ):
            yield Finding(
                subject=f"Role {role}",
                problem=f"{problem}, and no policy binds it.",
                remedy="Revoke it, or name it in apps/tenants/rights.py with the reason.",
            )


def _limits() -> list[str]:
    return [f"{role}:{name}={value}" for role, limits in ROLE_LIMITS.items() for name, value in limits.items()]


def rights(cursor: Cursor) -> Iterator[Finding]:
    """Find rights on relations that the roles which run anything must not have."""
    for table, role, rights in rows(
        cursor,
        GUARDED + _SQL["rights"],
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
        _SQL["open_functions"],
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
