"""The migration operation by which the database holds a flow's table."""

from __future__ import annotations

import json
from typing import Any, Final

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils.module_loading import import_string

from apps.tenants.flows.table import By, Flow
from apps.tenants.operations import Isolating

# After the stamp (stamping.py), so that the trigger checks the final values, and before the tables' own triggers, which
# fill in what the database sets.
TRIGGER: Final = "ab_flow"


class HoldFlow(Isolating):
    """Have the database refuse every change of a row that is no step of its flow, and every decision of one person.

    The table of the flow is an argument of its trigger, which only the owner of the table can change. A later change of
    the flow takes the operation once more, in a new migration.

    Args: path: the flow, such as "apps.intents.flow.VERSIONS".
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def describe(self) -> str:
        return f"Hold the flow {self.path}"

    @property
    def flow(self) -> Flow:
        found: Flow = import_string(self.path)
        return found

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for name, function in triggers(self.flow).items():
            schema_editor.execute(
                f"CREATE OR REPLACE TRIGGER {name} BEFORE INSERT OR UPDATE ON {self.flow.table} "
                f"FOR EACH ROW EXECUTE FUNCTION {function}",
                params=None,
            )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for name in triggers(self.flow):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name} ON {self.flow.table}")


def triggers(flow: Flow) -> dict[str, str]:
    """Return the triggers of a flow: name -> the function that it calls, with its arguments.

    Each column in which a second person signs has its own trigger beside that of the table (sql/decisions.sql).
    """
    table = json.dumps(flow.as_json()).replace("'", "''")
    signed = {step.signed: step.author or flow.author for step in flow.steps if step.by is By.SECOND and step.signed}
    return {
        TRIGGER: f"tenants_flow_step('{table}')",
        **{
            f"zz_second_person_{column}": f"tenants_second_person('{asked}', '{column}')"
            for column, asked in signed.items()
        },
    }
