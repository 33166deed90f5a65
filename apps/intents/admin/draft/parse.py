"""Turn what was typed into a policy, or say beside each field why it can't be stored. Pure.

What can be stored but not used (two intents, a fallback that is too large) is stored: validation names it, and keeps it
from being submitted. A retrieval setting out of its bounds could not even be read again, so it is refused here.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import uuid4

from apps.corpus.kinds import Kind, RetentionClass, SourceType
from apps.intents.admin.draft.fields import FALLBACK, BudgetFields, DraftFields, IntentFields
from apps.intents.admin.draft.invariants import parse_invariants
from apps.intents.admin.draft.post import UNKEPT
from apps.intents.admin.draft.profile import parse_rules
from apps.intents.admin.draft.settings import RETRIEVAL, THRESHOLDS, Setting
from apps.intents.contracts import (
    FALLBACK_NAME,
    UNRECOGNISED,
    ClassifierSettings,
    FallbackRule,
    GoldenQuestion,
    IntentRule,
    KindBudget,
    OwnTerm,
    PolicySnapshot,
    RecordingMode,
)
from apps.intents.retrieval_settings import RetrievalSettings
from apps.intents.reviewers import TwoFor, sort_two_for
from apps.intents.snapshots.content import sort_kinds
from apps.tenants.roles import Role

MOST_CHARS: Final = 10_000_000
_LABEL_CHARS, _NAME_CHARS, _EXAMPLE_CHARS, _TERM_CHARS, _TEXT_CHARS, _SAMPLE_CHARS = 80, 40, 500, 80, 4000, 200
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_WHOLE: Final = re.compile(r"[0-9]{1,12}")
_DECIMAL: Final = re.compile(r"[+-]?([0-9]{1,12}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?")

Complain = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDraft:
    """`content` is None where `errors` or faults keep it from being stored. Errors go by the id of their field."""

    content: PolicySnapshot | None
    errors: Mapping[str, tuple[str, ...]]


def parse_draft(fields: DraftFields, stored: PolicySnapshot) -> ParsedDraft:
    """Read the fields as a policy.

    Args:    stored: the draft as it is kept: whose ids and life the content gets, and the order before the change.
    Returns: the content, or the errors beside their fields (ids as the page has them: cap-run, example-i2-0).
    """
    errors: dict[str, list[str]] = defaultdict(list)

    def complain(field: str, sentence: str) -> None:
        errors[field].append(sentence)

    budgets = _budgets(fields.budgets, stored, complain)
    kinds = [budget.kind for budget in budgets]
    rules = _rules(fields, kinds, complain)
    total = _whole(fields.total_cap, "total_cap", 0, MOST_CHARS, complain)
    classifier: dict[str, Any] = {each.name: _number(each, fields.settings, complain) for each in THRESHOLDS}
    retrieval: dict[str, Any] = {each.name: _number(each, fields.settings, complain) for each in RETRIEVAL}
    invariants = parse_invariants(fields.invariants, stored.invariants, complain)
    profile = parse_rules(fields.profile, stored.profile, complain)
    two_for = _two_for(fields.two_reviewers_for, stored, complain)
    _storable(fields.reason, "reason", _TEXT_CHARS, complain, empty="Say why this version is wanted.")
    if errors or fields.faults:
        return ParsedDraft(content=None, errors={field: tuple(said) for field, said in errors.items()})
    content = replace(
        stored,
        reason=fields.reason,
        intents=rules,
        fallback=FallbackRule(
            label=fields.fallback.label,
            description=fields.fallback.description,
            kinds=sort_kinds(fields.fallback.kinds, kinds),
            recording_mode=RecordingMode(fields.fallback.recording),
        ),
        examples=tuple(
            GoldenQuestion(id=uuid4(), text=text, intent=row.name or UNRECOGNISED)
            for row in (*fields.kept, fields.fallback)
            for text in row.examples
        ),
        budgets=budgets,
        total_cap_chars=total,
        classifier=ClassifierSettings(**classifier),
        retrieval=RetrievalSettings(**retrieval),
        invariants=invariants,
        profile=profile,
        two_reviewers_for=two_for,
    )
    return ParsedDraft(content=content, errors={})


def _two_for(values: tuple[str, ...] | None, stored: PolicySnapshot, complain: Complain) -> tuple[TwoFor, ...]:
    if values is None:
        return stored.two_reviewers_for
    try:
        return sort_two_for(values)
    except ValueError:
        complain("two-for", "Choose among the changes that are listed.")
        return stored.two_reviewers_for


def _rules(fields: DraftFields, kinds: list[Kind], complain: Complain) -> tuple[IntentRule, ...]:
    names = [intent.name for intent in fields.kept]
    for intent in fields.kept:
        field = f"name-{intent.key}"
        _storable(
            intent.name, field, _NAME_CHARS, complain, empty="Enter a short name for the intent, such as performance."
        )
        if intent.name and not _NAME.fullmatch(intent.name):
            complain(field, "Use only lower-case letters, digits and _, and begin with a letter, such as fund_costs.")
        if intent.name == FALLBACK_NAME:
            complain(field, "This name is reserved for questions that no intent recognises. Choose another.")
        if intent.name and names.count(intent.name) > 1:
            complain(field, "Another intent has this short name. Choose another.")
    for row in (*fields.kept, fields.fallback):
        _texts(row, complain)
    return tuple(
        IntentRule(
            name=intent.name,
            label=intent.label,
            description=intent.description,
            kinds=sort_kinds(intent.kinds, kinds),
            recording_mode=RecordingMode.strictest_for(intent.recording),
            terms=tuple(OwnTerm(text=term.text, decisive=term.decisive) for term in intent.terms),
        )
        for intent in fields.kept
    )


def _texts(row: IntentFields, complain: Complain) -> None:
    _storable(row.label, f"label-{row.key}", _LABEL_CHARS, complain, empty="Enter the name to show.")
    _storable(row.description, f"description-{row.key}", _TEXT_CHARS, complain)
    if row.recording not in set(RecordingMode):
        complain(f"recording-{row.key}", "Choose what is kept of a question.")
    _each(row.examples, f"example-{row.key}", _EXAMPLE_CHARS, complain)
    if row.key != FALLBACK:
        _each([term.text for term in row.terms], f"term-{row.key}", _TERM_CHARS, complain)


def _each(texts: Iterable[str], field: str, longest: int, complain: Complain) -> None:
    seen: set[str] = set()
    for number, text in enumerate(texts):
        _storable(text, f"{field}-{number}", longest, complain)
        if text in seen:
            complain(f"{field}-{number}", "It is in this list twice; remove one of the two.")
        seen.add(text)


def _storable(text: str, field: str, longest: int, complain: Complain, *, empty: str = "") -> None:
    if empty and not text:
        complain(field, empty)
    if len(text) > longest:
        complain(field, f"It has {len(text):,} characters; at most {longest:,} are allowed. Shorten it.")
    if UNKEPT in text:
        complain(field, f"It contains a character that can't be stored; remove what is shown as {UNKEPT}.")


def _budgets(rows: tuple[BudgetFields, ...], stored: PolicySnapshot, complain: Complain) -> tuple[KindBudget, ...]:
    before = {budget.kind.value: budget.position for budget in stored.budgets}
    placed: list[tuple[int, int, int, KindBudget]] = []
    for order, row in enumerate(rows):
        if row.left_out:
            continue
        position = _whole(row.position, f"position-{row.kind}", 1, 99, complain)
        # Without the script somebody types 1 for the fourth: it goes before the one that has 1, and so on down.
        earlier = before.get(row.kind, position)
        budget = _budget(row, complain)
        if budget is not None:
            placed.append((position, (position > earlier) - (position < earlier), order, budget))
    placed.sort(key=lambda each: each[:3])
    return tuple(replace(budget, position=place) for place, (_, _, _, budget) in enumerate(placed, start=1))


def _budget(row: BudgetFields, complain: Complain) -> KindBudget | None:
    """Return the kind, or None where a choice is none of those that there are."""
    key = row.kind
    cap = _whole(row.cap, f"cap-{key}", 1, MOST_CHARS, complain)
    _storable(row.label, f"heading-{key}", _LABEL_CHARS, complain, empty="Enter a heading for this kind's passages.")
    _storable(row.name, f"called-{key}", _LABEL_CHARS, complain, empty="Enter what pages call this kind.")
    _storable(row.description, f"about-{key}", _TEXT_CHARS, complain)
    for text in row.examples:
        _storable(text, f"samples-{key}", _SAMPLE_CHARS, complain)
    known_choices = True
    for field, value, known in (
        (f"class-{key}", row.retention_class, RetentionClass.values),
        (f"source-{key}", row.source_category, SourceType.values),
        *((f"uploader-{key}", role, Role.values) for role in row.uploaders),
        *((f"corrector-{key}", role, Role.values) for role in row.correctors),
        *((f"remover-{key}", role, Role.values) for role in row.removers),
    ):
        if value not in known:
            complain(field, "Choose one of those that are offered.")
            known_choices = False
    if not known_choices:
        return None
    return KindBudget(
        kind=Kind(key, row.name),
        label=row.label,
        cap_chars=cap,
        position=0,
        name=row.name,
        description=row.description,
        examples=row.examples,
        retention_class=RetentionClass(row.retention_class),
        source_category=SourceType(row.source_category),
        uploaders=tuple(sorted(map(Role, row.uploaders))),
        correctors=tuple(sorted(map(Role, row.correctors))),
        removers=tuple(sorted(map(Role, row.removers))),
        retired=row.retired,
    )


def _whole(typed: str, field: str, low: int, high: int, complain: Complain) -> int:
    if not _WHOLE.fullmatch(typed):
        complain(field, "Enter a whole number, in digits.")
        return low
    value = int(typed)
    if not low <= value <= high:
        complain(field, f"Enter a number from {low:,} to {high:,}.")
    return value


def _number(setting: Setting, typed: Mapping[str, str], complain: Complain) -> float:
    value, field = typed[setting.name], f"setting-{setting.name}"
    if setting.switch:
        return value == "on"
    if setting.whole:
        return _whole(value, field, int(setting.low), int(setting.high), complain)
    number = float(value) if _DECIMAL.fullmatch(value) else math.nan
    if math.isnan(number):
        complain(field, "Enter a number, with a point before the fraction, such as 0.35.")
        return setting.low
    if not setting.low <= number <= setting.high:
        complain(field, f"Enter a number from {setting.low:g} to {setting.high:g}.")
    return number
