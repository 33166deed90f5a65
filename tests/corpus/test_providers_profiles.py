"""The setting that describes the providers is read strictly."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured

from apps.corpus.providers.errors import UnknownProviderError
from apps.corpus.providers.profiles import EMBEDDING_PROFILES, Backend

OPENAI: dict[str, Any] = {"backend": "openai", "model": "text-embedding-3-small", "dimension": 1536, "region": "us"}


def test_a_profile_is_read_with_its_defaults() -> None:
    profile = EMBEDDING_PROFILES.parse("openai", OPENAI)
    assert (profile.backend, profile.dimension, profile.timeout_seconds) == (Backend.OPENAI, 1536, 20.0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"dimenson": 1536}, "dimenson"),
        ({"dimension": "1536"}, "dimension"),
        ({"dimension": True}, "dimension"),
        ({"dimension": 0}, "dimension"),
        ({"timeout_seconds": -1}, "timeout_seconds"),
        ({"batch_inputs": -1}, "batch_inputs"),
        ({"backend": "fasttext"}, "backend"),
        ({"region": ""}, "region"),
        ({"model": ""}, "model"),
    ],
)
def test_a_wrong_entry_is_refused_and_named(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=named):
        EMBEDDING_PROFILES.parse("openai", {**OPENAI, **change})


@pytest.mark.parametrize("key", ["backend", "dimension", "region"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=key):
        EMBEDDING_PROFILES.parse("openai", {name: value for name, value in OPENAI.items() if name != key})


def test_an_unknown_name_lists_the_known_ones(settings: LazySettings) -> None:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"openai": OPENAI, "local": OPENAI}
    with pytest.raises(UnknownProviderError, match="local, openai"):
        EMBEDDING_PROFILES.named("olocal")
