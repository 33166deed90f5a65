"""The migration operation for columns whose time or person the database sets, and not the writer of the row.

    Stamp("LegalHold", placed_at="made", placed_by_label="label", released_at="time")

The database fills these columns, whatever a runtime role or the eraser writes into them (authz.stamp in sql/authz.sql).
A column for the time of the insertion needs db_default=Now(), so that a new object has the server's time at once; a
check finds columns without that default (catalogue/stamps.py). A test lists every column that names a person or a time,
and what protects it (tests/isolation/test_stamped.py).
"""

from __future__ import annotations

from typing import Any, Final

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.operations import Isolating

# Triggers fire in the order of their names. This name puts the stamp before the triggers of the tables themselves, so
# that they check the final values.
TRIGGER: Final = "aa_stamp"
_KINDS: Final = ("made", "once", "time", "within", "from", "label")
# With this prefix, values that the platform itself writes stay unchanged, such as those of a tenant's restored rows.
OWN: Final = "own "
KINDS: Final = (*_KINDS, *(f"{OWN}{kind}" for kind in _KINDS), "own")


class Stamp(Isolating):
    """Have the database fill columns of a table.

    Args: model_name: the model.
          columns: column -> kind of stamp.
              made: the time of the insertion; it never changes.
              once: the time when the column was first set; it never changes.
              time: the time when the column was last set or changed.
              within: the given time, but not before created_at and not in the future.
              from: the given time, but not before now.
              label: the name of the acting principal.
              Null and the empty text are kept, except for "made". With the prefix "own ", values that the platform
              itself writes are kept; "own" alone is short for "own time".
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
