"""Migration operations that isolate a table by tenant and scope, and an operation that runs a file of SQL.

The SQL that an operation writes never changes once it was released. A change needs a new argument or a new operation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps as installed
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
    keys,
    targets,
)
from apps.tenants.rights import RUNTIME_ROLES

__all__ = [
    "EnableIsolation",
    "IsolationLevel",
    "PoliciesByCommand",
    "RunSqlFile",
    "Writes",
]

PREDICATES = {
    IsolationLevel.SCOPE: "tenant_id = (SELECT authz.tenant()) AND scope_id = ANY ((SELECT authz.scopes())::uuid[])",
    IsolationLevel.TENANT: "tenant_id = (SELECT authz.tenant())",
    IsolationLevel.SCOPES: "tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]",
    IsolationLevel.TENANT_ROW: "id = (SELECT authz.tenant())",
    IsolationLevel.SCOPE_ROW: "tenant_id = (SELECT authz.tenant()) AND id = ANY ((SELECT authz.scopes())::uuid[])",
}
_GRANTS = {
    Writes.ALL: "SELECT, INSERT, UPDATE, DELETE",
    Writes.KEEP: "SELECT, INSERT, UPDATE",
    Writes.APPEND: "SELECT, INSERT",
    Writes.UNCHANGED: "SELECT, INSERT, DELETE",
    Writes.NONE: "SELECT",
}


class Isolating(Operation):
    """The base class of the operations below, which change a table's isolation and nothing in Django's state."""

    category = OperationCategory.SQL
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Do nothing: Django's state does not contain the policies and grants of the database."""


class EnableIsolation(Isolating):
    """Isolate a table: enable row-level security, and add its policies, grants and composite keys.

    Args:   model_name: the model, created by this migration.
            by: which rows a scope token opens.
            writes: what the runtime roles may do with these rows.
            identity_reads: a predicate over authz.identity(field) that lets a sign-in read rows before a scope is
                known. It must be empty for every table that holds a document's content.
    """

    def __init__(
        self,
        model_name: str,
        *,
        by: str = IsolationLevel.SCOPE,
        writes: str = Writes.ALL,
        identity_reads: str = "",
    ) -> None:
        self.model_name = model_name
        self.by = IsolationLevel(by)
        self.writes = Writes(writes)
        self.identity_reads = identity_reads

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (
            type(self).__name__,
            [self.model_name],
            {"by": self.by.value, "writes": self.writes.value, "identity_reads": self.identity_reads},
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
        # Adding a foreign key reads both tables, and with FORCE the owner would need an open scope to read them.
        forced = sorted({t for t in targets(model) if t != table and is_forced(schema_editor, t)})
        for target in forced:
            schema_editor.execute(f"ALTER TABLE {target} NO FORCE ROW LEVEL SECURITY")
        for deferred in [sql for sql in schema_editor.deferred_sql if sql.references_table(table)]:
            schema_editor.deferred_sql.remove(deferred)
            schema_editor.execute(deferred)
        for statement in keys(model, self.by):
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
    """Give a table one policy for each command instead of one for all, because reads and writes have different rules.

    Reversing the operation leaves the table closed to everybody.

    Args:   model_name: the model; it need not have a tenant.
            read, insert, update, delete: USING and WITH CHECK clauses; a command without a clause is refused to all.
            updatable: the columns that the runtime roles may change; if empty and `update` is given, all columns.
            remover: command (read, update or delete) -> name of a policy. Each such policy also lets the functions of
                glassbox_remover use that command, on the same rows.
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
        remover: Mapping[str, str] | None = None,
    ) -> None:
        self.model_name = model_name
        self.clauses = {"read": read, "insert": insert, "update": update, "delete": delete}
        self.updatable = updatable
        self.remover = dict(remover or {})

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
            *(
                f"CREATE POLICY {name} ON {table} AS PERMISSIVE FOR {rights[command].partition(' ')[0]} "
                f"TO glassbox_remover {self.clauses[command]}"
                for command, name in self.remover.items()
            ),
            f"REVOKE ALL ON {table} FROM PUBLIC, {runtime}",
            f"GRANT {granted} ON {table} TO {runtime}",
        ):
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        for statement in (
            *drop_policies(table),
            *(f"DROP POLICY {name} ON {table}" for name in self.remover.values()),
            f"REVOKE ALL ON {table} FROM {', '.join(RUNTIME_ROLES)}",
        ):
            schema_editor.execute(statement)


class RunSqlFile(Isolating):
    """Run a file of the app's folder `sql`.

    Reversing the operation drops what the file created and revokes what it granted, the last first. It does not restore
    what the file revoked, nor undo its changes to tables that another operation created.

    Args: name: the file, such as api_keys.sql.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.name], {}

    def describe(self) -> str:
        return f"Run {self.name}"

    @property
    def migration_name_fragment(self) -> str:
        return Path(self.name).stem

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        schema_editor.execute(self._text(app_label), params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for statement in undone(self._text(app_label)):
            schema_editor.execute(statement, params=None)

    def _text(self, app_label: str) -> str:
        folder = Path(installed.get_app_config(app_label).path, "sql")
        return (folder / self.name).read_text(encoding="utf-8")


_BODY = re.compile(r"(\$\w*\$).*?\1", re.DOTALL)
_COMMENT = re.compile(r"--.*")
# The beginning of a statement, and the statement that undoes it. Dropping a function also drops its grants and the
# triggers that run it.
_UNDONE = (
    (r"CREATE (TABLE|FUNCTION) (\w+)", r"DROP \1 \2 CASCADE"),
    (r"CREATE (POLICY|TRIGGER) (\w+)\b.*? ON (\w+)", r"DROP \1 IF EXISTS \2 ON \3"),
    (r"GRANT (.+) ON (?!FUNCTION)(.+) TO (.+)", r"REVOKE \1 ON \2 FROM \3"),
)


def undone(text: str) -> list[str]:
    """Return the statements that undo those of a file of SQL."""
    statements = []
    for statement in _COMMENT.sub("", _BODY.sub("", text)).split(";"):
        words = " ".join(statement.split())
        for begins, undoes in _UNDONE:
            found = re.match(begins, words)
            if found:
                statements.append(found.expand(undoes))
    return statements[::-1]
