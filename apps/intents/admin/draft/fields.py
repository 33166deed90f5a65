"""A policy draft as a form holds it: texts as they were typed, readable or not, so that nothing typed is ever lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from apps.corpus.kinds import RetentionClass, SourceType, words_of_key
from apps.intents.admin.draft.invariants import InvariantFields, invariant_fields
from apps.intents.admin.draft.profile import RuleFields, rule_fields
from apps.intents.contracts import UNRECOGNISED, FallbackRule, IntentRule, PolicySnapshot, RecordingMode

FALLBACK = "fallback"
"""The key of the fallback's row; those of intents are i1, i2 and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFields:
    text: str
    decisive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentFields:
    """One intent, or the fallback, as typed. `key` names it within the form, whatever becomes of its short name."""

    key: str
    name: str = ""
    label: str = ""
    description: str = ""
    recording: str = RecordingMode.HASH_ONLY.value
    kinds: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    terms: tuple[TermFields, ...] = ()
    removed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetFields:
    """One kind of document, as typed; `kind` is its key. left_out: it goes from the version when the draft is saved."""

    kind: str
    label: str = ""
    cap: str = ""
    position: str = ""
    name: str = ""
    description: str = ""
    examples: tuple[str, ...] = ()
    retention_class: str = RetentionClass.RECORD.value
    source_category: str = SourceType.INTERNAL.value
    uploaders: tuple[str, ...] = ()
    correctors: tuple[str, ...] = ()
    removers: tuple[str, ...] = ()
    retired: bool = False
    left_out: bool = False

    @property
    def title(self) -> str:
        return self.name or words_of_key(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFields:
    """The whole form. `faults` says what of a post could not be understood at all, one sentence each.

    invariants, profile, two_reviewers_for: None if the post had no part for them.
    """

    intents: tuple[IntentFields, ...]
    fallback: IntentFields
    budgets: tuple[BudgetFields, ...]
    total_cap: str
    settings: Mapping[str, str]
    reason: str
    faults: tuple[str, ...] = ()
    invariants: tuple[InvariantFields, ...] | None = None
    profile: tuple[RuleFields, ...] | None = None
    two_reviewers_for: tuple[str, ...] | None = None

    @property
    def rows(self) -> tuple[IntentFields, ...]:
        return (*self.intents, self.fallback)

    @property
    def kept(self) -> tuple[IntentFields, ...]:
        """The intents that are not marked to be removed."""
        return tuple(intent for intent in self.intents if not intent.removed)


def fields_of(snapshot: PolicySnapshot) -> DraftFields:
    """A stored draft as the form shows it."""
    numbers = {name: getattr(snapshot.classifier, name) for name in snapshot.classifier.__dataclass_fields__}
    return DraftFields(
        intents=tuple(
            _intent_fields(snapshot, rule, key=f"i{number}", name=rule.name)
            for number, rule in enumerate(snapshot.intents, start=1)
        ),
        fallback=_intent_fields(snapshot, snapshot.fallback, key=FALLBACK, name=UNRECOGNISED),
        budgets=tuple(
            BudgetFields(
                kind=budget.kind.value,
                label=budget.label,
                cap=str(budget.cap_chars),
                position=str(position),
                name=budget.name,
                description=budget.description,
                examples=budget.examples,
                retention_class=budget.retention_class.value,
                source_category=budget.source_category.value,
                uploaders=tuple(role.value for role in budget.uploaders),
                correctors=tuple(role.value for role in budget.correctors),
                removers=tuple(role.value for role in budget.removers),
                retired=budget.retired,
            )
            for position, budget in enumerate(sorted(snapshot.budgets, key=lambda each: each.position), start=1)
        ),
        total_cap=str(snapshot.total_cap_chars),
        settings={name: _typed(value) for name, value in (numbers | snapshot.retrieval.as_json()).items()},
        reason=snapshot.reason,
        invariants=invariant_fields(snapshot.invariants),
        profile=rule_fields(snapshot.profile),
        two_reviewers_for=tuple(each.value for each in snapshot.two_reviewers_for),
    )


def with_new_intent(fields: DraftFields) -> DraftFields:
    """One more intent, empty, after the others."""
    taken = {intent.key for intent in fields.intents}
    key = next(key for number in range(1, len(taken) + 2) if (key := f"i{number}") not in taken)
    return replace(fields, intents=(*fields.intents, IntentFields(key=key)))


def with_new_kind(fields: DraftFields, key: str) -> DraftFields:
    """One more kind, after the others: its key is the only thing known of it."""
    row = BudgetFields(kind=key, name=words_of_key(key), position=str(len(fields.budgets) + 1))
    return replace(fields, budgets=(*fields.budgets, row))


def _intent_fields(snapshot: PolicySnapshot, rule: IntentRule | FallbackRule, *, key: str, name: str) -> IntentFields:
    terms = rule.terms if isinstance(rule, IntentRule) else ()
    return IntentFields(
        key=key,
        name=name,
        label=rule.label,
        description=rule.description,
        recording=rule.recording_mode.value,
        kinds=tuple(kind.value for kind in rule.kinds),
        examples=tuple(example.text for example in snapshot.examples if example.intent == name),
        terms=tuple(TermFields(text=term.text, decisive=term.decisive) for term in terms),
    )


def _typed(value: float) -> str:
    """As a person would type it, and read back as the same number."""
    if isinstance(value, bool):
        return "on" if value else ""
    return str(int(value)) if float(value).is_integer() else repr(value)
