"""Where a request to a model goes, and what it is for."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from .prices import Price


class Purpose(StrEnum):
    """What a request to a model is for."""

    ANSWER = "answer"
    REPAIR = "repair"
    """Its first reply can't be used and is sent back."""
    REVISION = "revision"
    """Its answer holds claims that failed the check."""
    WORDINGS = "wordings"
    """What else to search for. Only the question is sent."""
    EMBED_QUESTION = "embed_question"
    """The question's vector, or that of another wording of it."""
    EMBED_EXAMPLES = "embed_examples"
    """Vectors of the policy's own review examples, which today's model has not embedded yet."""
    EMBED_PASSAGES = "embed_passages"
    """Vectors of a document's passages, when it is read or when the provider changed."""


class Model(Protocol):
    """Where a request goes."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def price(self) -> Price | None: ...
