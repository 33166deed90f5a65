"""The only access to generators: by a profile's name, bound to a tenant's residency rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apps.corpus.providers.base.registry import Registry, ResidencyBound
from apps.retrieval.contracts import ContextBlock, Finding, GeneratedAnswer, QueryAnalysis
from apps.retrieval.errors import GenerationResidencyError
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.generation.profiles import GENERATION_PROFILES, GenerationBackend, GenerationProfile
from apps.retrieval.generation.protocol import Completing, Generator, Revising


def generator_for(profile: str, *, tenant_region: str, tenant_strict: bool) -> ResidencyBoundGenerator:
    """Return the generator of a profile, bound to one tenant's residency rule, which is checked at each call.

    Raises:  UnknownGenerationProfileError: there is no such profile.
    """
    GENERATION_PROFILES.named(profile)
    return ResidencyBoundGenerator(GENERATORS, profile, tenant_region=tenant_region, tenant_strict=tenant_strict)


class ResidencyBoundGenerator(ResidencyBound[GenerationProfile, Generator]):
    """A generator that checks the residency rule before any passage, or any part of the question, leaves."""

    @property
    def model(self) -> str:
        return self.profile.model

    @property
    def region(self) -> str:
        return self.profile.region

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        return self.check().generate(analysis, context)

    def revise(
        self, analysis: QueryAnalysis, context: ContextBlock, draft: GeneratedAnswer, findings: Sequence[Finding]
    ) -> GeneratedAnswer | None:
        generator = self.check()
        return generator.revise(analysis, context, draft, findings) if isinstance(generator, Revising) else None

    def complete(self, *, instructions: str, data: str, timeout_seconds: float) -> str | None:
        # What writes nothing is not asked, wherever it is. Its profile may change before the check reads it again.
        if not isinstance(GENERATORS.shared(self.profile), Completing):
            return None
        model = self.check()
        if not isinstance(model, Completing):
            return None
        return model.complete(instructions=instructions, data=data, timeout_seconds=timeout_seconds)


def _build(profile: GenerationProfile) -> Generator:
    match profile.backend:
        case GenerationBackend.EXTRACTIVE:
            return ExtractiveGenerator()
        case GenerationBackend.OPENAI:
            # Importing its client library takes a quarter of a process's start, and most processes never use it.
            from apps.retrieval.generation.openai import OpenAICompatibleGenerator

            return OpenAICompatibleGenerator(profile)


GENERATORS: Final = Registry(GENERATION_PROFILES, _build, refusal=GenerationResidencyError)
