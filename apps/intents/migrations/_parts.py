"""Only drafts change, held once a statement and no longer once a row. Part of migration 0004.

A policy has some six hundred rows below it, written in a handful of statements: asking for each row whether its version is
a draft of whoever acts took half of the time of writing them. The triggers come after the statement and look at all of
its rows; what they refuse is undone as a whole, as before.
"""

from __future__ import annotations

from typing import Final

from apps.intents.migrations import _immutability

_VERSION_PARTS: Final = ("intents_policyintent", "intents_kindbudget")
_INTENT_PARTS: Final = ("intents_policyintentkind", "intents_intentterm", "intents_goldenexample")
_EVENTS: Final = {
    "insert": "NEW TABLE AS new_rows",
    "update": "OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "delete": "OLD TABLE AS old_rows",
}
_OF_VERSION: Final = "SELECT tenant_id, version_id FROM {rows}"
# A row whose intent is not there, or not to be seen, has no version: that is refused like any that is no draft.
_OF_INTENT: Final = (
    "SELECT part.tenant_id, intent.version_id FROM {rows} part "
    "LEFT JOIN public.intents_policyintent intent ON (intent.tenant_id, intent.id) = (part.tenant_id, part.intent_id)"
)


def _rows(of: str, event: str) -> str:
    tables = {"insert": ("new_rows",), "update": ("old_rows", "new_rows"), "delete": ("old_rows",)}[event]
    return " UNION ".join(of.format(rows=table) for table in tables)


def _function(name: str, event: str, of: str) -> str:
    return f"""
CREATE FUNCTION intents_{name}_{event}() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM ({_rows(of, event)}) part_rows) changed;
    RETURN NULL;
END
$$;
"""  # noqa: S608 (names of this module)


def _triggers(name: str, table: str) -> str:
    return "".join(
        f"CREATE TRIGGER intents_{name}_{event} AFTER {event.upper()} ON {table} REFERENCING {rows} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION intents_{name}_{event}();\n"
        for event, rows in _EVENTS.items()
    )


_KINDS: Final = (("version_parts", _VERSION_PARTS, _OF_VERSION), ("intent_parts", _INTENT_PARTS, _OF_INTENT))
_OLD: Final = {"intents_version_part": _VERSION_PARTS, "intents_intent_part": _INTENT_PARTS}

_DROP_ROW_TRIGGERS: Final = (
    "".join(f"DROP TRIGGER {trigger} ON {table};\n" for trigger, tables in _OLD.items() for table in tables)
    + "DROP FUNCTION intents_version_part(), intents_intent_part();\n"
)

FORWARD: Final = (
    _DROP_ROW_TRIGGERS
    + "".join(_function(name, event, of) for name, _, of in _KINDS for event in _EVENTS)
    + "".join(_triggers(name, table) for name, tables, _ in _KINDS for table in tables)
)


def _old_function(name: str) -> str:
    body = _immutability.FORWARD.partition(f"CREATE FUNCTION {name}()")[2].partition("$$;")[0]
    return f"CREATE FUNCTION {name}(){body}$$;\n"


BACKWARD: Final = (
    "".join(
        f"DROP TRIGGER intents_{name}_{event} ON {table};\n"
        for name, tables, _ in _KINDS
        for table in tables
        for event in _EVENTS
    )
    + "".join(f"DROP FUNCTION intents_{name}_{event}();\n" for name, _, _ in _KINDS for event in _EVENTS)
    + "".join(_old_function(name) for name in _OLD)
    + "".join(
        f"CREATE TRIGGER {trigger} BEFORE INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {trigger}();\n"
        for trigger, tables in _OLD.items()
        for table in tables
    )
)
