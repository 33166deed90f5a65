"""Set up what the isolation of tenants needs in the database: roles, extensions, token functions, keys, grants.

Idempotent. This code runs as an administrator of the server (the superuser of an embedded server, otherwise the role in
ADMIN_DATABASE_URL), and is the only code that does. Everything else runs as one of the roles made here.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from apps.tenants.advisory import advisory_key
from apps.tenants.catalogue.guarded import guarded_tables
from apps.tenants.eraser_rights import settle_eraser
from apps.tenants.registry import announce_migrated
from apps.tenants.rights import (
    ASKED_BY_RECORDER,
    CALLED_BY_OWNER,
    CLOSED_FUNCTIONS,
    DATABASE_DEFAULTS,
    GLOBAL_GRANTS,
    HANDED_OVER,
    LEAKPROOF_FUNCTIONS,
)
from apps.tenants.tokens import pads
from config.database import LIMIT_GRACE, ROLE_LIMITS, SERVER_LIMITS, TIME_LIMITS
from config.secrets import SigningKey

logger = logging.getLogger("glassbox.tenants")

_SQL = Path(__file__).with_name("sql")
_AUTHZ_SQL = _SQL / "authz.sql"
_CLOSED_DOORS_SQL = _SQL / "closed_doors.sql"
_CONDITIONS_IN_ORDER_SQL = _SQL / "conditions_in_order.sql"
_PLANNER_SQL = _SQL / "planner.sql"

# Attributes as in isolation.md. No role is a member of another one, except two: glassbox_watchdog, of the roles that it
# needs to end sessions, and glassbox_backup, of pg_read_all_data.
ROLE_ATTRIBUTES: Mapping[str, str] = {
    "glassbox_owner": "LOGIN NOBYPASSRLS",
    "glassbox_authz": "NOLOGIN NOBYPASSRLS",
    "glassbox_remover": "NOLOGIN NOBYPASSRLS",
    "glassbox_recorder": "NOLOGIN NOBYPASSRLS",
    "glassbox_watchdog": "NOLOGIN NOBYPASSRLS",
    # One function of it answers across scopes, and it may read nothing but what that answers from (BEYOND_SCOPES).
    "glassbox_surveyor": "NOLOGIN BYPASSRLS",
    "glassbox_api": "LOGIN NOBYPASSRLS",
    "glassbox_worker": "LOGIN NOBYPASSRLS",
    "glassbox_auditor": "LOGIN NOBYPASSRLS",
    "glassbox_eraser": "LOGIN NOBYPASSRLS",
    "glassbox_backup": "LOGIN BYPASSRLS",
}


def provision(
    *, admin_url: str, database: str, passwords: Mapping[str, str], keys: Sequence[SigningKey], template: str = ""
) -> bool:
    """Make the roles, the database and its isolation functions if they are missing or out of date.

    Args:    admin_url: a server administrator's connection string, to any database.
             database: the name of the database to make or bring up to date.
             passwords: role -> password, for every role that logs in.
             keys: the scope-token keys that the database shall accept; others are removed.
             template: a database to copy (tests).
    Returns: whether anything was changed.
    """
    with psycopg.connect(admin_url, autocommit=True) as server:
        # If two processes start for the first time at once, the second waits here and then finds everything done.
        server.execute("SELECT pg_advisory_lock(%s)", [advisory_key("provision")])
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            _roles(server, passwords)
            server.execute(_create_database(database, template))
        with psycopg.connect(admin_url, dbname=database, autocommit=True) as connection:
            stamp = _stamp(connection, passwords, keys)
            if _stamped(connection) == stamp:
                return False
            _roles(server, passwords)
            with connection.transaction():
                _wall(connection, database, keys)
                connection.execute(
                    sql.SQL("COMMENT ON SCHEMA authz IS {}").format(sql.Literal(f"glassbox provision {stamp}"))
                )
            return True


def settle(*, admin_url: str, database: str) -> None:
    """Do what only the server's administrator can do after every migration, and call the on_migrated callbacks."""
    hand_over_functions(admin_url=admin_url, database=database)
    grant_global_tables(admin_url=admin_url, database=database)
    settle_eraser(admin_url=admin_url, database=database)
    settle_tables(admin_url=admin_url, database=database)
    announce_migrated(admin_url, database)


