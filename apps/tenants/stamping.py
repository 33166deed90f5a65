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

FUNCTION: Final = "CREATE FUNCTION tenants_server_times() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
# Tables that were stamped by the function of before, when its migrations were run.
ONE_FUNCTION: Final = f"""
    DO $do$
    DECLARE
        old record;
    BEGIN
        FOR old IN
            SELECT t.tgrelid::regclass AS name, t.tgname,
                   string_agg(quote_literal(split_part(a.each, ':', 2) || ':own ' || CASE split_part(a.each, ':', 1)
                       WHEN 'begins' THEN 'made' WHEN 'ends' THEN 'once' WHEN 'notes' THEN 'time'
                       ELSE split_part(a.each, ':', 1) END), ', ' ORDER BY a.place) AS arguments
              FROM pg_trigger t, unnest(string_to_array(encode(t.tgargs, 'escape'), E'\\\\000'))
                   WITH ORDINALITY AS a (each, place)
             WHERE t.tgfoid = 'tenants_server_times()'::regprocedure AND a.each <> ''
             GROUP BY 1, 2
        LOOP
            EXECUTE format('DROP TRIGGER %I ON %s', old.tgname, old.name);
            EXECUTE format('CREATE TRIGGER {TRIGGER} BEFORE INSERT OR UPDATE ON %s '
                           'FOR EACH ROW EXECUTE FUNCTION authz.stamp(%s)', old.name, old.arguments);
        END LOOP;
        DROP FUNCTION tenants_server_times();
    END
    $do$
"""  # noqa: S608 (constants)


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


def ServerTimes(model_name: str, **columns: tuple[str, ...]) -> Stamp:
    """Stamp, as earlier migrations say it. Args: begins, ends, notes, within: columns."""
    kinds = {"begins": "made", "ends": "once", "notes": "time", "within": "within"}
    return Stamp(model_name, **{name: f"{OWN}{kinds[kind]}" for kind, names in columns.items() for name in names})
