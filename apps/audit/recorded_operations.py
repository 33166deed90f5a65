"""A migration operation for tables that events refer to: it lets the recorder see that a row exists, and since when.

ToldOf("Document", "id", "created_at")

It is for classes of events that are bound to a row (registry.made_with).
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.operations import Isolating

_RECORDER = "glassbox_recorder"
# The policy is named isolation_read where each command has a policy, and isolation where one policy covers all.
_POLICIES = """
    SELECT policyname::text, array_remove(roles::text[], %s) FROM pg_policies
     WHERE schemaname = 'public' AND tablename = %s AND policyname IN ('isolation', 'isolation_read')
"""


class ToldOf(Isolating):
    """Let the recorder read a model's key and time.

    Args: columns: the key that an event names as its subject, and the time that the server sets.
    """

    def __init__(self, model_name: str, *columns: str) -> None:
        self.model_name = model_name
        self.columns = columns

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model_name, *self.columns], {}

    def describe(self) -> str:
        return f"Let events be bound to {self.model_name}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self._change(app_label, schema_editor, to_state, right="GRANT {} TO", roles=(_RECORDER,))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self._change(app_label, schema_editor, from_state, right="REVOKE {} FROM", roles=())

    def _change(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: Any, *, right: str, roles: tuple[str, ...]
    ) -> None:
        table = state.apps.get_model(app_label, self.model_name)._meta.db_table
        columns = ", ".join(("tenant_id", *self.columns))
        schema_editor.execute(f"{right.format(f'SELECT ({columns}) ON {table}')} {_RECORDER}")
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(_POLICIES, [_RECORDER, table])
            ((policy, others),) = cursor.fetchall()
        schema_editor.execute(f"ALTER POLICY {policy} ON {table} TO {', '.join((*others, *roles))}")
