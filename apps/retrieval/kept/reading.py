"""Read values of contracts back from the JSON that serialise.to_json made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

ValueT = TypeVar("ValueT")
_Type = type[Any]


def from_json(wanted: type[ValueT], value: Any) -> ValueT:
    """Return the value of the wanted type. A name that the type does not know is left out, as of another release.

    Raises: TypeError, ValueError, KeyError: the value is not of this type.
    """
    return cast("ValueT", _read(wanted, value))


def _read(wanted: Any, value: Any) -> Any:
    # A NewType is read as what it stands on.
    wanted = getattr(wanted, "__supertype__", wanted)
    origin = get_origin(wanted)
    if origin in (Union, UnionType):
        kinds = [each for each in get_args(wanted) if each is not type(None)]
        return None if value is None else _read(kinds[0], value)
    if origin is tuple:
        of = get_args(wanted)[0]
        return tuple(_read(of, each) for each in value)
    if is_dataclass(wanted):
        return _fields(cast("_Type", wanted), value)
    if wanted in (str, int, float, bool):
        return wanted(value)
    if wanted is UUID or (isinstance(wanted, type) and issubclass(wanted, Enum)):
        return wanted(value)
    raise TypeError(f"{wanted} is not read from JSON")


def _fields(wanted: _Type, value: Mapping[str, Any]) -> Any:
    hints = get_type_hints(wanted)
    known = {each.name for each in fields(wanted)}
    return wanted(**{name: _read(hints[name], each) for name, each in value.items() if name in known})
