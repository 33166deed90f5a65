"""Embedding profiles: the setting GLASSBOX_EMBEDDING_PROFILES."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .base.profiles import Profile, Profiles
from .errors import UnknownProviderError

DEFAULT_BATCH_INPUTS: Final = 128


class Backend(StrEnum):
    SENTENCE_TRANSFORMERS = "sentence-transformers"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProfile(Profile):
    """One configured way to compute vectors; each tenant names one.

    `model` may be empty for sentence-transformers (the model that comes with the installation), a folder, or a name in
    the local model cache. `threads` 0 leaves the choice to torch. `request_dimensions` asks the server for vectors
    shortened to `dimension`; those, and those of a model with `normalise`, are brought to unit norm here.
    """

    backend: Backend
    dimension: int
    max_input_tokens: int = 8191
    batch_inputs: int = 0
    threads: int = 0
    request_dimensions: bool = False
    normalise: bool = False

    @property
    def is_remote(self) -> bool:
        """Whether a text leaves this process to be embedded."""
        return self.backend is not Backend.SENTENCE_TRANSFORMERS

    @property
    def inputs_at_once(self) -> int:
        """How many texts one request holds."""
        return self.batch_inputs or DEFAULT_BATCH_INPUTS

    def problem(self) -> str:
        if self.dimension < 1 or not self.region or self.timeout_seconds <= 0:
            return "'dimension' and 'timeout_seconds' must be positive and 'region' must be named"
        if self.batch_inputs < 0:
            return "'batch_inputs' must not be negative"
        if self.backend is Backend.OPENAI and not self.model:
            return "'model' must be named for the backend openai"
        return ""


EMBEDDING_PROFILES: Final = Profiles("GLASSBOX_EMBEDDING_PROFILES", EmbeddingProfile, unknown=UnknownProviderError)
