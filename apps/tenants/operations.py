"""Migration operations that build the wall around a table. Their SQL is versioned: old migrations never change."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState

from apps.tenants.models.base import TenantForeignKey

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker")
POLICY_ROLES = (*RUNTIME_ROLES, "glassbox_owner", "glassbox_auditor", "glassbox_eraser")


class IsolationLevel(StrEnum):
    """Which rows a scope token opens."""

    SCOPE = "scope"  # tenant_id and scope_id of the token
    TENANT = "tenant"  # tenant_id of the token
    SCOPES = "scopes"  # tenant_id, and every one of the row's scope_ids granted
    TENANT_ROW = "tenant_row"  # the tenant itself
    SCOPE_ROW = "scope_row"  # a scope itself


class Writes(StrEnum):
    """What the runtime roles may do to the rows that they see."""

    ALL = "all"
    APPEND = "append"  # INSERT and SELECT
    KEEP = "keep"  # INSERT, SELECT and UPDATE


_PREDICATES = {
    IsolationLevel.SCOPE: ("tenant_id = (SELECT authz.tenant()) AND scope_id = ANY ((SELECT authz.scopes())::uuid[])"),
    IsolationLevel.TENANT: "tenant_id = (SELECT authz.tenant())",
    IsolationLevel.SCOPES: ("tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]"),
    IsolationLevel.TENANT_ROW: "id = (SELECT authz.tenant())",
    IsolationLevel.SCOPE_ROW: "tenant_id = (SELECT authz.tenant()) AND id = ANY ((SELECT authz.scopes())::uuid[])",
}
_GRANTS = {
    Writes.ALL: "SELECT, INSERT, UPDATE, DELETE",
    Writes.KEEP: "SELECT, INSERT, UPDATE",
    Writes.APPEND: "SELECT, INSERT",
}


class EnableIsolation(Operation):
    """Put a table behind the wall: row-level security, its policies, grants and composite keys.

    Args:   model_name: the model, created by this migration.
            by: which rows a scope token opens.
            writes: what the runtime roles may do to them.
            identity_reads: a predicate over authz.identity(field) that lets a sign-in read rows before a scope is
                known; empty for every table that holds a document's content.
            version: of the SQL below; a later change adds a version and leaves this one as it is.
    """

    category = OperationCategory.SQL
    reversible = True

    def __init__(
        self,
        model_name: str,
        *,
        by: str = IsolationLevel.SCOPE,
        writes: str = Writes.ALL,
        identity_reads: str = "",
        version: int = 1,
    ) -> None:
        if version != 1:
            raise ValueError(f"EnableIsolation has no version {version}")
        self.model_name = model_name
        self.by = IsolationLevel(by)
        self.writes = Writes(writes)
        self.identity_reads = identity_reads
        self.version = version

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (
            type(self).__name__,
            [self.model_name],
            {
                "by": self.by.value,
                "writes": self.writes.value,
                "identity_reads": self.identity_reads,
                "version": self.version,
            },
        )

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The wall is the database's; Django's state does not know of it."""

    def describe(self) -> str:
        return f"Isolate {self.model_name} by {self.by.value}"

    @property
    def migration_name_fragment(self) -> str:
        return f"isolate_{self.model_name.lower()}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        table = model._meta.db_table
        # Adding a foreign key reads both of its tables, and FORCE would make the owner need a scope for that.
        forced = sorted({t for t in _targets(model) if t != table and _is_forced(schema_editor, t)})
        for target in forced:
            schema_editor.execute(f"ALTER TABLE {target} NO FORCE ROW LEVEL SECURITY")
        for deferred in [sql for sql in schema_editor.deferred_sql if sql.references_table(table)]:
            schema_editor.deferred_sql.remove(deferred)
            schema_editor.execute(deferred)
        for statement in self._keys(model):
            schema_editor.execute(statement)
        for target in forced:
            schema_editor.execute(f"ALTER TABLE {target} FORCE ROW LEVEL SECURITY")
        for statement in self._policies(table):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        for policy in ("isolation", "isolation_floor", "isolation_read", "isolation_read_floor"):
            schema_editor.execute(f"DROP POLICY IF EXISTS {policy} ON {table}")
        for command in ("insert", "update", "delete"):
            schema_editor.execute(f"DROP POLICY IF EXISTS isolation_{command} ON {table}")
            schema_editor.execute(f"DROP POLICY IF EXISTS isolation_{command}_floor ON {table}")
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")
        schema_editor.execute(f"REVOKE ALL ON {table} FROM {', '.join(RUNTIME_ROLES)}, glassbox_auditor")

    def _keys(self, model: type[models.Model]) -> list[str]:
        if self.by is IsolationLevel.TENANT_ROW:
            return []
        table = model._meta.db_table
        statements = [
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey, ADD CONSTRAINT {table}_pkey PRIMARY KEY (tenant_id, id)"
        ]
        for field in model._meta.local_fields:
            if isinstance(field, TenantForeignKey):
                target = field.related_model._meta.db_table
                name = f"{table}_{field.column}"
                statements += [
                    f"CREATE INDEX {name}_ix ON {table} (tenant_id, {field.column})",
                    f"ALTER TABLE {table} ADD CONSTRAINT {name}_fk FOREIGN KEY (tenant_id, {field.column}) "
                    f"REFERENCES {target} (tenant_id, id) DEFERRABLE INITIALLY DEFERRED",
                ]
        return statements

    def _policies(self, table: str) -> list[str]:
        predicate = _PREDICATES[self.by]
        roles = ", ".join(POLICY_ROLES)
        statements = [f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"]
        if not self.identity_reads:
            both = f"USING ({predicate}) WITH CHECK ({predicate})"
            statements += [
                f"CREATE POLICY isolation ON {table} AS PERMISSIVE FOR ALL TO {roles} {both}",
                f"CREATE POLICY isolation_floor ON {table} AS RESTRICTIVE FOR ALL TO PUBLIC {both}",
            ]
        else:
            opened = predicate.replace("authz.tenant()", "authz.tenant_if_open()").replace(
                "authz.scopes()", "authz.scopes_if_open()"
            )
            read = f"USING (({opened}) OR ({self.identity_reads}))"
            clauses = {
                "read": ("SELECT", read),
                "insert": ("INSERT", f"WITH CHECK ({predicate})"),
                "update": ("UPDATE", f"USING ({predicate}) WITH CHECK ({predicate})"),
                "delete": ("DELETE", f"USING ({predicate})"),
            }
            for name, (command, clause) in clauses.items():
                statements += [
                    f"CREATE POLICY isolation_{name} ON {table} AS PERMISSIVE FOR {command} TO {roles} {clause}",
                    f"CREATE POLICY isolation_{name}_floor ON {table} AS RESTRICTIVE FOR {command} TO PUBLIC {clause}",
                ]
        statements += [
            f"REVOKE ALL ON {table} FROM PUBLIC",
            f"GRANT {_GRANTS[self.writes]} ON {table} TO {', '.join(RUNTIME_ROLES)}",
            f"GRANT SELECT ON {table} TO glassbox_auditor",
        ]
        return statements


def _targets(model: type[models.Model]) -> set[str]:
    fields = [field for field in model._meta.local_fields if isinstance(field, models.ForeignKey)]
    return {field.related_model._meta.db_table for field in fields}


def _is_forced(schema_editor: BaseDatabaseSchemaEditor, table: str) -> bool:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT relforcerowsecurity FROM pg_class WHERE oid = to_regclass(%s)", [table])
        row = cursor.fetchone()
        return bool(row and row[0])
