"""The migration operation for columns that vouch: what names a time or a person is not taken from who writes the row.

    Stamp("LegalHold", placed_at="made", placed_by_label="label", released_at="time")

The database fills them, whatever a role that runs anything writes (authz.stamp in sql/authz.sql). What the server sets
is a column with db_default=Now(): a row that was just made then has the server's time at once. A check names one that
has not (catalogue/stamps.py), and a test every column that names a person or a time, and what binds it
(tests/isolation/test_stamped.py).
"""

from __future__ import annotations

from typing import Any, Final

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.operations import Isolating

# Before the triggers of the tables themselves, which fire by name: what they judge is what will stand there.
TRIGGER: Final = "aa_stamp"
_KINDS: Final = ("made", "once", "time", "within", "from", "label")
# Brought by the platform itself, such as with a tenant's rows after a restore, it stays as it was.
OWN: Final = "own "
KINDS: Final = (*_KINDS, *(f"{OWN}{kind}" for kind in _KINDS), "own")


class Stamp(Isolating):
    """Have the database fill columns of a table.

    Args: model_name: the model.
          columns: column -> kind. made: the time of the insertion, for good. once: when it was set first, for good.
              time: when it was set or changed. within: as it is given, but not before created_at and not to come.
              from: now, or later. label: the name of whoever acts. Null and the empty text stay, but for made. With
              "own " before it, what the platform itself writes stays as it is; own alone is short for "own time".
    """

    def __init__(self, model_name: str, **columns: str) -> None:
        unknown = sorted(set(columns.values()) - set(KINDS))
        if unknown:
            raise ValueError(f"no kinds of a stamp: {', '.join(unknown)}")
        self.model_name = model_name
        self.columns = columns

    def describe(self) -> str:
        return f"Stamp {', '.join(self.columns)} of {self.model_name}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        arguments = ", ".join(f"'{column}:{kind}'" for column, kind in self.columns.items())
        schema_editor.execute(
            f"CREATE TRIGGER {TRIGGER} BEFORE INSERT OR UPDATE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION authz.stamp({arguments})"
        )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"DROP TRIGGER {TRIGGER} ON {table}")
