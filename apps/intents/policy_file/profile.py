"""The block PROFILE of a policy file, which may be missing: read, and written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, get_type_hints

from apps.intents.baseline_types import BaselineProfileRule
from apps.intents.policy_file import layout
from apps.intents.policy_file.literals import LiteralReader, nearest, shown
from apps.intents.profile.contracts import (
    LONGEST_NAME,
    LONGEST_TERM,
    LONGEST_TEXT,
    NEEDING_EFFECT,
    OF_MEANS,
    RULE_KEY,
    WATCHING,
    InAnswer,
    InQuestion,
    ProfileRule,
    RuleSort,
)

_HEAD: Final = """
# What is not answered at all, what answers must carry, and what they are bound to. A topic or product is named by its
# terms: words in any order and inflected, in this order only within double quotes, and all words that begin so with a *
# at the end. The terms of a bound (clients, instruments, asset_classes, risk_classes, jurisdictions, models, regions,
# sources, research_modes) are the values that are permitted. What is asked outside of research is in the mode direct.
PROFILE: list[BaselineProfileRule] = [
"""
_LONGEST_INTENT: Final = 40
_OPTIONAL: Final = frozenset({"terms", "intents", "in_question", "in_answer"})


def read_file_profile(reader: LiteralReader, node: ast.expr | None) -> list[dict[str, Any]]:
    """Return the rules as read_rules takes them; where the reader has problems, they must not be used.

    Whether a rule can be used is validation's to say.
    """
    if node is None:
        return []
    found: list[dict[str, Any]] = []
    for number, row in enumerate(reader.items(node, "PROFILE"), start=1):
        what = f"profile rule {number}"
        values = reader.fields(row, what, get_type_hints(BaselineProfileRule), optional=_OPTIONAL)
        key = reader.text(values.get("key"), f"{what}: the key")
        if key.strip() and not re.fullmatch(RULE_KEY, key):
            reader.problem(values.get("key"), f"{what}: the key must be lower-case letters, digits and _.")
        if any(key == each["key"] for each in found):
            reader.problem(values.get("key"), f"{what} has the key of another one; rename or remove one of the two.")
        rule: dict[str, Any] = {
            "key": key,
            "sort": _one_of(reader, values.get("sort"), f"{what}: the sort", RuleSort),
            "name": reader.text(values.get("name"), f"{what}: the name", longest=LONGEST_NAME),
            "text": reader.text(values.get("text"), f"{what}: the text", longest=LONGEST_TEXT),
        }
        for name, longest in (("terms", LONGEST_TERM), ("intents", _LONGEST_INTENT)):
            if (listed := values.get(name)) is not None:
                rule[name] = [
                    reader.text(item, f"{what}: {name}", longest=longest)
                    for item in reader.items(listed, f"{what}: {name}")
                ]
        for name, known in (("in_question", InQuestion), ("in_answer", InAnswer)):
            if (effect := values.get(name)) is not None:
                rule[name] = _one_of(reader, effect, f"{what}: {name}", known)
        _storable(reader, row, rule, what)
        found.append(rule)
    return found


def render_profile(rules: Sequence[ProfileRule]) -> Iterator[str]:
    """Yield the block's lines; none for a profile without rules."""
    if not rules:
        return
    yield from _HEAD.splitlines()
    for rule in rules:
        yield "    {"
        for name, text in (("key", rule.key), ("sort", rule.sort.value), ("name", rule.name)):
            yield from layout.entry(name, text, indent=8)
        if rule.terms:
            yield from layout.row("terms", rule.terms, indent=8)
        if rule.sort in NEEDING_EFFECT:
            yield from layout.entry("in_question", rule.in_question.value, indent=8)
            yield from layout.entry("in_answer", rule.in_answer.value, indent=8)
        if rule.intents:
            yield from layout.row("intents", rule.intents, indent=8)
        yield from layout.entry("text", rule.text, indent=8)
        yield "    },"
    yield "]"


def _storable(reader: LiteralReader, node: ast.expr, rule: dict[str, Any], what: str) -> None:
    """Complain of what the table refuses, whatever a draft may have."""
    allows = {rule.get("in_question", "allow"), rule.get("in_answer", "allow")} == {"allow"}
    sort, terms = rule["sort"], rule.get("terms")
    if sort == RuleSort.DISCLAIMER and (terms or not allows):
        reader.problem(node, f"{what} is a disclaimer: leave out terms, in_question and in_answer.")
    if sort in OF_MEANS and (not terms or not allows):
        reader.problem(node, f"{what} needs terms, the permitted values, and neither in_question nor in_answer.")
    if sort in NEEDING_EFFECT and (not terms or allows):
        reader.problem(node, f"{what} needs terms, and something other than allow in in_question or in_answer.")
    if sort in WATCHING and rule.get("intents"):
        reader.problem(node, f"{what} holds for every question; leave out intents.")


def _one_of(reader: LiteralReader, node: ast.expr | None, what: str, known: type[StrEnum]) -> str:
    text = reader.text(node, what)
    values = [each.value for each in known]
    if text.strip() and text not in values:
        reader.problem(node, f'{what}: there is no "{shown(text)}"; {nearest(text, values)}')
    return text
