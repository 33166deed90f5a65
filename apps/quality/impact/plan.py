"""Plan a preview: both policies, the recorded questions, the evaluation questions, and the review examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from apps.audit.models import Event
from apps.audit.selectors import Groups, readings_of
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.providers.errors import ProviderError, ResidencyError, UnknownProviderError
from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.profile.means import DIRECT
from apps.intents.scoring import Vector
from apps.intents.selectors import version_snapshot
from apps.intents.services.golden import golden_vectors
from apps.quality.errors import ImpactError
from apps.quality.impact.contracts import Hit
from apps.quality.models import EvaluationQuery, PolicyImpact
from apps.retrieval.events import DECIDED
from apps.retrieval.given_record import NONE_RECORDED, RecordedFilters, filters_read
from apps.retrieval.trace import Stage
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope
from apps.tenants.selectors.grants import subtree


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A review example of either version, each text once; the id is the version's own if it has the example.

    vector: (d,) float32, unit norm. It is the stored vector, so that no provider has to compute it again.
    """

    example_id: UUID
    text: str
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A policy by which questions are judged. vectors: (n, d) float32, unit norm, row i for policy.examples[i]."""

    policy: PolicySnapshot
    vectors: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The plan of a preview.

    before: the policy in force at the request. after: the version. Each has the vectors of its review examples.
    """

    before: Judged
    after: Judged
    event_ids: tuple[UUID, ...]
    query_ids: tuple[UUID, ...]
    examples: tuple[Example, ...]

    @property
    def total(self) -> int:
        return len(self.event_ids) + len(self.query_ids) + len(self.examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuestion:
    """What the log holds of an answered question.

    text: empty if it was not kept. filters: the filters that came with the question.
    intent: None if it was removed, "" for unrecognised. hits: those of the context; None if they were removed.
    research_mode: in which it was asked.
    """

    event_id: UUID
    scope_ids: tuple[ScopeId, ...]
    text: str
    intent: str | None
    hits: tuple[Hit, ...] | None
    filters: RecordedFilters = NONE_RECORDED
    research_mode: str = DIRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """An evaluation question that is ready to run. documents: the searchable versions of the expected document."""

    query_id: UUID
    text: str
    scope_ids: tuple[ScopeId, ...]
    documents: frozenset[UUID]
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The two policies of a preview, and the provider that embeds their review examples."""

    before: PolicySnapshot
    after: PolicySnapshot
    provider: EmbeddingProvider


def policies_of(impact: PolicyImpact) -> Policies:
    """Return the policies of a preview, within the open scope. Raises: ResidencyError, UnknownProviderError."""
    base, version = (PolicyVersion.objects.get(id=each) for each in (impact.base_id, impact.version_id))
    return Policies(before=version_snapshot(base), after=version_snapshot(version), provider=tenant_provider())


def judged(policies: Policies, tenant_id: TenantId) -> tuple[Judged, Judged]:
    """Return both policies with the vectors of their review examples, and compute missing ones.

    Call it outside of any scope: a scope would stay open while the provider works.

    Raises: ImpactError, ResidencyError, UnknownProviderError.
    """
    before, after = (_judged(each, policies.provider, tenant_id) for each in (policies.before, policies.after))
    return before, after


def plan_of(impact: PolicyImpact, before: Judged, after: Judged) -> Plan:
    """Return the plan of a preview, within the open scope."""
    events = Event.objects.filter(action__in=DECIDED, occurred_at__lte=impact.requested_at)
    newest = events.order_by("-occurred_at", "-id").values_list("id", flat=True)
    return Plan(
        before=before,
        after=after,
        event_ids=tuple(newest[: settings.GLASSBOX_IMPACT_EVENTS]),
        query_ids=tuple(EvaluationQuery.objects.order_by("created_at", "id").values_list("id", flat=True)),
        examples=_examples(before, after),
    )


def recorded_of(event_ids: Sequence[UUID]) -> list[RecordedQuestion]:
    """Return the recorded questions of a batch of events, in its order."""
    events = {event.id: event for event in Event.objects.filter(id__in=event_ids)}
    # Damaged groups count as removed. The log's own pages say of each event which of the two it is.
    readings = readings_of(events.values())
    return [_recorded(events[each], readings[each].payload) for each in event_ids if each in events]


def expected_of(query_id: UUID) -> Expected | None:
    """Return an evaluation question ready to run; None if it was removed since."""
    query: EvaluationQuery | None = EvaluationQuery.objects.filter(id=query_id).first()
    if query is None:
        return None
    tree = [(ScopeId(i), ScopeId(p) if p else None) for i, p in Scope.objects.values_list("id", "parent_id")]
    versions = Document.objects.filter(series_id=query.series_id, status=DocumentStatus.READY)
    return Expected(
        query_id=query.id,
        text=query.text,
        scope_ids=tuple(sorted(subtree([ScopeId(query.scope_id)], tree))),
        documents=frozenset(versions.values_list("id", flat=True)),
        pages=tuple(query.pages),
    )


def _judged(policy: PolicySnapshot, provider: EmbeddingProvider, tenant_id: TenantId) -> Judged:
    try:
        vectors = golden_vectors(snapshot=policy, provider=provider, tenant_id=tenant_id)
    except (ResidencyError, UnknownProviderError):
        raise
    except ProviderError as error:
        raise ImpactError("retrieval.impact_without_provider", stage=Stage.CLASSIFY.value) from error
    return Judged(policy=policy, vectors=vectors)


def _examples(*sides: Judged) -> tuple[Example, ...]:
    by_text = {
        example.text: Example(example_id=example.id, text=example.text, vector=vector)
        for side in sides
        for example, vector in zip(side.policy.examples, side.vectors, strict=True)
    }
    return tuple(by_text.values())


def _recorded(event: Event, payload: Groups) -> RecordedQuestion:
    question, core = payload.get("question", {}), payload.get("core", {})
    intent, text, passages = core.get("intent"), question.get("text"), payload.get("passages")
    return RecordedQuestion(
        event_id=event.id,
        scope_ids=tuple(ScopeId(each) for each in event.scope_ids),
        text=text if isinstance(text, str) else "",
        intent=intent if isinstance(intent, str) else None,
        hits=None if passages is None else tuple(_hits(passages.get("hits", ()))),
        filters=filters_read(question.get("given_filters", {})),
        research_mode=core.get("research_mode", DIRECT),
    )


def _hits(recorded: Iterable[dict[str, str]]) -> Iterable[Hit]:
    for each in recorded:
        if each.get("in_context"):
            yield Hit(chunk_id=UUID(each["chunk_id"]), document_id=UUID(each["document_id"]), kind=each["kind"])
