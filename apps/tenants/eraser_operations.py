"""What the eraser may do to a table whose store is a class of its own, as a migration operation.

For the other tables the models' declarations say it (personal_data/eraser.py).
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.operations import Isolating


class EmptyOnlyTargets(Isolating):
    """Let the eraser empty rows that an executing run of removals covers, and no others.

    Without a run, a process with the eraser's password changes nothing in the table: rows that no run covers are
    skipped, and an update that leaves anything but an emptied row is an error. For migrations that come after the one
    that makes audit_removal_targets(type) (apps/audit/sql/removal_targets.sql).

    Args: model_name: an isolated model. app_label: its app, if it is not the migration's but one below it.
          reads: the columns by which the eraser finds rows. updates: those that it empties.
          empties: an SQL condition over the table's columns for the rows that a run covers, `named` for the targets.
          leaves: an SQL condition that an emptied row meets; the eraser can't write anything else into it.
    """

    def __init__(
        self,
        model_name: str,
        *,
        app_label: str = "",
        reads: tuple[str, ...],
        updates: tuple[str, ...],
        empties: str,
        leaves: str,
    ) -> None:
        self.model_name = model_name
        self.app_label = app_label
        self.rights = f"SELECT ({', '.join(reads)}), UPDATE ({', '.join(updates)})"
        self.clause = f"USING ({empties}) WITH CHECK ({leaves})"

    def describe(self) -> str:
        return f"Let the eraser empty targets in {self.model_name}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(self.app_label or app_label, self.model_name)._meta.db_table
        schema_editor.execute(
            f"CREATE POLICY targets_update ON {table} AS RESTRICTIVE FOR UPDATE TO glassbox_eraser {self.clause}",
            params=None,  # the clause may hold a percent sign
        )
        schema_editor.execute(f"GRANT {self.rights} ON {table} TO glassbox_eraser")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(self.app_label or app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"REVOKE {self.rights} ON {table} FROM glassbox_eraser")
        schema_editor.execute(f"DROP POLICY targets_update ON {table}")


def named(kind: str) -> str:
    """Return the SQL condition on a column that holds ids of targets of a type (apps.erasure.contracts.TargetType)."""
    return f"IN (SELECT audit_removal_targets('{kind}'))"
