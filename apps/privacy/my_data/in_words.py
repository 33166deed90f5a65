"""Format JSON values as readable text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\+00:00")
EMPTY: Final = "—"


def is_there(value: Any) -> bool:
    return value is not None and value != "" and value != [] and value != {}


def label(name: str) -> str:
    """Return a key as words: policy_version -> policy version."""
    return name.replace("_", " ")


def words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not is_there(value):
        return EMPTY
    if isinstance(value, str):
        return _MOMENT.sub(r"\1 \2 UTC", value)
    if isinstance(value, Mapping):
        return ", ".join(f"{label(name)} {words(each)}" for name, each in value.items() if is_there(each))
    if isinstance(value, (list, tuple)):
        apart = "\n" if any(isinstance(each, Mapping) for each in value) else ", "
        return apart.join(words(each) for each in value)
    return str(value)
