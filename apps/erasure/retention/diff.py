"""What one set of rules says that another does not, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.erasure.retention.content import Rule, ordered
from apps.erasure.retention.months import in_words
from apps.erasure.retention.subjects import subjects

NEVER: Final = "no latest date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One rule that differs. name: of what it is about; sentence: what differs, in words that follow the name."""

    subject: str
    name: str
    sentence: str


def name_of(subject: str, group: str = "") -> str:
    """As a DPO would call it, such as "Question answered: the question"."""
    known = subjects().get(subject)
    label = known.label if known else subject
    return f"{label}: {known.groups.get(group, group) if known else group}" if group else label


def changes(before: Sequence[Rule], after: Sequence[Rule]) -> tuple[Change, ...]:
    """Rule by rule, in the order in which subjects stand."""
    old, new = {rule.key: rule for rule in before}, {rule.key: rule for rule in after}
    held = {**old, **new}
    found = []
    for rule in ordered(held.values()):
        sentence = _sentence(old.get(rule.key), new.get(rule.key))
        if sentence:
            found.append(Change(subject=rule.subject, name=name_of(*rule.key), sentence=sentence))
    return tuple(found)


def in_plain_words(rule: Rule) -> str:
    """kept at least 7 years, counted from when it happened; no latest date"""
    known = subjects().get(rule.subject)
    clock = known.clocks.get(rule.clock_start, rule.clock_start) if known else rule.clock_start
    current = "; the current version too" if rule.includes_current else ""
    return f"{_kept(rule)}, counted from {clock}; {_gone(rule)}{current}"


def _kept(rule: Rule) -> str:
    return f"kept at least {in_words(rule.keep_months)}" if rule.keep_months else "may be removed at any time"


def _gone(rule: Rule) -> str:
    return NEVER if rule.remove_months is None else f"must be gone after {in_words(rule.remove_months)}"


def _sentence(old: Rule | None, new: Rule | None) -> str:
    if old is None and new is not None:
        return f"has its own rule: {in_plain_words(new)}"
    if new is None and old is not None:
        goes_by = "follows the rule for the whole" if old.group else "has no rule, and is kept"
        return f"{goes_by} (until now: {in_plain_words(old)})"
    if old is None or new is None:
        return ""
    said = []
    if old.keep_months != new.keep_months:
        said.append(f"{_kept(new)} instead of {in_words(old.keep_months)}")
    if old.remove_months != new.remove_months:
        said.append(f"{_gone(new)} (until now: {_gone(old)})")
    if old.clock_start != new.clock_start:
        known = subjects().get(new.subject)
        clock = known.clocks.get(new.clock_start, new.clock_start) if known else new.clock_start
        said.append(f"counted from {clock}")
    if old.includes_current != new.includes_current:
        said.append("the current version is removed too" if new.includes_current else "the current version stays")
    if old.legal_basis != new.legal_basis:
        said.append(f"the ground is {new.legal_basis} instead of {old.legal_basis}")
    return "; ".join(said)
