"""Embedding profiles: the setting GLASSBOX_EMBEDDING_PROFILES, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, get_type_hints

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from .errors import UnknownProviderError


class Backend(StrEnum):
    SENTENCE_TRANSFORMERS = "sentence-transformers"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProfile:
    """One configured way to compute vectors; each tenant names one.

    `model` may be empty for sentence-transformers (the model that comes with the installation), a folder, or a name in
    the local model cache. `threads` 0 leaves the choice to torch. `request_dimensions` asks the server for vectors
    shortened to `dimension`; those, and those of a model with `normalise`, are brought to unit norm here.
    """

    name: str
    backend: Backend
    model: str = ""
    dimension: int
    region: str
    max_input_tokens: int = 8191
    batch_inputs: int = 0
    threads: int = 0
    base_url: str = ""
    api_key_env: str = ""
    timeout_seconds: float = 20.0
    request_dimensions: bool = False
    normalise: bool = False


# Resolved once: a question looks up its profiles a dozen times, and resolving the types took twenty times as long as
# the rest of reading an entry.
_TYPES: Final = {key: value for key, value in get_type_hints(EmbeddingProfile).items() if key != "name"}


def profile_names() -> tuple[str, ...]:
    """Return the sorted names of the configured profiles, which a form offers."""
    return tuple(sorted(_configured()))


def profile_for(name: str) -> EmbeddingProfile:
    """Look up a profile by its name in the settings.

    Raises:  UnknownProviderError: there is none of that name.
             ImproperlyConfigured: its entry is not valid; the message names the key.
    """
    configured = _configured()
    if name not in configured:
        raise UnknownProviderError(profile=name, known=", ".join(sorted(configured)) or "(none configured)")
    return parse_profile(name, configured[name])


def parse_profile(name: str, entry: Mapping[str, Any]) -> EmbeddingProfile:
    """Read one entry of the setting; every unknown, missing or mistyped key is an ImproperlyConfigured."""
    if unknown := sorted(set(entry) - _TYPES.keys()):
        raise _invalid(name, f"unknown key {unknown[0]!r}")
    if missing := sorted({"backend", "dimension", "region"} - set(entry)):
        raise _invalid(name, f"{missing[0]!r} is missing")
    values: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "backend":
            if value not in list(Backend):
                raise _invalid(name, f"'backend' must be one of {', '.join(Backend)}, not {value!r}")
            values[key] = Backend(value)
        else:
            wanted = (int, float) if _TYPES[key] is float else _TYPES[key]
            if not isinstance(value, wanted) or (isinstance(value, bool) and _TYPES[key] is not bool):
                raise _invalid(name, f"{key!r} must be {_TYPES[key].__name__}, not {type(value).__name__}")
            values[key] = value
    profile = EmbeddingProfile(name=name, **values)
    if profile.dimension < 1 or not profile.region or profile.timeout_seconds <= 0:
        raise _invalid(name, "'dimension' and 'timeout_seconds' must be positive and 'region' must be named")
    if profile.backend is Backend.OPENAI and not profile.model:
        raise _invalid(name, "'model' must be named for the backend openai")
    return profile


def _configured() -> Mapping[str, Mapping[str, Any]]:
    profiles: Mapping[str, Mapping[str, Any]] = settings.GLASSBOX_EMBEDDING_PROFILES
    return profiles


def _invalid(name: str, reason: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"GLASSBOX_EMBEDDING_PROFILES[{name!r}]: {reason}")
