"""What the body of each type of record must look like: a JSON Schema that is published as it is checked.

Other fields stay allowed wherever a firm's own data needs them: anywhere in a workflow's output, beside the named
fields of the other types, and in each of their entries, rules and limits. A data profile is made by the product, so it
has no others. Only the keywords below are used and checked; records that were stored before are read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from apps.corpus.extraction.record_file import Number, Path, RecordProblem, RecordType

_MOST_PROBLEMS: Final = 20
Schema = Mapping[str, Any]

_TEXT: Final[Schema] = {"type": ["string", "null"]}
_WORDS: Final[Schema] = {"type": "string", "minLength": 1}
_COUNT: Final[Schema] = {"type": "integer"}
_DAY: Final[Schema] = {
    "type": ["string", "null"],
    "pattern": r"^\d{4}-\d{2}-\d{2}$",
    "description": "a day, such as 2025-03-31",
}
_TIME: Final[Schema] = {
    "type": ["string", "null"],
    "pattern": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$",
    "description": "a day, or a time of one, such as 2025-03-31T17:00:00Z",
}
_NAMED: Final[Schema] = {"type": ["string", "object"], "properties": {"name": _WORDS}}
_SEVERAL: Final[Schema] = {"type": ["array", "object"], "items": _NAMED}

SCHEMAS: Final[Mapping[RecordType, Schema]] = {
    RecordType.WORKFLOW_OUTPUT: {
        "title": "What a run of a workflow found",
        "type": "object",
        "properties": {
            "workflow": _TEXT,
            "run": {"type": ["string", "number"]},
            "status": _TEXT,
            "started_at": _TIME,
            "finished_at": _TIME,
            "summary": _TEXT,
            "conclusion": _TEXT,
            "limits": _SEVERAL,
            "findings": _SEVERAL,
        },
    },
    RecordType.EDIT_PATTERN: {
        "title": "What reviewers change in reports",
        "type": "object",
        "required": ["before", "after"],
        "properties": {
            "pattern": _TEXT,
            "section": _TEXT,
            "before": {"type": "string"},
            "after": {"type": "string"},
            "reason": _TEXT,
            "count": _COUNT,
        },
    },
    RecordType.SCHEDULE: {
        "title": "When what is due",
        "type": "object",
        "required": ["entries"],
        "properties": {
            "name": _WORDS,
            "frequency": _TEXT,
            "time_zone": _TEXT,
            "starts_on": _DAY,
            "ends_on": _DAY,
            "entries": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": _WORDS, "date": _TIME, "due": _TIME, "frequency": _TEXT},
                },
            },
        },
    },
    RecordType.DATA_PROFILE: {
        "title": "The summary of a CSV file, made by the product",
        "type": "object",
        "required": ["file", "rows", "columns"],
        "properties": {
            "file": {"type": "object"},
            "rows": _COUNT,
            "rows_left_out": {
                "type": "object",
                "properties": {"of_another_width": _COUNT, "not_readable": _COUNT},
                "additionalProperties": False,
            },
            "formula_cells": _COUNT,
            "may_be_about_people": {"type": "boolean"},
            "columns": {"type": "object"},
        },
        "additionalProperties": False,
    },
    RecordType.COMPLIANCE_CONFIGURATION: {
        "title": "Rules and limits of a system",
        "type": "object",
        "anyOf": [{"required": ["rules"]}, {"required": ["limits"]}],
        "properties": {
            "name": _WORDS,
            "version": {"type": ["string", "number"]},
            "effective_from": _TIME,
            "rules": _SEVERAL,
            "limits": _SEVERAL,
        },
    },
}

_TYPES: Final[Mapping[str, str]] = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}
_WHOLE: Final = re.compile(r"-?\d+(\.0+)?")


def schema_problems(type: RecordType, body: Mapping[str, Any]) -> list[RecordProblem]:
    """Return where a body is not as its type demands, each as the end of a sentence; at most twenty.

    Args: body: JSON's types, numbers as Number, and nothing that body_problems refuses.
    """
    found = []
    for problem in _problems(SCHEMAS[type], body, ()):
        found.append(problem)
        if len(found) == _MOST_PROBLEMS:
            break
    return found


def _problems(schema: Schema, value: Any, path: Path) -> Iterator[RecordProblem]:
    # As deep as the schema itself goes, whatever the record is.
    types = schema.get("type", ())
    wanted = [types] if isinstance(types, str) else types
    if wanted and not any(_is(name, value) for name in wanted):
        yield RecordProblem(path=path, reason=f"must be {' or '.join(_TYPES[name] for name in wanted)}")
        return
    if isinstance(value, Mapping):
        yield from _of_object(schema, value, path)
    elif isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield RecordProblem(path=path, reason="must have at least one")
        if "items" in schema:
            for place, each in enumerate(value):
                yield from _problems(schema["items"], each, (*path, place))
    elif _is("string", value):
        if len(value) < schema.get("minLength", 0):
            yield RecordProblem(path=path, reason="must not be empty")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield RecordProblem(path=path, reason=f"must be {schema['description']}")


def _of_object(schema: Schema, value: Mapping[str, Any], path: Path) -> Iterator[RecordProblem]:
    for name in schema.get("required", ()):
        if name not in value:
            yield RecordProblem(path=(*path, name), reason="is missing")
    choices = [each["required"] for each in schema.get("anyOf", ())]
    if choices and not any(all(name in value for name in names) for names in choices):
        named = " or ".join(", ".join(names) for names in choices)
        yield RecordProblem(path=path, reason=f"must have {named}")
    known = schema.get("properties", {})
    for name, each in value.items():
        if name in known:
            yield from _problems(known[name], each, (*path, name))
        elif schema.get("additionalProperties") is False:
            yield RecordProblem(path=(*path, name), reason="is no field of it")


def _is(type: str, value: Any) -> bool:
    match type:
        case "string":
            return isinstance(value, str) and not isinstance(value, Number)
        case "number":
            return isinstance(value, Number)
        case "integer":
            return isinstance(value, Number) and _WHOLE.fullmatch(value) is not None
        case "boolean":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return isinstance(value, list)
        case _:
            return value is None
