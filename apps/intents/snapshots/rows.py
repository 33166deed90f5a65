"""A policy version's rows: read into a snapshot, and written from one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from uuid import UUID

from apps.audit.ids import new_id
from apps.corpus.kinds import Kind, RetentionClass, SourceType
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
from apps.intents.invariants import Invariant, InvariantMode
from apps.intents.models import (
    GoldenExample,
    GoldenVector,
    IntentTerm,
    PolicyIntent,
    PolicyIntentKind,
    PolicyInvariant,
    PolicyProfileRule,
    PolicyVersion,
)
from apps.intents.models import KindBudget as BudgetRow
from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.retrieval_settings import retrieval_settings_from_json
from apps.intents.reviewers import sort_two_for
from apps.intents.snapshots.content import sort_kinds
from apps.tenants.bulk import insert_rows
from apps.tenants.roles import Role


@dataclass(frozen=True, slots=True)
class _Parts:
    """The rows below intents, by the intent's id: about six hundred per version, so they are not made into models."""

    kinds: Mapping[UUID, set[str]]
    terms: Mapping[UUID, list[OwnTerm]]
    examples: Mapping[UUID, list[tuple[UUID, str]]]


def read_rows(versions: Sequence[PolicyVersion]) -> dict[UUID, PolicySnapshot]:
    """Read versions into snapshots, by their ids. Seven queries, however many versions."""
    ids = [version.id for version in versions]
    intents: dict[UUID, list[PolicyIntent]] = {each: [] for each in ids}
    budgets: dict[UUID, list[BudgetRow]] = {each: [] for each in ids}
    for intent in PolicyIntent.objects.filter(version_id__in=ids).order_by("position"):
        intents[intent.version_id].append(intent)
    parts = _parts([intent.id for each in intents.values() for intent in each])
    for row in BudgetRow.objects.filter(version_id__in=ids).order_by("position"):
        budgets[row.version_id].append(row)
    invariants = _invariants(ids)
    profiles = _profiles(ids)
    return {
        version.id: replace(
            _snapshot(version, intents[version.id], parts, budgets[version.id]),
            invariants=tuple(invariants[version.id]),
            profile=tuple(profiles[version.id]),
        )
        for version in versions
    }


def content_columns(snapshot: PolicySnapshot) -> dict[str, Any]:
    """Return the columns of a version's row that belong to the policy's content."""
    return {
        "total_cap_chars": snapshot.total_cap_chars,
        "retrieval_settings": snapshot.retrieval.as_json(),
        "two_reviewers_for": [each.value for each in snapshot.two_reviewers_for],
        **asdict(snapshot.classifier),
    }


def insert_content(version: PolicyVersion, snapshot: PolicySnapshot) -> None:
    """Insert the rows of a version's content; the version must have none yet. Five queries.

    Invariants and a profile cost one more each.
    """
    tenant_id = version.tenant_id
    insert_rows(
        BudgetRow,
        tenant_id=tenant_id,
        rows=({"version_id": version.id, **_budget_columns(budget)} for budget in snapshot.budgets),
    )
    if snapshot.invariants:
        insert_rows(
            PolicyInvariant,
            tenant_id=tenant_id,
            rows=(
                {"version_id": version.id, "position": position, **each.as_json()}
                for position, each in enumerate(snapshot.invariants, start=1)
            ),
        )
    if snapshot.profile:
        insert_rows(
            PolicyProfileRule,
            tenant_id=tenant_id,
            rows=(
                {"version_id": version.id, "position": position, **each.as_json()}
                for position, each in enumerate(snapshot.profile, start=1)
            ),
        )
    rules: list[IntentRule | FallbackRule] = [*snapshot.intents, snapshot.fallback]
    # Set the ids here: bulk_create does not return ids that the database generates.
    intents: list[PolicyIntent] = PolicyIntent.objects.bulk_create(
        PolicyIntent(
            id=new_id(),
            tenant_id=tenant_id,
            version=version,
            name=rule.name if isinstance(rule, IntentRule) else FALLBACK_NAME,
            label=rule.label,
            description=rule.description,
            recording_mode=rule.recording_mode.value,
            is_fallback=isinstance(rule, FallbackRule),
            position=position,
        )
        for position, rule in enumerate(rules, start=1)
    )
    insert_rows(
        PolicyIntentKind,
        tenant_id=tenant_id,
        rows=(
            {"intent_id": intent.id, "kind": kind.value}
            for intent, rule in zip(intents, rules, strict=True)
            for kind in rule.kinds
        ),
    )
    insert_rows(
        IntentTerm,
        tenant_id=tenant_id,
        rows=(
            {"intent_id": intent.id, "text": term.text, "decisive": term.decisive, "position": position}
            for intent, rule in zip(intents, rules, strict=True)
            if isinstance(rule, IntentRule)
            for position, term in enumerate(rule.terms, start=1)
        ),
    )
    by_name = {_intent_name(intent): intent.id for intent in intents}
    insert_rows(
        GoldenExample,
        tenant_id=tenant_id,
        rows=(
            {"intent_id": by_name[example.intent], "text": example.text, "position": position}
            for position, example in enumerate(snapshot.examples, start=1)
        ),
    )


