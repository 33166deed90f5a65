"""Generation profiles: read the setting GLASSBOX_GENERATION_PROFILES strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, get_type_hints

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from apps.retrieval.errors import UnknownGenerationProfileError


class GenerationBackend(StrEnum):
    EXTRACTIVE = "extractive"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationProfile:
    """One configured way to write answers. A tenant names one profile.

    api_key_env: the environment variable that holds the key; empty for a server that needs no key.
    send_temperature: off for models that take no temperature. send_seed: off for servers that refuse a seed.
    """

    name: str
    backend: GenerationBackend
    region: str
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    timeout_seconds: float = 40.0
    send_temperature: bool = True
    send_seed: bool = True


# Resolved once: a question looks its profiles up a dozen times, and resolving the types took twenty times as long as
# everything else in reading an entry.
_TYPES: Final = {key: value for key, value in get_type_hints(GenerationProfile).items() if key != "name"}


def generation_profile_names() -> tuple[str, ...]:
    """Return the configured names, sorted, for forms to offer."""
    return tuple(sorted(_configured()))


def generation_profile(name: str) -> GenerationProfile:
    """Return the profile with this name in the settings.

    Raises:  UnknownGenerationProfileError: there is no profile of that name.
             ImproperlyConfigured: its entry is not valid; the message names the key.
    """
    configured = _configured()
    if name not in configured:
        raise UnknownGenerationProfileError(profile=name, known=", ".join(sorted(configured)) or "(none configured)")
    return parse_generation_profile(name, configured[name])


def parse_generation_profile(name: str, entry: Mapping[str, Any]) -> GenerationProfile:
    """Read one entry of the setting. Raise ImproperlyConfigured for every unknown, missing or mistyped key."""
    if unknown := sorted(set(entry) - _TYPES.keys()):
        raise _invalid(name, f"unknown key {unknown[0]!r}")
    if missing := sorted({"backend", "region"} - set(entry)):
        raise _invalid(name, f"{missing[0]!r} is missing")
    values: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "backend":
            if value not in list(GenerationBackend):
                raise _invalid(name, f"'backend' must be one of {', '.join(GenerationBackend)}, not {value!r}")
            values[key] = GenerationBackend(value)
            continue
        wanted = (int, float) if _TYPES[key] is float else _TYPES[key]
        if not isinstance(value, wanted) or (isinstance(value, bool) and _TYPES[key] is not bool):
            raise _invalid(name, f"{key!r} must be {_TYPES[key].__name__}, not {type(value).__name__}")
        values[key] = value
    profile = GenerationProfile(name=name, **values)
    if not profile.region or profile.timeout_seconds <= 0:
        raise _invalid(name, "'timeout_seconds' must be positive and 'region' must be named")
    if profile.backend is GenerationBackend.OPENAI and not (profile.model and profile.base_url):
        raise _invalid(name, "'model' and 'base_url' must be named for the backend openai")
    return profile


def _configured() -> Mapping[str, Mapping[str, Any]]:
    profiles: Mapping[str, Mapping[str, Any]] = settings.GLASSBOX_GENERATION_PROFILES
    return profiles


def _invalid(name: str, reason: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"GLASSBOX_GENERATION_PROFILES[{name!r}]: {reason}")
