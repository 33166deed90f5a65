"""Read a kind of document of a policy file: its key, and what it may say beside its heading and cap."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.corpus.kinds import KIND_KEY, RetentionClass, SourceType
from apps.intents.policy_file.limits import LONGEST_DOCUMENT_EXAMPLE, LONGEST_LABEL
from apps.intents.policy_file.literals import LiteralReader, nearest, shown
from apps.tenants.roles import Role

_RIGHTS: Final = ("uploaders", "correctors", "removers")
# Of a kind of document, beside its key, heading and cap.
KIND_DETAILS: Final = frozenset(
    {"name", "description", "examples", "retention_class", "source_category", *_RIGHTS, "retired"}
)


def read_kind_key(reader: LiteralReader, node: ast.expr | None, what: str) -> str:
    """Read the key of a kind; empty where it can't be one, which is then a problem."""
    key = reader.text(node, f"{what}: the kind")
    if key.strip() and not re.fullmatch(KIND_KEY, key):
        message = (
            f'{what}: the kind "{shown(key)}" must be lower-case letters, digits and _, at most 32, a letter first.'
        )
        reader.problem(node, message)
        return ""
    return key.strip()


def read_kind_details(reader: LiteralReader, values: Mapping[str, ast.expr], what: str) -> dict[str, Any]:
    """Read what a kind may say beside its key, heading and cap; what is not there gets its default."""
    found: dict[str, Any] = {}
    if (node := values.get("name")) is not None:
        found["name"] = reader.text(node, f"{what}: the name", longest=LONGEST_LABEL)
    if (node := values.get("description")) is not None:
        found["description"] = reader.text(node, f"{what}: the description")
    if (node := values.get("examples")) is not None:
        found["examples"] = [
            reader.text(each, f"{what}: an example", longest=LONGEST_DOCUMENT_EXAMPLE)
            for each in reader.items(node, f"{what}: examples")
        ]
    for name, known in (("retention_class", RetentionClass.values), ("source_category", SourceType.values)):
        if (node := values.get(name)) is not None:
            found[name] = _read_one_of(reader, node, f"{what}: {name}", known)
    for name in _RIGHTS:
        if (node := values.get(name)) is not None:
            roles = [
                _read_one_of(reader, each, f"{what}: a role", Role.values)
                for each in reader.items(node, f"{what}: {name}")
            ]
            found[name] = [role for role in dict.fromkeys(roles) if role]
    if (node := values.get("retired")) is not None:
        retired = reader.setting(node, f"{what}: retired")
        if not isinstance(retired, bool):
            reader.problem(node, f"{what}: retired must be True or False.")
        found["retired"] = retired is True
    return found


def _read_one_of(reader: LiteralReader, node: ast.expr, what: str, known: Sequence[str]) -> str:
    text = reader.text(node, what)
    if text.strip() and text not in known:
        reader.problem(node, f'{what}: there is no "{shown(text)}"; {nearest(text, known)}')
    return text if text in known else ""
