"""Convert traces and answers to JSON values. This is the only place where typed values become JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any
from uuid import UUID

from apps.retrieval.contracts import StoredChunk

_LEFT_OUT: Mapping[type, frozenset[str]] = {
    # The context shows the excerpts; the rest of a chunk's text was not used and may be long. Its facts are listed
    # under their document (/api/v1/facts/).
    StoredChunk: frozenset({"text", "facts"}),
}


def to_json(value: object) -> Any:
    """Convert a contract value to what `json.dumps` accepts.

    Args:    value: a frozen dataclass of contracts, trace or intents, or anything inside one.
    Returns: dictionaries, lists, texts, numbers, booleans and None. Field names stay as they are; ids become texts.
    Raises:  TypeError: a type that does not belong in a trace, such as a vector.
    """
    match value:
        case None | bool() | int() | float():
            return value
        case Enum():
            return value.value
        case str():
            return value
        case UUID() | date():
            return str(value)
        case tuple() | list() | frozenset():
            return [to_json(each) for each in (sorted(value) if isinstance(value, frozenset) else value)]
        case _ if is_dataclass(value) and not isinstance(value, type):
            left_out = _LEFT_OUT.get(type(value), frozenset())
            return {
                each.name: to_json(getattr(value, each.name)) for each in fields(value) if each.name not in left_out
            }
    raise TypeError(f"{type(value).__name__} has no form in JSON")
