"""The only way to get an embedding provider: by its profile's name, bound to a tenant's residency rule."""

from __future__ import annotations

from typing import Final

from .around import ProviderAround
from .base.registry import Registry, ResidencyBound
from .errors import ProviderConfigurationError, ResidencyError
from .local import SentenceTransformersProvider
from .profiles import EMBEDDING_PROFILES, Backend, EmbeddingProfile
from .protocol import EmbeddingProvider, TokenVectorProvider


def provider_for(profile: str, *, tenant_region: str, tenant_strict: bool) -> ResidencyBoundProvider:
    """Return the provider of a profile, bound to one tenant's residency rule.

    All tenants of this process share the model or connection behind it, which holds no data of them. The model is
    loaded at the first embedding, not here.

    Raises:  ResidencyError: the tenant is strict and the profile computes elsewhere.
             UnknownProviderError: there is no such profile.
    """
    bound = ResidencyBoundProvider(PROVIDERS, profile, tenant_region=tenant_region, tenant_strict=tenant_strict)
    bound.check()
    return bound


def runs_here(profile: str) -> bool:
    """Return whether a profile's model runs in this process, so that a text that it embeds goes nowhere."""
    return EMBEDDING_PROFILES.named(profile).backend is Backend.SENTENCE_TRANSFORMERS


def token_vectors_for(profile: str, *, tenant_region: str, tenant_strict: bool) -> TokenVectorProvider:
    """Return the provider of token vectors of a profile; it uses the same loaded model that embeds texts.

    Call this again for each question, because the residency rule is checked here.

    Raises:  ProviderConfigurationError: the profile's model is not on this machine.
             ResidencyError: the tenant is strict and the profile computes elsewhere.
             UnknownProviderError: there is no such profile.
    """
    provider = provider_for(profile, tenant_region=tenant_region, tenant_strict=tenant_strict).check()
    if not isinstance(provider, SentenceTransformersProvider):
        raise ProviderConfigurationError(
            profile=profile,
            reason="it gives no vectors of single tokens. Name one with the backend sentence-transformers in "
            "GLASSBOX_LATE_INTERACTION_PROFILE",
        )
    return provider


class ResidencyBoundProvider(ResidencyBound[EmbeddingProfile, EmbeddingProvider], ProviderAround):
    """An embedding provider that checks the residency rule again before it sends any text."""

    def inner(self) -> EmbeddingProvider:
        return self.check()


def _build(profile: EmbeddingProfile) -> EmbeddingProvider:
    match profile.backend:
        case Backend.SENTENCE_TRANSFORMERS:
            return SentenceTransformersProvider(profile)
        case Backend.OPENAI:
            # Importing its client library takes a quarter of a process's start, and most processes never use it.
            from .openai import OpenAIProvider

            return OpenAIProvider(profile)


PROVIDERS: Final = Registry(EMBEDDING_PROFILES, _build, refusal=ResidencyError)
