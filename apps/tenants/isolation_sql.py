"""The SQL statements of the migration operations that isolate tables (operations.py)."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.models.base import TenantForeignKey
from apps.tenants.rights import RUNTIME_ROLES

POLICY_ROLES = (*RUNTIME_ROLES, "glassbox_owner", "glassbox_auditor", "glassbox_eraser")


class IsolationLevel(StrEnum):
    """Which rows a scope token opens."""

    SCOPE = "scope"  # rows with the tenant_id and a scope_id of the token
    TENANT = "tenant"  # rows with the tenant_id of the token
    SCOPES = "scopes"  # rows with the tenant_id of the token, if it grants all of the row's scope_ids
    TENANT_ROW = "tenant_row"  # the row of the tenant itself
    SCOPE_ROW = "scope_row"  # the rows of the scopes themselves


class Writes(StrEnum):
    """What the runtime roles may do with the rows that they see."""

    ALL = "all"
    APPEND = "append"  # INSERT and SELECT
    KEEP = "keep"  # INSERT, SELECT and UPDATE
    UNCHANGED = "unchanged"  # INSERT, SELECT and DELETE
    NONE = "none"  # SELECT alone; a file of SQL may grant a role more


def keys(model: type[models.Model], by: IsolationLevel) -> list[str]:
    """Return the statements that give a table its keys: the primary key first, then each foreign key with its index.

    The keys of a scoped table contain its scope, because constraints bypass row-level security. With (tenant_id, id)
    alone, a row of one scope could refer to a hidden parent in another scope, and a failed insert would reveal that a
    hidden id exists. Every index of a scoped table also contains both columns that its policy checks, so that no index
    scan visits a hidden row: the counts of EXPLAIN ANALYZE and the time of a query depend on visible rows alone.
    """
    if by is IsolationLevel.TENANT_ROW:
        return []
    table = model._meta.db_table
    owner = ("tenant_id", "scope_id") if by is IsolationLevel.SCOPE else ("tenant_id",)
    statements = [
        f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, "
        f"ADD CONSTRAINT {table}_pkey PRIMARY KEY ({', '.join((*owner, str(model._meta.pk.column)))})"
    ]
    for field in tenant_keys(model):
        target = field.related_model._meta
        shared = owner if "scope_id" in column_names(field.related_model) else ("tenant_id",)
        columns = ", ".join(dict.fromkeys((*shared, field.column)))
        name = f"{table}_{field.column}"
        if not _is_led(model, (*owner, field.column)):
            statements.append(f"CREATE INDEX {name}_ix ON {table} ({', '.join((*owner, field.column))})")
        statements.append(
            f"ALTER TABLE {table} ADD CONSTRAINT {name}_fk FOREIGN KEY ({columns}) "
            f"REFERENCES {target.db_table} ({', '.join((*shared, 'id'))}) DEFERRABLE INITIALLY DEFERRED"
        )
    return statements


def _is_led(model: type[models.Model], columns: tuple[str, ...]) -> bool:
    """Whether the primary key or a unique constraint begins with these columns, and so serves as their index."""
    if columns[-1] in columns[:-1]:
        return True
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint) and constraint.condition is None:
            led = [getattr(model._meta.get_field(name), "column", "") for name in constraint.fields]
            if tuple(led[: len(columns)]) == columns:
                return True
    return False


def column_names(model: type[models.Model]) -> list[str]:
    return [str(field.column) for field in model._meta.local_concrete_fields]


def tenant_keys(model: type[models.Model]) -> list[TenantForeignKey]:
    return [field for field in model._meta.local_fields if isinstance(field, TenantForeignKey)]


def command_policies(table: str, **clauses: str) -> list[str]:
    """Return the policies of a table, two for each command that has a clause.

    One is permissive, for our roles; the other is its restrictive twin, for everybody.
    """
    roles = ", ".join(POLICY_ROLES)
    statements = []
    for name, clause in clauses.items():
        command = "SELECT" if name == "read" else name.upper()
        if clause:
            statements += [
                f"CREATE POLICY isolation_{name} ON {table} AS PERMISSIVE FOR {command} TO {roles} {clause}",
                f"CREATE POLICY isolation_{name}_floor ON {table} AS RESTRICTIVE FOR {command} TO PUBLIC {clause}",
            ]
    return statements


def drop_policies(table: str) -> list[str]:
    names = ["isolation", *(f"isolation_{command}" for command in ("read", "insert", "update", "delete"))]
    return [f"DROP POLICY IF EXISTS {policy} ON {table}" for name in names for policy in (name, f"{name}_floor")]


def targets(model: type[models.Model]) -> set[str]:
    fields = [field for field in model._meta.local_fields if isinstance(field, models.ForeignKey)]
    return {field.related_model._meta.db_table for field in fields}


def is_forced(schema_editor: BaseDatabaseSchemaEditor, table: str) -> bool:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT relforcerowsecurity FROM pg_class WHERE oid = to_regclass(%s)", [table])
        row = cursor.fetchone()
        return bool(row and row[0])
