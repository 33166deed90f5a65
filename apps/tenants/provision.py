"""Make the database what the wall needs: roles, extensions, token functions, keys, grants. Idempotent.

It runs as an administrator of the server (embedded: the superuser; elsewhere: whoever ADMIN_DATABASE_URL names) and
is the only code that does. Everything else runs as one of the roles made here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from apps.tenants.tokens import pads
from config.secrets import SigningKey

_AUTHZ_SQL = Path(__file__).with_name("sql") / "authz.sql"

# Attributes as isolation.md has them; nobody is a member of anything.
ROLE_ATTRIBUTES: Mapping[str, str] = {
    "glassbox_owner": "LOGIN NOBYPASSRLS",
    "glassbox_authz": "NOLOGIN NOBYPASSRLS",
    "glassbox_api": "LOGIN NOBYPASSRLS",
    "glassbox_worker": "LOGIN NOBYPASSRLS",
    "glassbox_auditor": "LOGIN NOBYPASSRLS",
    "glassbox_eraser": "LOGIN NOBYPASSRLS",
    "glassbox_backup": "LOGIN BYPASSRLS",
}
_RUNTIME = "glassbox_api, glassbox_worker"

# Tables without a tenant: the platform's own. Each right is one that a runtime role cannot do without.
GLOBAL_GRANTS: Mapping[str, str] = {
    "tenants_user": "SELECT, INSERT, UPDATE",
    "django_session": "SELECT, INSERT, UPDATE, DELETE",
    "django_content_type": "SELECT",
    "django_migrations": "SELECT",
    "auth_permission": "SELECT",
    "auth_group": "SELECT",
    "auth_group_permissions": "SELECT",
    "tenants_user_groups": "SELECT",
    "tenants_user_user_permissions": "SELECT",
    "django_celery_beat_clockedschedule": "SELECT, INSERT, UPDATE, DELETE",
    "django_celery_beat_crontabschedule": "SELECT, INSERT, UPDATE, DELETE",
    "django_celery_beat_intervalschedule": "SELECT, INSERT, UPDATE, DELETE",
    "django_celery_beat_periodictask": "SELECT, INSERT, UPDATE, DELETE",
    "django_celery_beat_periodictasks": "SELECT, INSERT, UPDATE, DELETE",
    "django_celery_beat_solarschedule": "SELECT, INSERT, UPDATE, DELETE",
}


def provision(
    *, admin_url: str, database: str, passwords: Mapping[str, str], keys: Sequence[SigningKey], template: str = ""
) -> bool:
    """Make roles, database and wall where they are missing or out of date.

    Args:    admin_url: a server administrator's connection string, to any database.
             database: the one to make or bring up to date.
             passwords: by role, for every role that logs in.
             keys: the scope-token keys that the database shall accept; others are removed.
             template: make the database as a copy of this one (tests).
    Returns: whether anything was changed.
    """
    stamp = _stamp(passwords, keys)
    with psycopg.connect(admin_url, autocommit=True) as server:
        # Two first starts at once: the second waits and then finds it done.
        server.execute("SELECT pg_advisory_lock(hashtext('glassbox provision'))")
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            _roles(server, passwords)
            server.execute(_create_database(database, template))
        with psycopg.connect(admin_url, dbname=database, autocommit=True) as connection:
            if _stamped(connection) == stamp:
                return False
            _roles(server, passwords)
            with connection.transaction():
                _wall(connection, database, keys)
                connection.execute(
                    sql.SQL("COMMENT ON SCHEMA authz IS {}").format(sql.Literal(f"glassbox provision {stamp}"))
                )
            return True


def grant_global_tables(*, admin_url: str, database: str) -> None:
    """Give the runtime roles their rights on the platform's own tables; after every migration."""
    with psycopg.connect(admin_url, dbname=database) as connection:
        for table, rights in GLOBAL_GRANTS.items():
            connection.execute(
                sql.SQL(
                    "REVOKE ALL ON {table} FROM " + _RUNTIME + "; GRANT " + rights + " ON {table} TO " + _RUNTIME
                ).format(table=sql.Identifier("public", table))
            )
        connection.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {_RUNTIME}")


def _stamp(passwords: Mapping[str, str], keys: Sequence[SigningKey]) -> str:
    digest = hashlib.sha256(_AUTHZ_SQL.read_bytes())
    digest.update(repr((sorted(ROLE_ATTRIBUTES.items()), sorted(passwords.items()))).encode())
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


def _wall(connection: psycopg.Connection, database: str, keys: Sequence[SigningKey]) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
    connection.execute(_AUTHZ_SQL.read_text(encoding="utf-8"))
    for key in keys:
        inner, outer = pads(key.key)
        connection.execute(
            "INSERT INTO authz.signing_key (kid, inner_pad, outer_pad) VALUES (%s, %s, %s) "
            "ON CONFLICT (kid) DO UPDATE SET inner_pad = EXCLUDED.inner_pad, outer_pad = EXCLUDED.outer_pad",
            [key.kid, inner, outer],
        )
    connection.execute("DELETE FROM authz.signing_key WHERE kid <> ALL (%s)", [[key.kid for key in keys]])
    name = sql.Identifier(database)
    for statement in (
        "REVOKE ALL ON DATABASE {db} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {db} TO glassbox_owner, glassbox_api, glassbox_worker, glassbox_auditor, "
        "glassbox_eraser, glassbox_backup",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        "ALTER SCHEMA public OWNER TO glassbox_owner",
        "GRANT USAGE ON SCHEMA public TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser, "
        "glassbox_backup",
        "GRANT pg_read_all_data TO glassbox_backup",
    ):
        connection.execute(sql.SQL(statement).format(db=name))