def hand_over_functions(*, admin_url: str, database: str) -> None:
    """Give the functions in HANDED_OVER to the roles that they belong to, which a migration can't do itself."""
    with psycopg.connect(admin_url, dbname=database) as connection:
        for function, role in HANDED_OVER.items():
            row = connection.execute(
                "SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = to_regprocedure(%s)", [function]
            ).fetchone()
            if row is not None and row[0] != role:
                # An administrator who is not a superuser may give a function only to a role that may create objects in
                # the function's schema.
                connection.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
                connection.execute(sql.SQL(f"ALTER FUNCTION {function} OWNER TO {role}"))
                connection.execute(f"REVOKE CREATE ON SCHEMA public FROM {role}")
                if function in CALLED_BY_OWNER:
                    # The previous owner lost its right to call the function along with the ownership.
                    connection.execute(sql.SQL(f"GRANT EXECUTE ON FUNCTION {function} TO glassbox_owner"))
            if row is not None and function in ASKED_BY_RECORDER:
                connection.execute(sql.SQL(f"GRANT EXECUTE ON FUNCTION {function} TO glassbox_recorder"))


def settle_tables(*, admin_url: str, database: str) -> None:
    """Limit what the planner may do with the tables that hold rows of tenants, and what it may know about them.

    See sql/conditions_in_order.sql and sql/planner.sql.
    """
    with psycopg.connect(admin_url, dbname=database) as connection:
        tables = guarded_tables(connection.cursor())
        connection.execute(
            sql.SQL("CREATE TEMP TABLE guarded (relname) ON COMMIT DROP AS SELECT unnest({}::text[])").format(
                sql.Literal(tables)
            )
        )
        for statements in (_CONDITIONS_IN_ORDER_SQL, _PLANNER_SQL):
            connection.execute(statements.read_text(encoding="utf-8"))


def grant_global_tables(*, admin_url: str, database: str) -> None:
    """Give the roles in GLOBAL_GRANTS their rights on tables without row-level security, after every migration."""
    with psycopg.connect(admin_url, dbname=database) as connection:
        unguarded = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT relrowsecurity "
            "AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        for role in GLOBAL_GRANTS:
            for (table,) in unguarded:
                connection.execute(
                    sql.SQL(f"REVOKE ALL ON {{}} FROM PUBLIC, {role}").format(sql.Identifier("public", table))
                )
            for table, rights in GLOBAL_GRANTS[role].items():
                connection.execute(sql.SQL(f"GRANT {rights} ON {{}} TO {role}").format(sql.Identifier("public", table)))
        connection.execute("REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM PUBLIC, glassbox_api")
        connection.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO glassbox_worker")


def set_defaults(connection: psycopg.Connection, database: str) -> None:
    """Set the settings that every session of the database begins with.

    PostgreSQL does not copy these settings with a database, nor restore them from a backup.
    """
    for setting, value in DATABASE_DEFAULTS.items():
        connection.execute(sql.SQL(f"ALTER DATABASE {{}} SET {setting} = {value}").format(sql.Identifier(database)))


def closed_doors() -> sql.Composed:
    """Return the statements that close PostgreSQL's ways around row-level security, as far as their runner may."""
    statements = _CLOSED_DOORS_SQL.read_text(encoding="utf-8")
    return sql.SQL(statements).format(
        closed=sql.Literal(list(CLOSED_FUNCTIONS)), leakproof=sql.Literal(LEAKPROOF_FUNCTIONS)
    )


def _stamp(connection: psycopg.Connection, passwords: Mapping[str, str], keys: Sequence[SigningKey]) -> str:
    """Return a digest of everything that is provisioned, and of the database's oid.

    The oid is included because a restored database has the comment with this stamp, but not everything it stands for.
    """
    row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    digest = hashlib.sha256(_AUTHZ_SQL.read_bytes() + _CLOSED_DOORS_SQL.read_bytes())
    limits = sorted((role, sorted(of_role.items())) for role, of_role in ROLE_LIMITS.items())
    digest.update(repr((CLOSED_FUNCTIONS, LEAKPROOF_FUNCTIONS, DATABASE_DEFAULTS, limits, LIMIT_GRACE)).encode())
    digest.update(repr((row, sorted(ROLE_ATTRIBUTES.items()), sorted(passwords.items()))).encode())
    for key in keys:
        digest.update(key.kid.encode() + key.key)
    return digest.hexdigest()


