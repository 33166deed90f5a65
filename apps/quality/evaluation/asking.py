"""Ask one question as the platform, through the same pipeline as every other question.

No event is recorded per question: what is asked here is known beforehand, and nobody learns anything from it. The run
as a whole is recorded in the log, and so is each request to a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from apps.corpus.providers.around import ProviderAround
from apps.corpus.providers.protocol import EmbeddingProvider, Vectors
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.contracts import PolicySnapshot
from apps.quality.errors import EvaluationError
from apps.quality.evaluation.ablation import Variant
from apps.quality.evaluation.contracts import EvaluationQuestion, Observation
from apps.quality.evaluation.observing import observe, unread
from apps.quality.evaluation.tenant import REASON
from apps.retrieval.changed_settings import RunSettings
from apps.retrieval.contracts import Question
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.errors import GenerationResidencyError, QuestionError
from apps.retrieval.generation.profiles import GENERATION_PROFILES
from apps.retrieval.pipeline import answer
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.trace import Stage, StageStatus
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Tenant
from apps.tenants.residency import check_region
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import ShortScopes, current_short_scopes

_WARM_UP: Final = "Which figures are there?"
_NEEDS_THE_PROVIDER: Final = (Stage.CLASSIFY, Stage.EMBED)


@dataclass(slots=True)
class KeptVectors:
    """The vectors of the questions that were asked. They are kept while the default runs, and reused for its variants.

    While `serving` is off, every vector is computed, so that the default's times are those of a new question.
    """

    serving: bool = False
    by_text: dict[tuple[str, str], Vectors] = field(default_factory=dict)


class KeepingProvider(ProviderAround):
    """A provider that keeps its query vectors."""

    def __init__(self, provider: EmbeddingProvider, kept: KeptVectors) -> None:
        self._provider, self._kept = provider, kept

    def inner(self) -> EmbeddingProvider:
        return self._provider

    def embed_query(self, text: str) -> Vectors:
        key = (self.model, text)
        if self._kept.serving and key in self._kept.by_text:
            return self._kept.by_text[key]
        vector = self._provider.embed_query(text)
        self._kept.by_text[key] = vector
        return vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How questions are asked: where, under which policy, with which settings, and what writes the answers.

    generation_profile: of GLASSBOX_GENERATION_PROFILES. with_model: whether it names a model.
    """

    tenant_id: TenantId
    snapshot: PolicySnapshot
    settings: RunSettings
    kept: KeptVectors
    generation_profile: str

    @property
    def with_model(self) -> bool:
        return bool(GENERATION_PROFILES.named(self.generation_profile).model)

    def ask(self, question: EvaluationQuestion, variant: Variant | None = None) -> Observation:
        """Ask one question, outside of any transaction. A text that cannot be read as a question counts as refused.

        Raises: EvaluationError: the embedding provider did not answer. Without it another pipeline would be
                    measured.
        """
        with open_scope(tenant=self.tenant_id, scopes=question.scope_ids, reason=REASON):
            scopes = current_short_scopes()
            deps = self._dependencies(variant, scopes)
        asked = Question(text=question.text, tenant_id=self.tenant_id, scope_ids=question.scope_ids)
        try:
            result = answer(asked, deps=deps)
        except QuestionError as error:
            return unread(error.code)
        for record in result.trace.stages:
            if record.stage in _NEEDS_THE_PROVIDER and record.status is StageStatus.DEGRADED:
                raise EvaluationError("retrieval.evaluation_without_provider", stage=record.stage.value)
        with scopes.open():
            return observe(result)

    def warm_up(self) -> None:
        """Load what is loaded at first use, so that the first question's times are like those of any other."""
        with open_scope(tenant=self.tenant_id, reason=REASON):
            provider = tenant_provider()
            deps = self._dependencies(None, current_short_scopes())
        # Outside of any scope: loading or a request may take longer than a scope stays open.
        provider.embed_query(_WARM_UP)
        deps.intents.classify(_WARM_UP)

    def _dependencies(self, variant: Variant | None, scopes: ShortScopes | None) -> PipelineDependencies:
        settings = self.settings.with_changes(variant.changes) if variant else self.settings
        snapshot = replace(self.snapshot, retrieval=settings.policy)
        deps = dependencies_for(
            self._tenant(),
            snapshot,
            settings.stages,
            scopes=scopes,
            around=lambda provider: KeepingProvider(provider, self.kept),
        )
        return variant.adjust(deps) if variant else deps

    def _tenant(self) -> Tenant:
        """Return the open tenant, as if it named this run's generation profile. Nothing of it is saved."""
        tenant = current_tenant()
        tenant.generation_profile = self.generation_profile
        return tenant


def check_generator(tenant: Tenant, profile: str) -> None:
    """Check that a tenant's questions may be answered with a generation profile.

    Raises: UnknownGenerationProfileError.
            GenerationResidencyError: the tenant is strict, and the profile is in another region.
    """
    check_region(
        tenant_region=tenant.residency_region,
        strict=tenant.residency_strict,
        provider=profile,
        provider_region=GENERATION_PROFILES.named(profile).region,
        refusal=GenerationResidencyError,
    )
