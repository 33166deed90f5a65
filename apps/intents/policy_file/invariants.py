"""Read the block INVARIANTS of a policy file, which may be missing."""

from __future__ import annotations

import ast
from typing import Any, get_type_hints

from apps.intents.baseline_types import BaselineInvariant
from apps.intents.invariants import LONGEST_NAME, InvariantMode
from apps.intents.policy_file.literals import LiteralReader, nearest, shown

_LISTS = ("roles", "intents", "kinds")
_LONGEST = {"roles": 32, "intents": 40, "kinds": 32}


def read_file_invariants(reader: LiteralReader, node: ast.expr | None) -> list[dict[str, Any]]:
    """Return the invariants as read_invariants takes them; where the reader has problems, they must not be used.

    Whether what they name is there is validation's to say: it knows the version's intents.
    """
    if node is None:
        return []
    found: list[dict[str, Any]] = []
    for number, row in enumerate(reader.items(node, "INVARIANTS"), start=1):
        what = f"invariant {number}"
        values = reader.fields(row, what, get_type_hints(BaselineInvariant))
        name = reader.text(values.get("name"), f"{what}: the name", longest=LONGEST_NAME)
        if any(name == each["name"] for each in found):
            reader.problem(values.get("name"), f"{what} is called as another one; rename or remove one of the two.")
        lists = {
            key: [
                reader.text(item, f"{what}: {key}", longest=_LONGEST[key])
                for item in reader.items(values.get(key), f"{what}: {key}")
            ]
            for key in _LISTS
        }
        found.append({"name": name, "mode": _mode(reader, values.get("mode"), what), **lists})
    return found


def _mode(reader: LiteralReader, node: ast.expr | None, what: str) -> str:
    mode = reader.text(node, f"{what}: the mode")
    modes = [each.value for each in InvariantMode]
    if mode.strip() and mode not in modes:
        reader.problem(node, f'{what}: there is no mode "{shown(mode)}"; {nearest(mode, modes)}')
    return mode
