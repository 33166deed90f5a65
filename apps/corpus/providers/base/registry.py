"""The only way to get a provider: by its profile's name, with the residency rule checked at every call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from apps.tenants.errors import ResidencyError
from apps.tenants.residency import check_region

from .profiles import Profiles, ProfileT

ProviderT = TypeVar("ProviderT")


class Registry(Generic[ProfileT, ProviderT]):
    """One provider for each profile. All tenants of this process share it, with its model or connections.

    Make one for each kind of provider, at the level of its module.

    Args: build: makes the provider of a profile; it imports heavy libraries only when it needs them.
          refusal: the error to raise if residency does not allow a call.
    """

    def __init__(
        self,
        profiles: Profiles[ProfileT],
        build: Callable[[ProfileT], ProviderT],
        *,
        refusal: type[ResidencyError] = ResidencyError,
    ) -> None:
        self.profiles, self.refusal = profiles, refusal
        self._build = build
        self._lock = threading.Lock()
        self._providers: dict[ProfileT, ProviderT] = {}
        os.register_at_fork(after_in_child=self._forget)

    def shared(self, profile: ProfileT) -> ProviderT:
        """Return the provider of a profile, without a check of residency."""
        with self._lock:
            if profile not in self._providers:
                self._providers[profile] = self._build(profile)
            return self._providers[profile]

    def _forget(self) -> None:
        """Start empty in a forked worker: it can't share connections, and another thread may have held the lock."""
        self._lock = threading.Lock()
        self._providers.clear()


class ResidencyBound(Generic[ProfileT, ProviderT]):
    """A provider, for one tenant: `check` reads its profile and the residency rule again before anything is sent."""

    def __init__(
        self, registry: Registry[ProfileT, ProviderT], name: str, *, tenant_region: str, tenant_strict: bool
    ) -> None:
        self._registry, self._name = registry, name
        self._tenant_region, self._tenant_strict = tenant_region, tenant_strict

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> ProfileT:
        """The profile as it is configured now."""
        return self._registry.profiles.named(self._name)

    def check(self) -> ProviderT:
        """Return the underlying provider if the tenant may use it now; raise the registry's refusal otherwise."""
        profile = self.profile
        check_region(
            tenant_region=self._tenant_region,
            strict=self._tenant_strict,
            provider=profile.name,
            provider_region=profile.region,
            refusal=self._registry.refusal,
        )
        return self._registry.shared(profile)
