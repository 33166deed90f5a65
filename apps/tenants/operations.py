"""Migration operations that build the wall around a table. Their SQL is versioned: old migrations never change."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState

from apps.tenants.isolation_sql import (
    POLICY_ROLES,
    IsolationLevel,
    Writes,
    command_policies,
    drop_policies,
    is_forced,
    keys_by_scope,
    keys_by_tenant,
    targets,
    tenant_keys,
)
from apps.tenants.rights import RUNTIME_ROLES

__all__ = [
    "LATEST",
    "EnableIsolation",
    "IsolationLevel",
    "KeysByScope",
    "PoliciesByCommand",
    "Writes",
]

PREDICATES = {
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


class Isolating(Operation):
    """What the operations below share: they change the wall of tables, and nothing that Django knows of."""

    category = OperationCategory.SQL
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The wall is the database's; Django's state does not know of it."""


class EnableIsolation(Isolating):
    """Put a table behind the wall: row-level security, its policies, grants and composite keys.

    Args:   model_name: the model, created by this migration.
            by: which rows a scope token opens.
            writes: what the runtime roles may do to them.
            identity_reads: a predicate over authz.identity(field) that lets a sign-in read rows before a scope is
                known; empty for every table that holds a document's content.
            version: of the SQL below; a later change adds a version and leaves the others as they are. New tables take
                the newest, LATEST. 2: keys of scoped tables contain the scope too (KeysByScope brings a table of
                version 1 there).
    """

    def __init__(
        self,
        model_name: str,
        *,
        by: str = IsolationLevel.SCOPE,
        writes: str = Writes.ALL,
        identity_reads: str = "",
        version: int = 1,
    ) -> None:
        if version not in (1, 2):
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
        forced = sorted({t for t in targets(model) if t != table and is_forced(schema_editor, t)})
        for target in forced:
            schema_editor.execute(f"ALTER TABLE {target} NO FORCE ROW LEVEL SECURITY")
        for deferred in [sql for sql in schema_editor.deferred_sql if sql.references_table(table)]:
            schema_editor.deferred_sql.remove(deferred)
            schema_editor.execute(deferred)
        statements = keys_by_tenant(model, self.by) if self.version == 1 else keys_by_scope(model, self.by)
        for statement in statements:
            schema_editor.execute(statement)
        for target in forced:
            schema_editor.execute(f"ALTER TABLE {target} FORCE ROW LEVEL SECURITY")
        for statement in self.policies(table):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        for statement in drop_policies(table):
            schema_editor.execute(statement)
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")
        schema_editor.execute(f"REVOKE ALL ON {table} FROM {', '.join(RUNTIME_ROLES)}, glassbox_auditor")

    def policies(self, table: str) -> list[str]:
        predicate = PREDICATES[self.by]
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
            statements += command_policies(
                table,
                read=read,
                insert=f"WITH CHECK ({predicate})",
                update=f"USING ({predicate}) WITH CHECK ({predicate})",
                delete=f"USING ({predicate})",
            )
        statements += [
            f"REVOKE ALL ON {table} FROM PUBLIC",
            f"GRANT {_GRANTS[self.writes]} ON {table} TO {', '.join(RUNTIME_ROLES)}",
            f"GRANT SELECT ON {table} TO glassbox_auditor",
        ]
        return statements


class PoliciesByCommand(Isolating):
    """Give a table one policy a command instead of one for all: what may be read differs from what may be written.

    Args:   model_name: the model; it need not have a tenant.
            read, insert, update, delete: USING and WITH CHECK clauses; a command without one is refused to all.
            updatable: the columns that the runtime roles may change; empty: all, where `update` is given.
            was: the isolation or the policies that this replaces, and that come back when the migration is undone.
    """

    def __init__(
        self,
        model_name: str,
        *,
        read: str,
        insert: str = "",
        update: str = "",
        delete: str = "",
        updatable: tuple[str, ...] = (),
        was: EnableIsolation | PoliciesByCommand | None = None,
    ) -> None:
        self.model_name = model_name
        self.clauses = {"read": read, "insert": insert, "update": update, "delete": delete}
        self.updatable = updatable
        self.was = was

    def describe(self) -> str:
        return f"Isolate {self.model_name} by command"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        runtime = ", ".join(RUNTIME_ROLES)
        update = f"UPDATE ({', '.join(self.updatable)})" if self.updatable else "UPDATE"
        rights = {"read": "SELECT", "insert": "INSERT", "update": update, "delete": "DELETE"}
        granted = ", ".join(rights[command] for command, clause in self.clauses.items() if clause)
        for statement in (
            *drop_policies(table),
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
            *command_policies(table, **self.clauses),
            f"REVOKE ALL ON {table} FROM PUBLIC, {runtime}",
            f"GRANT {granted} ON {table} TO {runtime}",
        ):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if isinstance(self.was, PoliciesByCommand):
            self.was.database_forwards(app_label, schema_editor, from_state, to_state)
            return
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        statements = [*drop_policies(table), f"REVOKE ALL ON {table} FROM {', '.join(RUNTIME_ROLES)}"]
        if self.was is None:
            statements.append(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")
        else:
            statements += self.was.policies(table)
        for statement in statements:
            schema_editor.execute(statement)


class KeysByScope(Isolating):
    """Put scope_id into the primary and foreign keys of scoped tables.

    Constraints look past row-level security. With (tenant_id, id) alone, a row of one scope could hang on a hidden
    parent in another one, and an insertion that fails told that a hidden id exists. And every index of a scoped table
    holds both columns that its policy asks about, so that no index scan ever visits a hidden row: what EXPLAIN ANALYZE
    counts, and what time tells, is about visible rows alone.

    Args: model_names: all scoped models of the app that refer to one another.
    """

    def __init__(self, *model_names: str) -> None:
        self.model_names = model_names

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, list(self.model_names), {}

    def describe(self) -> str:
        return f"Put the scope into the keys of {', '.join(self.model_names)}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self._rekey(app_label, schema_editor, to_state, by_scope=True)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self._rekey(app_label, schema_editor, to_state, by_scope=False)

    def _rekey(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: Any, *, by_scope: bool) -> None:
        models_ = [state.apps.get_model(app_label, name) for name in self.model_names]
        tables = sorted({m._meta.db_table for m in models_} | set().union(*(targets(m) for m in models_)))
        forced = [table for table in tables if is_forced(schema_editor, table)]
        after: list[str] = []
        # Checking a foreign key reads both of its tables, and FORCE would make the owner need a scope for that.
        drops = [f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in forced]
        primary: list[str] = []
        for model in models_:
            table = model._meta.db_table
            for name in (f"{table}_{field.column}" for field in tenant_keys(model)):
                drops += [
                    f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}_fk",
                    f"DROP INDEX IF EXISTS {name}_ix",
                ]
            keys = (keys_by_scope if by_scope else keys_by_tenant)(model, IsolationLevel.SCOPE)
            after += keys[1:]
            primary.append(keys[0])
        # All primary keys before the first foreign key: that is what it refers to.
        for statement in (*drops, *primary, *after):
            schema_editor.execute(statement)
        for table in forced:
            schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


LATEST = 2
