"""Migration operations that say what the eraser may remove: see apps/erasure/runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.isolation_sql import IsolationLevel, column_names
from apps.tenants.operations import PREDICATES, Isolating


class EraserRights(Isolating):
    """What glassbox_eraser needs of a table for its store of personal data (apps/erasure/runs), and nothing else.

    Args:   model_name: the model.
            reads: the columns that it finds rows by.
            deletes: whether it removes rows.
            updates: the columns that it empties.
            policies: of "delete" and "update", those that the table's policies leave out: for the eraser alone, within
                the open tenant. A policy of isolation by itself covers all commands.
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
    """Let the eraser delete rows of a table: those that an executing run of removals names, and no others.

    For migrations that come after the one that makes audit_removal_targets(type) (apps/audit/sql/removal_targets.sql).

    Args: model_name: an isolated model.
          columns: those that the eraser may read, which finding and counting rows needs: ids, never contents. Without
              them it is given no right, and the ones that it has from elsewhere are bound to targets.
          by: type of target (apps.erasure.contracts.TargetType) -> the column that holds its id, such as
              {"document": "document_id"}. What lies in a scope goes with it, and all of a tenant with the tenant:
              `scope` and `tenant` are added where the table has these columns.
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
        # The whole first, which is asked quickest. A sub-select of its own is hashed, however many targets there are.
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

    For tables that RemoveOnlyTargets can't tell of: their rows are of a target by more than one column, or are emptied.
    It gives no right. Without a run the eraser changes nothing in the table, whoever holds its password: a row is
    passed over, and one that would be left as something else than empty is an error.

    Args: model_name: an isolated model.
          app_label: its app, where that is below the migration's.
          deletes, empties: which rows a run covers, as SQL over the table's columns, with `named` for the targets; as
              the stores find them (apps/erasure/stores/rows.py).
          leaves: what a row is that was emptied, as SQL: the eraser writes nothing else into it.
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
    """What a column is in whose rows are of a target of this type (apps.erasure.contracts.TargetType)."""
    return f"IN (SELECT audit_removal_targets('{kind}'))"


class RemovedWithTenant(Isolating):
    """Let rows go that the database keeps from everybody, once their tenant is erased, and not before.

    What removes them is audit_remove_of_tenant (apps/audit/sql/end_of_tenant.sql), for an executing run of removals
    that names the tenant. It belongs to glassbox_remover: a trigger that refuses to delete such rows lets that role
    through. It goes by the policy's name.

    Args: model_name: an isolated model.
          needs_floor: whether its policies are by command, so that none of them is the twin of this one's.
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
