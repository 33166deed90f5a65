"""Read the block TWO_REVIEWERS_FOR of a policy file, which may be missing."""

from __future__ import annotations

import ast

from apps.intents.policy_file.literals import LiteralReader, nearest, shown
from apps.intents.reviewers import TwoFor


def read_file_two_for(reader: LiteralReader, node: ast.expr | None) -> list[str]:
    """Return which changes take two reviewers; where the reader has problems, it must not be used."""
    if node is None:
        return []
    known = [each.value for each in TwoFor]
    found: list[str] = []
    for item in reader.items(node, "TWO_REVIEWERS_FOR"):
        value = reader.text(item, "TWO_REVIEWERS_FOR")
        if value in known:
            found.append(value)
        elif value.strip():
            reader.problem(item, f'TWO_REVIEWERS_FOR: there is no change "{shown(value)}"; {nearest(value, known)}')
    return found
