"""The door to the providers: found by name, shared, and never outside a strict tenant's region."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from apps.corpus.providers.errors import ResidencyError, UnknownProviderError
from apps.corpus.providers.registry import provider_for
from tests.model_server import ModelServer


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"remote": entry(running, region="us")}
        yield running


def entry(server: ModelServer, *, region: str) -> dict[str, Any]:
    return {
        "backend": "openai",
        "model": "text-embedding-3-small",
        "dimension": 1536,
        "region": region,
        "base_url": server.base_url,
    }


def test_a_tenant_without_strict_residency_may_use_any_region(server: ModelServer) -> None:
    provider = provider_for("remote", tenant_region="eu", tenant_strict=False)
    assert provider.embed_query("drawdown").shape == (1536,)


def test_a_strict_tenant_may_use_its_own_region(server: ModelServer) -> None:
    provider = provider_for("remote", tenant_region="us", tenant_strict=True)
    assert provider.embed_documents(["drawdown"]).shape == (1, 1536)


def test_the_bound_provider_describes_the_profile(server: ModelServer) -> None:
    provider = provider_for("remote", tenant_region="us", tenant_strict=True)
    described = (provider.name, provider.model, provider.dimension, provider.region, provider.max_input_tokens)
    assert described == ("remote", "text-embedding-3-small", 1536, "us", 8191)


def test_a_strict_tenant_is_refused_when_it_asks_for_the_provider(server: ModelServer) -> None:
    with pytest.raises(ResidencyError, match="must stay in region eu"):
        provider_for("remote", tenant_region="eu", tenant_strict=True)


def test_a_strict_tenant_without_a_region_is_refused(server: ModelServer) -> None:
    with pytest.raises(ResidencyError, match="none named"):
        provider_for("remote", tenant_region="", tenant_strict=True)


@pytest.mark.parametrize("method", ["embed_query", "embed_documents"])
def test_each_call_checks_again_and_sends_nothing(server: ModelServer, settings: LazySettings, method: str) -> None:
    provider = provider_for("remote", tenant_region="us", tenant_strict=True)
    settings.GLASSBOX_EMBEDDING_PROFILES = {"remote": entry(server, region="ap")}
    with pytest.raises(ResidencyError):
        getattr(provider, method)("drawdown")
    assert server.requests == ()


def test_an_unknown_profile_is_refused(server: ModelServer) -> None:
    with pytest.raises(UnknownProviderError, match="Choose one of: remote"):
        provider_for("elsewhere", tenant_region="eu", tenant_strict=False)


def test_tenants_share_the_instance_behind_a_profile(server: ModelServer) -> None:
    alice = provider_for("remote", tenant_region="us", tenant_strict=True)
    bob = provider_for("remote", tenant_region="eu", tenant_strict=False)
    assert alice.check() is bob.check()


def test_a_forked_child_starts_with_its_own_instance(server: ModelServer) -> None:
    provider = provider_for("remote", tenant_region="us", tenant_strict=True)
    before = id(provider.check())
    keep_alive = provider.check()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if provider.check() is not keep_alive and id(keep_alive) == before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
