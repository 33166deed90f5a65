"""Convert a result to its stored form, written by serialise.to_json, and back to its types."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints
from uuid import UUID

from apps.quality.impact.contracts import ImpactResult
from apps.retrieval.serialise import to_json


def result_to_json(result: ImpactResult) -> dict[str, Any]:
    document: dict[str, Any] = to_json(result)
    return document


def result_from_json(document: dict[str, Any]) -> ImpactResult:
    """Return the result from its stored form. What an earlier release did not write has its default.

    Raises KeyError, TypeError, ValueError: it was not written by result_to_json of this release.
    """
    found: ImpactResult = _read(ImpactResult, document)
    return found


def _read(wanted: Any, value: Any) -> Any:
    if get_origin(wanted) is tuple:
        return tuple(_read(get_args(wanted)[0], each) for each in value)
    if isinstance(wanted, UnionType):
        (plain,) = (each for each in get_args(wanted) if each is not NoneType)
        return None if value is None else _read(plain, value)
    if is_dataclass(wanted) and isinstance(wanted, type):
        types = get_type_hints(wanted)
        return wanted(
            **{each.name: _read(types[each.name], value[each.name]) for each in fields(wanted) if each.name in value}
        )
    if wanted is UUID or (isinstance(wanted, type) and issubclass(wanted, Enum)):
        return wanted(value)
    return value
