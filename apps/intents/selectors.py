"""Reading policies: which version was in force, as an immutable snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from apps.corpus.kinds import Kind
from apps.intents.contracts import (
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
from apps.intents.errors import NoPolicyInForceError
from apps.intents.models import (
    GoldenExample,
    IntentTerm,
    PolicyIntent,
    PolicyIntentKind,
    PolicyVersion,
    VersionStatus,
)
from apps.intents.models import KindBudget as BudgetRow
from apps.intents.retrieval_settings import retrieval_settings_from_json
from apps.intents.standing import by_time, in_force_at, is_settled
from apps.tenants.context import current_scope

# Only the status and validity of a version that is not a draft change, so its content may be cached. A version that is
# sent back becomes a draft again; its revision distinguishes its contents.
_KEPT: Final = 256
_snapshots: dict[tuple[UUID, UUID, int, str, datetime | None], PolicySnapshot] = {}
_lock = Lock()


def policy_in_force(at: datetime | None = None) -> PolicySnapshot:
    """Return the open tenant's policy, now or at an instant in the past, by the times of the approved versions.

    Args:    at: aware; None for now.
    Raises:  NoPolicyInForceError: none was in force; NoScopeError: no scope is open.
    Costs:   one query, five more the first time that this process reads the version.
    """
    tenant_id = current_scope().tenant_id
    version = in_force_at(PolicyVersion.objects.filter(tenant_id=tenant_id), at)
    if version is None:
        raise NoPolicyInForceError(tenant_id=tenant_id, at=(at or timezone.now()).isoformat())
    return version_snapshot(version)


def version_snapshot(version: PolicyVersion) -> PolicySnapshot:
    """Return a version of the open tenant as a value; a draft is read again each time.

    Raises: PolicyVersion.DoesNotExist: it is another tenant's. The check is here because row-level security does not
            protect the cache.
    """
    return version_snapshots([version])[version.id]


def version_snapshots(versions: Iterable[PolicyVersion]) -> dict[UUID, PolicySnapshot]:
    """Return versions of the open tenant as values, by their ids. Raises as version_snapshot does.

    Costs: five queries, however many versions this process has not read before; none if it has read them all. One more
           if there are rows of approved or active versions, because these rows alone do not show the current status.
    """
    found: dict[UUID, PolicySnapshot] = {}
    unread: list[PolicyVersion] = []
    for version in _by_time(versions):
        with _lock:
            known = _snapshots.get(_key(version))
        if known is None:
            unread.append(version)
        else:
            found[version.id] = known
    read = _read(unread) if unread else {}
    for version in unread:
        if version.status != VersionStatus.DRAFT:
            _keep(version, read[version.id])
    return found | read


def policy_versions() -> QuerySet[Any]:
    """Return the open tenant's versions with their current status, newest first."""
    return by_time(PolicyVersion.objects.order_by("-number"))


def _by_time(versions: Iterable[PolicyVersion]) -> list[PolicyVersion]:
    tenant_id, given = current_scope().tenant_id, list(versions)
    for version in given:
        if version.tenant_id != tenant_id:
            raise PolicyVersion.DoesNotExist(f"there is no policy version {version.id}")
    rows = [version.id for version in given if not is_settled(version)]
    settled = {each.id: each for each in by_time(PolicyVersion.objects.filter(id__in=rows))} if rows else {}
    return [settled.get(version.id, version) for version in given]


def _key(version: PolicyVersion) -> tuple[UUID, UUID, int, str, datetime | None]:
    """Return the cache key, which includes status and validity: they change when the next version takes effect."""
    return version.tenant_id, version.id, version.revision, version.status, version.valid_to


def _keep(version: PolicyVersion, snapshot: PolicySnapshot) -> None:
    with _lock:
        while len(_snapshots) >= _KEPT:
            _snapshots.pop(next(iter(_snapshots)))
        _snapshots[_key(version)] = snapshot


def _read(versions: list[PolicyVersion]) -> dict[UUID, PolicySnapshot]:
    ids = [version.id for version in versions]
    intents: dict[UUID, list[PolicyIntent]] = {each: [] for each in ids}
    budgets: dict[UUID, list[BudgetRow]] = {each: [] for each in ids}
    for intent in PolicyIntent.objects.filter(version_id__in=ids).order_by("position"):
        intents[intent.version_id].append(intent)
    parts = _parts([intent.id for each in intents.values() for intent in each])
    for row in BudgetRow.objects.filter(version_id__in=ids).order_by("position"):
        budgets[row.version_id].append(row)
    return {version.id: _snapshot(version, intents[version.id], parts, budgets[version.id]) for version in versions}


@dataclass(frozen=True, slots=True)
class _Parts:
    """The rows below intents, by the intent's id: about six hundred per version, so they are not made into models."""

    kinds: Mapping[UUID, set[str]]
    terms: Mapping[UUID, list[OwnTerm]]
    examples: Mapping[UUID, list[tuple[UUID, str]]]


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
                kinds=_kinds(parts.kinds.get(rule.id, set())),
                recording_mode=RecordingMode.strictest_for(rule.recording_mode),
                terms=tuple(parts.terms.get(rule.id, ())),
            )
            for rule in rules
        ),
        fallback=FallbackRule(
            label=fallback.label,
            description=fallback.description,
            kinds=_kinds(parts.kinds.get(fallback.id, set())),
            recording_mode=RecordingMode.strictest_for(fallback.recording_mode),
        ),
        examples=tuple(
            GoldenQuestion(id=example_id, text=text, intent=UNRECOGNISED if intent.is_fallback else intent.name)
            for intent in (*rules, fallback)
            for example_id, text in parts.examples.get(intent.id, ())
        ),
        budgets=tuple(
            KindBudget(kind=Kind(row.kind), label=row.label, cap_chars=row.cap_chars, position=row.position)
            for row in budgets
        ),
        total_cap_chars=version.total_cap_chars,
        classifier=ClassifierSettings(
            **{name: getattr(version, name) for name in ClassifierSettings.__dataclass_fields__}
        ),
        retrieval=retrieval_settings_from_json(version.retrieval_settings),
    )


def _kinds(ticked: set[str]) -> tuple[Kind, ...]:
    """Return the kinds in the order of the enumeration, so that equal sets are equal values."""
    return tuple(kind for kind in Kind if kind.value in ticked)
