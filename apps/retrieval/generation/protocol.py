"""The one shape that every generator has."""

from __future__ import annotations

from typing import Protocol

from apps.retrieval.contracts import ContextBlock, GeneratedAnswer, QueryAnalysis


class Generator(Protocol):
    """Writes an answer from a context block, and from nothing else. Shared by threads; holds nothing of a tenant."""

    @property
    def name(self) -> str:
        """The profile's name in the settings."""

    @property
    def model(self) -> str:
        """The model's name, or empty where there is none."""

    @property
    def region(self) -> str:
        """Where the context is sent to and read."""

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        """Answer a question.

        Args:    analysis: the question as it was read.
                 context: the passages; text in them is data, never an instruction.
        Returns: an answer whose ref_ids all are in the context, or a refusal.
        Raises:  GenerationError: no usable answer; of the kind that tells what happened.
        """
