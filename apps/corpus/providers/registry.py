"""The only way to get a provider: by its profile's name, with the residency rule checked at every call."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

from apps.tenants.residency import check_region

from .errors import ProviderConfigurationError, ResidencyError
from .local import SentenceTransformersProvider
from .profiles import Backend, EmbeddingProfile, profile_for
from .protocol import EmbeddingProvider, TokenVectorProvider, Vectors

_lock = threading.Lock()
_providers: dict[EmbeddingProfile, EmbeddingProvider] = {}


def provider_for(profile: str, *, tenant_region: str, tenant_strict: bool) -> ResidencyBoundProvider:
    """Return the provider of a profile, bound to one tenant's residency rule.

    All tenants of this process share the model or connection behind it, which holds no data of them. The model is
    loaded at the first embedding, not here.

    Raises:  ResidencyError: the tenant is strict and the profile computes elsewhere.
             UnknownProviderError: there is no such profile.
    """
    bound = ResidencyBoundProvider(profile, tenant_region=tenant_region, tenant_strict=tenant_strict)
    bound.check()
    return bound


def token_vectors_for(profile: str, *, tenant_region: str, tenant_strict: bool) -> TokenVectorProvider:
    """Return the provider of token vectors of a profile; it uses the same loaded model that embeds texts.

    Call this again for each question, because the residency rule is checked here.

    Raises:  ProviderConfigurationError: the profile's model is not on this machine.
             ResidencyError: the tenant is strict and the profile computes elsewhere.
             UnknownProviderError: there is no such profile.
    """
    provider = ResidencyBoundProvider(profile, tenant_region=tenant_region, tenant_strict=tenant_strict).check()
    if not isinstance(provider, SentenceTransformersProvider):
        raise ProviderConfigurationError(
            profile=profile,
            reason="it gives no vectors of single tokens. Name one with the backend sentence-transformers in "
            "GLASSBOX_LATE_INTERACTION_PROFILE",
        )
    return provider


class ResidencyBoundProvider:
    """A provider that reads its profile and checks the residency rule again before it sends any text."""

    def __init__(self, profile: str, *, tenant_region: str, tenant_strict: bool) -> None:
        self._profile_name = profile
        self._tenant_region = tenant_region
        self._tenant_strict = tenant_strict

    @property
    def name(self) -> str:
        return self._profile_name

    @property
    def model(self) -> str:
        return self.check().model

    @property
    def dimension(self) -> int:
        return self.check().dimension

    @property
    def region(self) -> str:
        return self.check().region

    @property
    def max_input_tokens(self) -> int:
        return self.check().max_input_tokens

    def embed_query(self, text: str) -> Vectors:
        return self.check().embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self.check().embed_documents(texts)

    def check(self) -> EmbeddingProvider:
        """Return the underlying provider if the tenant may still use it; raise ResidencyError otherwise."""
        profile = profile_for(self._profile_name)
        _check(profile, tenant_region=self._tenant_region, tenant_strict=self._tenant_strict)
        return _shared(profile)


def _check(profile: EmbeddingProfile, *, tenant_region: str, tenant_strict: bool) -> None:
    check_region(
        tenant_region=tenant_region,
        strict=tenant_strict,
        provider=profile.name,
        provider_region=profile.region,
        refusal=ResidencyError,
    )


def _shared(profile: EmbeddingProfile) -> EmbeddingProvider:
    with _lock:
        if profile not in _providers:
            _providers[profile] = _built(profile)
        return _providers[profile]


def _built(profile: EmbeddingProfile) -> EmbeddingProvider:
    match profile.backend:
        case Backend.SENTENCE_TRANSFORMERS:
            return SentenceTransformersProvider(profile)
        case Backend.OPENAI:
            # Importing its client library takes a quarter of a process's start, and most processes never use it.
            from .openai import OpenAIProvider

            return OpenAIProvider(profile)


def _forget_in_child() -> None:
    """Clear the registry in a forked worker: it can't share connections, and another thread may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _providers.clear()


os.register_at_fork(after_in_child=_forget_in_child)
