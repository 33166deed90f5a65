"""Generation profiles: the setting GLASSBOX_GENERATION_PROFILES."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.corpus.providers.base.profiles import Profile, Profiles
from apps.retrieval.errors import UnknownGenerationProfileError


class GenerationBackend(StrEnum):
    EXTRACTIVE = "extractive"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationProfile(Profile):
    """One configured way to write answers. A tenant names one profile.

    send_temperature: off for models that take no temperature. send_seed: off for servers that refuse a seed.
    """

    backend: GenerationBackend
    timeout_seconds: float = 40.0
    send_temperature: bool = True
    send_seed: bool = True

    def problem(self) -> str:
        if not self.region or self.timeout_seconds <= 0:
            return "'timeout_seconds' must be positive and 'region' must be named"
        if self.backend is GenerationBackend.OPENAI and not (self.model and self.base_url):
            return "'model' and 'base_url' must be named for the backend openai"
        return ""


GENERATION_PROFILES: Final = Profiles(
    "GLASSBOX_GENERATION_PROFILES", GenerationProfile, unknown=UnknownGenerationProfileError
)
