"""The only access to generators: finds one by its profile's name and checks the residency rule at every call."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from apps.retrieval.contracts import ContextBlock, Finding, GeneratedAnswer, QueryAnalysis
from apps.retrieval.errors import GenerationResidencyError
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.generation.profiles import GenerationBackend, GenerationProfile, generation_profile
from apps.retrieval.generation.protocol import Completing, Generator, Revising
from apps.tenants.residency import check_region

_lock = threading.Lock()
_generators: dict[GenerationProfile, Generator] = {}


def generator_for(profile: str, *, tenant_region: str, tenant_strict: bool) -> ResidencyBoundGenerator:
    """Return the generator of a profile, bound to one tenant's residency rule, which is checked at each call.

    Raises:  UnknownGenerationProfileError: there is no such profile.
    """
    generation_profile(profile)
    return ResidencyBoundGenerator(profile, tenant_region=tenant_region, tenant_strict=tenant_strict)


class ResidencyBoundGenerator:
    """A generator that checks the residency rule before it sends anything.

    It reads its profile and checks the rule again before any passage, or any part of the question, leaves.
    """

    def __init__(self, profile: str, *, tenant_region: str, tenant_strict: bool) -> None:
        self._profile_name = profile
        self._tenant_region = tenant_region
        self._tenant_strict = tenant_strict

    @property
    def name(self) -> str:
        return self._profile_name

    @property
    def model(self) -> str:
        return generation_profile(self._profile_name).model

    @property
    def region(self) -> str:
        return generation_profile(self._profile_name).region

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        profile = generation_profile(self._profile_name)
        _check(profile, tenant_region=self._tenant_region, tenant_strict=self._tenant_strict)
        return _shared(profile).generate(analysis, context)

    def revise(
        self, analysis: QueryAnalysis, context: ContextBlock, draft: GeneratedAnswer, findings: Sequence[Finding]
    ) -> GeneratedAnswer | None:
        profile = generation_profile(self._profile_name)
        _check(profile, tenant_region=self._tenant_region, tenant_strict=self._tenant_strict)
        generator = _shared(profile)
        return generator.revise(analysis, context, draft, findings) if isinstance(generator, Revising) else None

    def complete(self, *, instructions: str, data: str, timeout_seconds: float) -> str | None:
        profile = generation_profile(self._profile_name)
        generator = _shared(profile)
        if not isinstance(generator, Completing):
            return None
        _check(profile, tenant_region=self._tenant_region, tenant_strict=self._tenant_strict)
        return generator.complete(instructions=instructions, data=data, timeout_seconds=timeout_seconds)


def _check(profile: GenerationProfile, *, tenant_region: str, tenant_strict: bool) -> None:
    check_region(
        tenant_region=tenant_region,
        strict=tenant_strict,
        provider=profile.name,
        provider_region=profile.region,
        refusal=GenerationResidencyError,
    )


def _shared(profile: GenerationProfile) -> Generator:
    with _lock:
        if profile not in _generators:
            _generators[profile] = _built(profile)
        return _generators[profile]


def _built(profile: GenerationProfile) -> Generator:
    match profile.backend:
        case GenerationBackend.EXTRACTIVE:
            return ExtractiveGenerator()
        case GenerationBackend.OPENAI:
            # Importing the client library takes a quarter of a process's start-up time, and most processes never call
            # it.
            from apps.retrieval.generation.openai import OpenAICompatibleGenerator

            return OpenAICompatibleGenerator(profile)


def _forget_in_child() -> None:
    """Empty the registry in a forked worker: connections cannot be shared, and another thread may hold the lock."""
    global _lock
    _lock = threading.Lock()
    _generators.clear()


os.register_at_fork(after_in_child=_forget_in_child)