def _budget_columns(budget: KindBudget) -> dict[str, Any]:
    roles = {name: [role.value for role in getattr(budget, name)] for name in ("uploaders", "correctors", "removers")}
    return {**asdict(budget), "kind": budget.kind.value, "examples": list(budget.examples), **roles}


def remove_content(version: PolicyVersion) -> None:
    """Remove the rows of a version's content. A table that refers to another comes before it."""
    GoldenVector.objects.filter(example__intent__version=version).delete()
    for part in (GoldenExample, IntentTerm, PolicyIntentKind):
        part.objects.filter(intent__version=version).delete()
    for table in (PolicyIntent, BudgetRow, PolicyInvariant, PolicyProfileRule):
        table.objects.filter(version=version).delete()


def _invariants(ids: list[UUID]) -> dict[UUID, list[Invariant]]:
    found: dict[UUID, list[Invariant]] = {each: [] for each in ids}
    for row in PolicyInvariant.objects.filter(version_id__in=ids).order_by("position"):
        found[row.version_id].append(
            Invariant(
                name=row.name,
                mode=InvariantMode(row.mode),
                roles=tuple(row.roles),
                intents=tuple(row.intents),
                kinds=tuple(row.kinds),
            )
        )
    return found


def _profiles(ids: list[UUID]) -> dict[UUID, list[ProfileRule]]:
    found: dict[UUID, list[ProfileRule]] = {each: [] for each in ids}
    for row in PolicyProfileRule.objects.filter(version_id__in=ids).order_by("position"):
        found[row.version_id].append(
            ProfileRule(
                key=row.key,
                sort=RuleSort(row.sort),
                name=row.name,
                terms=tuple(row.terms),
                intents=tuple(row.intents),
                text=row.text,
                in_question=InQuestion(row.in_question),
                in_answer=InAnswer(row.in_answer),
            )
        )
    return found


def _parts(intent_ids: list[UUID]) -> _Parts:
    kinds: defaultdict[UUID, set[str]] = defaultdict(set)
    terms: defaultdict[UUID, list[OwnTerm]] = defaultdict(list)
    examples: defaultdict[UUID, list[tuple[UUID, str]]] = defaultdict(list)
    below = {"intent_id__in": intent_ids}
    for intent_id, kind in PolicyIntentKind.objects.filter(**below).values_list("intent_id", "kind"):
        kinds[intent_id].add(kind)
    own = IntentTerm.objects.filter(**below).order_by("position")
    for intent_id, text, decisive in own.values_list("intent_id", "text", "decisive"):
        terms[intent_id].append(OwnTerm(text=text, decisive=decisive))
    golden = GoldenExample.objects.filter(**below).order_by("position")
    for intent_id, example_id, text in golden.values_list("intent_id", "id", "text"):
        examples[intent_id].append((example_id, text))
    return _Parts(kinds, terms, examples)


def _snapshot(
    version: PolicyVersion, intents: list[PolicyIntent], parts: _Parts, budgets: list[BudgetRow]
) -> PolicySnapshot:
    rules = [intent for intent in intents if not intent.is_fallback]
    fallback = next(intent for intent in intents if intent.is_fallback)
    held = tuple(_budget(row) for row in budgets)
    order = [budget.kind for budget in held]
    return PolicySnapshot(
        version_id=version.id,
        number=version.number,
        status=version.status,
        origin=version.origin,
        author_label=version.author_label,
        approver_label=version.approver_label,
        reason=version.reason,
        valid_from=version.valid_from,
        valid_to=version.valid_to,
        intents=tuple(
            IntentRule(
                name=rule.name,
                label=rule.label,
                description=rule.description,
                kinds=sort_kinds(parts.kinds.get(rule.id, ()), order),
                recording_mode=RecordingMode.strictest_for(rule.recording_mode),
                terms=tuple(parts.terms.get(rule.id, ())),
            )
            for rule in rules
        ),
        fallback=FallbackRule(
            label=fallback.label,
            description=fallback.description,
            kinds=sort_kinds(parts.kinds.get(fallback.id, ()), order),
            recording_mode=RecordingMode.strictest_for(fallback.recording_mode),
        ),
        examples=tuple(
            GoldenQuestion(id=example_id, text=text, intent=_intent_name(intent))
            for intent in (*rules, fallback)
            for example_id, text in parts.examples.get(intent.id, ())
        ),
        budgets=held,
        total_cap_chars=version.total_cap_chars,
        classifier=ClassifierSettings(
            **{each.name: getattr(version, each.name) for each in fields(ClassifierSettings)}
        ),
        retrieval=retrieval_settings_from_json(version.retrieval_settings),
        two_reviewers_for=sort_two_for(version.two_reviewers_for),
    )


def _budget(row: BudgetRow) -> KindBudget:
    return KindBudget(
        kind=Kind(row.kind, row.name),
        label=row.label,
        cap_chars=row.cap_chars,
        position=row.position,
        name=row.name,
        description=row.description,
        examples=tuple(row.examples),
        retention_class=RetentionClass(row.retention_class),
        source_category=SourceType(row.source_category),
        uploaders=tuple(map(Role, row.uploaders)),
        retired=row.retired,
        correctors=tuple(map(Role, row.correctors)),
        removers=tuple(map(Role, row.removers)),
    )


def _intent_name(intent: PolicyIntent) -> str:
    """Return its name in a snapshot, where the fallback has none."""
    return UNRECOGNISED if intent.is_fallback else intent.name