def _stamped(connection: psycopg.Connection) -> str:
    row = connection.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'authz'"
    ).fetchone()
    return row[0].removeprefix("glassbox provision ") if row and row[0] else ""


def _create_database(database: str, template: str) -> sql.Composed:
    if template:
        return sql.SQL("CREATE DATABASE {} OWNER glassbox_owner TEMPLATE {} STRATEGY file_copy").format(
            sql.Identifier(database), sql.Identifier(template)
        )
    return sql.SQL("CREATE DATABASE {} OWNER glassbox_owner").format(sql.Identifier(database))


def _roles(server: psycopg.Connection, passwords: Mapping[str, str]) -> None:
    for role, attributes in ROLE_ATTRIBUTES.items():
        known = server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        statement = f"{'ALTER' if known else 'CREATE'} ROLE {role} NOSUPERUSER NOCREATEDB NOCREATEROLE {attributes}"
        if role in passwords:
            server.execute(sql.SQL(statement + " PASSWORD {}").format(sql.Literal(passwords[role])))
        else:
            server.execute(statement)
        # A role may change its own defaults: somebody who ran SQL as this role may have left settings for its later
        # sessions.
        server.execute(f"ALTER ROLE {role} RESET ALL")
        for name, value in ROLE_LIMITS.get(role, {}).items():
            try:
                server.execute(f"ALTER ROLE {role} SET {name} = '{value}'")
            except psycopg.errors.InsufficientPrivilege:
                if name not in SERVER_LIMITS:
                    raise
                logger.warning("%s of %s is not limited: this administrator may not set it", name, role)


def _session_limits(connection: psycopg.Connection) -> None:
    connection.execute("DELETE FROM authz.session_limit")
    for role, limits in ROLE_LIMITS.items():
        connection.execute(
            "INSERT INTO authz.session_limit (role, statement, transaction, idle, grace) VALUES (%s, %s, %s, %s, %s)",
            [role, *(limits.get(name) for name in TIME_LIMITS), LIMIT_GRACE],
        )


def _wall(connection: psycopg.Connection, database: str, keys: Sequence[SigningKey]) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
    connection.execute(_AUTHZ_SQL.read_text(encoding="utf-8"))
    connection.execute(closed_doors())
    for key in keys:
        inner, outer = pads(key.key)
        connection.execute(
            "INSERT INTO authz.signing_key (kid, inner_pad, outer_pad) VALUES (%s, %s, %s) "
            "ON CONFLICT (kid) DO UPDATE SET inner_pad = EXCLUDED.inner_pad, outer_pad = EXCLUDED.outer_pad",
            [key.kid, inner, outer],
        )
    connection.execute("DELETE FROM authz.signing_key WHERE kid <> ALL (%s)", [[key.kid for key in keys]])
    _session_limits(connection)
    set_defaults(connection, database)
    name = sql.Identifier(database)
    for role in ROLE_ATTRIBUTES:
        connection.execute(sql.SQL(f"ALTER ROLE {role} IN DATABASE {{}} RESET ALL").format(name))
    for statement in (
        "REVOKE ALL ON DATABASE {db} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {db} TO glassbox_owner, glassbox_api, glassbox_worker, glassbox_auditor, "
        "glassbox_eraser, glassbox_backup",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        "ALTER SCHEMA public OWNER TO glassbox_owner",
        "GRANT USAGE ON SCHEMA public TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser, "
        "glassbox_backup, glassbox_remover, glassbox_recorder, glassbox_surveyor, glassbox_authz",
        "GRANT pg_read_all_data TO glassbox_backup",
        # A backup's pg_dump and its reading of the log share one snapshot. closed_doors.sql revoked this right from
        # everybody.
        "GRANT EXECUTE ON FUNCTION pg_export_snapshot() TO glassbox_backup",
    ):
        connection.execute(sql.SQL(statement).format(db=name))
