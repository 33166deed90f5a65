"""What a schedule says, apart from its rows: its rules, what is wrong with them, and what they ask for on a day."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Final

from apps.erasure.declarations.retained import Aim, RetainedSubject
from apps.erasure.models.purge import Reach
from apps.erasure.models.retention import LONGEST_MONTHS
from apps.erasure.retention.months import begun_before, in_words
from apps.erasure.retention.subjects import subjects

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """See models.RetentionRule."""

    subject: str
    group: str = ""
    legal_basis: str
    clock_start: str
    keep_months: int
    remove_months: int | None = None
    includes_current: bool = False

    @property
    def key(self) -> Key:
        return self.subject, self.group

    def as_row(self) -> dict[str, Any]:
        """Return the fields by name, all plain values: `asdict` would copy each, at ten times the cost."""
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS: Final = tuple(field.name for field in fields(Rule))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with one field of one rule, as a sentence that says what to do."""

    key: Key
    field: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A rule with what it asks for. months: those that it goes by, never below the subject's minimum."""

    rule: Rule
    months: int
    aim: Aim


def baseline_rule(subject: RetainedSubject) -> Rule:
    return Rule(
        subject=subject.key,
        legal_basis=subject.legal_basis,
        clock_start=subject.clock,
        keep_months=subject.keep_months,
    )


def baseline_rules() -> tuple[Rule, ...]:
    """A rule for all that is registered now: kept for as long as it must be, without a latest date."""
    return ordered(baseline_rule(subject) for subject in subjects().values())


def ordered(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """As subjects are, parts after the whole; what is not registered any more comes last."""
    places = {key: place for place, key in enumerate(subjects())}
    return tuple(sorted(rules, key=lambda rule: (places.get(rule.subject, len(places)), rule.key)))


def content_sha256(rules: Iterable[Rule]) -> str:
    """Of the rules alone, in a fixed order: two schedules that say the same have the same."""
    plain = sorted((rule.as_row() for rule in rules), key=lambda each: (each["subject"], each["group"]))
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def problems(rules: Sequence[Rule]) -> tuple[Problem, ...]:
    """What is wrong with a content, rule by rule; empty where it can be handed in."""
    known = subjects()
    found: list[Problem] = []
    for rule in rules:
        subject = known.get(rule.subject)
        said = _unknown() if subject is None else _said(rule, subject)
        found += [Problem(key=rule.key, field=name, text=text) for name, text in said.items()]
    return tuple(found)


def asked(rules: Sequence[Rule], *, on: date, reach: Reach, subject: str = "") -> tuple[Asked, ...]:
    """What the rules ask for on a day: what must be gone by then (MUST), or what may go (MAY).

    Whatever a rule says, nothing goes before its subject's minimum, and nothing that is not registered goes at all.

    Args: subject: of this one alone; empty for all.
    """
    known, found = subjects(), []
    of_parts: Mapping[str, set[str]] = defaultdict(set)
    for rule in rules:
        if rule.group:
            of_parts[rule.subject].add(rule.group)
    for rule in ordered(rules):
        about = known.get(rule.subject)
        months = rule.keep_months if reach == Reach.MAY else rule.remove_months
        if about is None or months is None or subject not in ("", rule.subject):
            continue
        months = max(months, about.minimum_months)
        parts = frozenset({rule.group}) if rule.group else frozenset(about.groups) - of_parts[rule.subject]
        aim = Aim(
            subject=rule.subject,
            clock=rule.clock_start,
            before=begun_before(on, months),
            parts=parts,
            includes_current=rule.includes_current,
        )
        found.append(Asked(rule=rule, months=months, aim=aim))
    return tuple(found)


def _unknown() -> dict[str, str]:
    return {"keep_months": "Nothing of this name is kept any more. Remove the rule."}


def _said(rule: Rule, subject: RetainedSubject) -> dict[str, str]:
    said: dict[str, str] = {}
    if rule.group and rule.group not in subject.groups:
        said["group"] = "There is no such part. Remove the rule."
    if not rule.legal_basis.strip():
        said["legal_basis"] = "Name the ground on which it is kept, such as 6(1)(c) legal obligation."
    if rule.clock_start not in subject.clocks:
        said["clock_start"] = "Choose what the period is counted from."
    if rule.keep_months < subject.minimum_months:
        said["keep_months"] = (
            f"It must be kept for at least {in_words(subject.minimum_months)}: enter {subject.minimum_months} or more."
        )
    elif rule.keep_months > LONGEST_MONTHS:
        said["keep_months"] = f"Enter at most {LONGEST_MONTHS} months."
    if rule.remove_months is not None and rule.remove_months < rule.keep_months:
        said["remove_months"] = (
            f"Its latest date can't be earlier than its minimum period: enter {rule.keep_months} or more, or "
            "leave it empty."
        )
    elif rule.remove_months is not None and rule.remove_months > LONGEST_MONTHS:
        said["remove_months"] = f"Enter at most {LONGEST_MONTHS} months, or leave it empty."
    if rule.includes_current and not subject.has_versions:
        said["includes_current"] = "It has no versions. Clear the checkbox."
    return said
