"""What is approved is what was read: a decision names the revision that it is about. Part of migration 0029.

A revision counts what whoever decides has to read: each change of a request, each step of a run that people take, each
submission of retention rules (and of a policy: intents' migration 0009). The statement that decides says in
decided_revision which one was read; another one than stands there is refused, whoever sends it.
"""

from __future__ import annotations

from typing import Any

from django.db.migrations import RunSQL

from apps.tenants.operations import Isolating

_STEPPED = """
CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.revision <> 1 OR NEW.decided_revision IS NOT NULL THEN
            RAISE EXCEPTION 'what is to be decided on begins with its first revision' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF {decides} THEN
        IF NEW.decided_revision IS DISTINCT FROM OLD.revision THEN
            RAISE EXCEPTION 'nothing is decided: revision % stands there, and % was read',
                OLD.revision, coalesce(NEW.decided_revision::text, 'none') USING ERRCODE = 'check_violation';
        END IF;
    ELSIF NEW.decided_revision IS DISTINCT FROM OLD.decided_revision THEN
        RAISE EXCEPTION 'which revision was decided on is set by the decision' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.revision IS DISTINCT FROM OLD.revision AND NOT ({by_author}) THEN
        RAISE EXCEPTION 'revisions are counted by the database' USING ERRCODE = 'check_violation';
    END IF;
    IF {counts} THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER {trigger} BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {function}();
"""
_NOT_STEPPED = "DROP TRIGGER {trigger} ON {table}; DROP FUNCTION {function}();"


def stepped(table: str, trigger: str, *, decides: str, counts: str, by_author: str = "false") -> RunSQL:
    """The trigger of one table.

    Args: trigger: by its name it comes after the one that says who may take which step.
          decides, counts: as SQL over OLD and NEW: whether this is a decision, and whether it makes another revision.
          by_author: where the application counts by itself: the author's changes of a draft.
    """
    names = {"table": table, "trigger": trigger, "function": f"{trigger}_revision"}
    return RunSQL(
        sql=_STEPPED.format(**names, decides=decides, counts=counts, by_author=by_author),
        reverse_sql=_NOT_STEPPED.format(**names),
    )


def step(column: str, *steps: str) -> str:
    """Whether a row goes one of these steps, such as `in_review to draft`, as SQL."""
    named = ", ".join(f"'{each}'" for each in steps)
    return f"OLD.{column} <> NEW.{column} AND OLD.{column} || ' to ' || NEW.{column} IN ({named})"


DRAFTED = {
    "counts": step("status", "draft to in_review"),
    "by_author": "OLD.status = 'draft' AND NEW.status = 'draft' AND NEW.revision = OLD.revision + 1",
}


class RedefineFunction(Isolating):
    """Change a function that earlier migrations made, as it stands in the database: whichever of them was the last.

    Args: signature: such as `audit_request_step()`.
          edits: (before, after, how often it stands there); anything else is an error, and nothing is changed.
    """

    def __init__(self, signature: str, *edits: tuple[str, str, int]) -> None:
        self.signature = signature
        self.edits = edits

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.signature, *self.edits], {}

    def describe(self) -> str:
        return f"Change {self.signature}"

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._change(schema_editor, self.edits)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._change(schema_editor, tuple((after, before, count) for before, after, count in reversed(self.edits)))

    def _change(self, schema_editor: Any, edits: tuple[tuple[str, str, int], ...]) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT pg_get_functiondef(%s::regprocedure)", [self.signature])
            (definition,) = cursor.fetchone()
        for before, after, count in edits:
            if definition.count(before) != count:
                raise RuntimeError(f"{self.signature} is not what this builds upon: {before}")
            definition = definition.replace(before, after)
        schema_editor.execute(definition, params=None)


# What a decision may write where nothing else of a row may change.
DECIDED_COLUMNS = (
    "'{status,approver_id,approver_label,decided_at,",
    "'{decided_revision,status,approver_id,approver_label,decided_at,",
    2,
)
