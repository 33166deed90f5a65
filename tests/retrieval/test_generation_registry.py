from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from apps.retrieval.errors import GenerationResidencyError, GenerationUnavailableError, UnknownGenerationProfileError
from apps.retrieval.generation.profiles import GENERATION_PROFILES
from apps.retrieval.generation.registry import GENERATORS, ResidencyBoundGenerator, generator_for
from tests.model_server import ModelServer
from tests.retrieval.builders import analysed, candidate, context_of

ANALYSIS = analysed("What does the custody policy say?")
CONTEXT = context_of(ANALYSIS, [candidate("The custody policy covers client assets.")])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def profiles(settings: Any, server: ModelServer) -> dict[str, dict[str, Any]]:
    settings.GLASSBOX_GENERATION_PROFILES = {
        "extractive": {"backend": "extractive", "region": "eu"},
        "overseas": {"backend": "openai", "region": "us", "model": "chat", "base_url": server.base_url},
    }
    value: dict[str, dict[str, Any]] = settings.GLASSBOX_GENERATION_PROFILES
    return value


def test_unknown_profile_lists_the_known(profiles: dict[str, Any]) -> None:
    with pytest.raises(UnknownGenerationProfileError, match="Choose one of: extractive, overseas"):
        GENERATION_PROFILES.named("other")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"region": "eu"}, "'backend' is missing"),
        ({"backend": "magic", "region": "eu"}, "'backend' must be one of"),
        ({"backend": "openai", "region": "eu"}, "'model' and 'base_url' must be named"),
        ({"backend": "extractive", "region": ""}, "'region' must be named"),
        ({"backend": "extractive", "region": "eu", "colour": 1}, "unknown key 'colour'"),
        ({"backend": "extractive", "region": "eu", "timeout_seconds": "5"}, "'timeout_seconds' must be float"),
    ],
)
def test_mistakes_in_a_profile_are_named(entry: dict[str, Any], problem: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=problem):
        GENERATION_PROFILES.parse("p", entry)


def test_strict_tenant_is_refused_another_region_when_called(profiles: dict[str, Any], server: ModelServer) -> None:
    bound = generator_for("overseas", tenant_region="eu", tenant_strict=True)
    with pytest.raises(GenerationResidencyError, match="must stay in region eu"):
        bound.generate(ANALYSIS, CONTEXT)
    assert server.requests == ()


def test_profile_that_moved_after_binding_is_refused(profiles: dict[str, Any], server: ModelServer) -> None:
    bound = generator_for("overseas", tenant_region="us", tenant_strict=True)
    profiles["overseas"]["region"] = "apac"
    with pytest.raises(GenerationResidencyError):
        bound.generate(ANALYSIS, CONTEXT)
    assert server.requests == ()


def test_lenient_tenant_may_use_another_region(profiles: dict[str, Any], server: ModelServer) -> None:
    bound = generator_for("overseas", tenant_region="eu", tenant_strict=False)
    assert bound.generate(ANALYSIS, CONTEXT).ref_ids == (CONTEXT.passages[0].ref_id,)


def test_extractive_profile_needs_no_model(profiles: dict[str, Any]) -> None:
    bound = generator_for("extractive", tenant_region="eu", tenant_strict=True)
    assert (bound.model, bound.region) == ("", "eu")
    assert "client assets" in bound.generate(ANALYSIS, CONTEXT).text


def test_what_the_check_allowed_is_what_is_asked(settings: Any, server: ModelServer) -> None:
    """The profile moves while the call is prepared: the text goes where the check looked, or nowhere."""
    overseas = {"backend": "openai", "region": "us", "model": "chat", "base_url": server.base_url}
    at_home = {**overseas, "region": "eu", "base_url": "http://127.0.0.1:9/v1"}

    class Moving(dict[str, dict[str, Any]]):
        read = 0

        def __getitem__(self, name: str) -> dict[str, Any]:
            self.read += 1
            return overseas if self.read == 1 else at_home

    settings.GLASSBOX_GENERATION_PROFILES = Moving(model=overseas)
    bound = ResidencyBoundGenerator(GENERATORS, "model", tenant_region="eu", tenant_strict=True)
    with pytest.raises(GenerationUnavailableError):
        bound.complete(instructions="Name companies.", data="Who holds Velmora?", timeout_seconds=5.0)
    assert server.requests == ()
