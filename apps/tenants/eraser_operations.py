"""Migration operations that say what the eraser may remove (apps/erasure/runs)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.isolation_sql import IsolationLevel, column_names
from apps.tenants.operations import PREDICATES, Isolating


class EraserRights(Isolating):
    """Give glassbox_eraser the rights on a table that its store of personal data needs (apps/erasure/runs).

    Args:   model_name: the model.
            reads: the columns by which the eraser finds rows.
            deletes: whether the eraser removes rows.
            updates: the columns that the eraser empties.
            policies: "delete" or "update" or both, if the table has no policy for that command. The operation adds one
                for the eraser alone, within the open tenant. A table whose isolation policy covers all commands needs
                none.
    """

    def __init__(
        self,
        model_name: str,
        *,
        reads: tuple[str, ...],
        deletes: bool = False,
        updates: tuple[str, ...] = (),
        policies: tuple[str, ...] = (),
    ) -> None:
        self.model_name = model_name
        self.rights = [f"SELECT ({', '.join(reads)})"]
        if deletes:
            self.rights.append("DELETE")
        if updates:
            self.rights.append(f"UPDATE ({', '.join(updates)})")
        self.policies = policies

    def describe(self) -> str:
        return f"Let the eraser remove what {self.model_name} holds"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        predicate = PREDICATES[IsolationLevel.TENANT]
        clauses = {"delete": f"USING ({predicate})", "update": f"USING ({predicate}) WITH CHECK ({predicate})"}
        for command in self.policies:
            names = f"FOR {command.upper()} TO"
            schema_editor.execute(
                f"CREATE POLICY removal_{command} ON {table} AS PERMISSIVE {names} glassbox_eraser {clauses[command]}"
            )
            schema_editor.execute(
                f"CREATE POLICY removal_{command}_floor ON {table} AS RESTRICTIVE {names} PUBLIC {clauses[command]}"
            )
        schema_editor.execute(f"GRANT {', '.join(self.rights)} ON {table} TO glassbox_eraser")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"REVOKE {', '.join(self.rights)} ON {table} FROM glassbox_eraser")
        for command in self.policies:
            schema_editor.execute(f"DROP POLICY removal_{command} ON {table}")
            schema_editor.execute(f"DROP POLICY removal_{command}_floor ON {table}")


class RemoveOnlyTargets(Isolating):
    """Let the eraser delete the rows of a table that an executing run of removals names, and no others.

    For migrations that come after the one that makes audit_removal_targets(type) (apps/audit/sql/removal_targets.sql).

    Args: model_name: an isolated model.
          columns: the columns that the eraser may read to find and count rows: ids, never contents. Without columns
              the operation gives no right, and only binds rights that the eraser has from elsewhere to the targets.
          by: type of target (apps.erasure.contracts.TargetType) -> the column that holds its id, such as
              {"document": "document_id"}. Removing a scope or a tenant removes its rows too: `scope` and `tenant` are
              added if the table has these columns.
    """

    def __init__(self, model_name: str, *, columns: tuple[str, ...] = (), by: Mapping[str, str] | None = None) -> None:
        self.model_name = model_name
        self.columns = columns
        self.by = dict(by or {})

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model_name], {"columns": self.columns, "by": self.by}

    def describe(self) -> str:
        return f"Let the eraser remove targets from {self.model_name}"

    @property
    def migration_name_fragment(self) -> str:
        return f"remove_targets_{self.model_name.lower()}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        table = model._meta.db_table
        # The tenant and the scope come first, because they are the quickest to check. A separate sub-select for each
        # type can be hashed, however many targets there are.
        whole = {name: f"{name}_id" for name in ("tenant", "scope") if f"{name}_id" in column_names(model)}
        named = " OR ".join(
            f"{column} IN (SELECT audit_removal_targets('{kind}'))" for kind, column in {**whole, **self.by}.items()
        )
        schema_editor.execute(
            f"CREATE POLICY removal_of_targets ON {table} AS RESTRICTIVE FOR DELETE TO glassbox_eraser USING ({named})"
        )
        if self.columns:
            schema_editor.execute(f"GRANT SELECT ({', '.join(self.columns)}), DELETE ON {table} TO glassbox_eraser")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"DROP POLICY removal_of_targets ON {table}")
        if self.columns:
            schema_editor.execute(f"REVOKE ALL ON {table} FROM glassbox_eraser")
            schema_editor.execute(f"REVOKE ALL ({', '.join(self.columns)}) ON {table} FROM glassbox_eraser")


class ChangeOnlyTargets(Isolating):
    """Let the eraser delete or empty rows of a table that an executing run of removals covers, and no others.

    For tables that RemoveOnlyTargets does not fit: more than one column says which target a row belongs to, or rows
    are emptied and not deleted. The operation gives no right. Without a run, a process with the eraser's password
    changes nothing in the table: rows that no run covers are skipped, and an update that leaves anything but an emptied
    row is an error.

    Args: model_name: an isolated model.
          app_label: the model's app, if it is not the migration's app but one below it.
          deletes, empties: SQL conditions over the table's columns for the rows that a run covers, with `named` for the
              targets. The stores find the same rows (apps/erasure/stores/rows.py).
          leaves: an SQL condition that an emptied row meets; the eraser can't write anything else into it.
    """

    def __init__(
        self, model_name: str, *, app_label: str = "", deletes: str = "", empties: str = "", leaves: str = ""
    ) -> None:
        if bool(empties) != bool(leaves) or not (deletes or empties):
            raise ValueError(f"{model_name}: say which rows go, or which are emptied and what is left of them")
        self.model_name = model_name
        self.app_label = app_label
        self.clauses = {
            "delete": f"USING ({deletes})" if deletes else "",
            "update": f"USING ({empties}) WITH CHECK ({leaves})" if empties else "",
        }

    def describe(self) -> str:
        return f"Bind what the eraser does to {self.model_name} to targets"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(self.app_label or app_label, self.model_name)._meta.db_table
        for command, clause in self.clauses.items():
            if clause:
                schema_editor.execute(
                    f"CREATE POLICY targets_{command} ON {table} AS RESTRICTIVE FOR {command.upper()} "
                    f"TO glassbox_eraser {clause}",
                    params=None,  # a clause may hold a percent sign
                )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(self.app_label or app_label, self.model_name)._meta.db_table
        for command, clause in self.clauses.items():
            if clause:
                schema_editor.execute(f"DROP POLICY targets_{command} ON {table}")


def named(kind: str) -> str:
    """Return the SQL condition on a column that holds ids of targets of a type (apps.erasure.contracts.TargetType)."""
    return f"IN (SELECT audit_removal_targets('{kind}'))"


class RemovedWithTenant(Isolating):
    """Let the rows of an erased tenant be removed from a table whose rows are otherwise never deleted.

    The function audit_remove_of_tenant (apps/audit/sql/end_of_tenant.sql) removes them, for an executing run of
    removals that names the tenant. The function belongs to glassbox_remover; a trigger that refuses to delete such rows
    makes an exception for that role. The function refuses a table that has no policy of this operation's name.

    Args: model_name: an isolated model.
          needs_floor: whether to add a restrictive twin of this operation's policy. It is needed if the table has one
              policy for each command, so that no existing restrictive policy covers all commands.
    """

    policy = "end_of_tenant"
    rights = ("SELECT (tenant_id, id)", "DELETE")

    def __init__(self, model_name: str, *, needs_floor: bool = False) -> None:
        self.model_name = model_name
        self.needs_floor = needs_floor

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model_name], {"needs_floor": self.needs_floor}

    def describe(self) -> str:
        return f"Let {self.model_name} go with its tenant"

    @property
    def migration_name_fragment(self) -> str:
        return f"removed_with_tenant_{self.model_name.lower()}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        predicate = PREDICATES[IsolationLevel.TENANT]
        both = f"USING ({predicate}) WITH CHECK ({predicate})"
        schema_editor.execute(
            f"CREATE POLICY {self.policy} ON {table} AS PERMISSIVE FOR ALL TO glassbox_remover {both}"
        )
        if self.needs_floor:
            schema_editor.execute(
                f"CREATE POLICY {self.policy}_floor ON {table} AS RESTRICTIVE FOR ALL TO PUBLIC {both}"
            )
        schema_editor.execute(f"GRANT {', '.join(self.rights)} ON {table} TO glassbox_remover")
        schema_editor.execute(f"GRANT {self.rights[0]} ON {table} TO glassbox_eraser")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"REVOKE {', '.join(self.rights)} ON {table} FROM glassbox_remover")
        schema_editor.execute(f"DROP POLICY IF EXISTS {self.policy}_floor ON {table}")
        schema_editor.execute(f"DROP POLICY {self.policy} ON {table}")
