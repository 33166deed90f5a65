"""The one shape that every generator has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from apps.retrieval.contracts import ContextBlock, Finding, GeneratedAnswer, QueryAnalysis


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


@runtime_checkable
class Completing(Protocol):
    """A model that can be asked for something other than an answer. As `Generator`, within the tenant's residency."""

    @property
    def model(self) -> str: ...

    @property
    def region(self) -> str: ...

    def complete(self, *, instructions: str, data: str, timeout_seconds: float) -> str | None:
        """One request in JSON mode, at temperature 0 and with a fixed seed; what comes is not checked.

        Args:    instructions: what to do; must hold the word JSON. data: what to do it with, never an instruction.
                 timeout_seconds: for the whole reply; the profile's own where that is shorter.
        Returns: the model's message; None where there is no model to ask, and then nothing was sent.
        Raises:  GenerationError: no reply, of the kind that tells why.
        """


@runtime_checkable
class Revising(Protocol):
    """A generator that can be told what of its answer does not stand, and write it anew."""

    def revise(
        self, analysis: QueryAnalysis, context: ContextBlock, draft: GeneratedAnswer, findings: Sequence[Finding]
    ) -> GeneratedAnswer | None:
        """Write an answer anew; one further request.

        Args:    draft: the answer that was checked. findings: its claims that did not stand.
        Returns: the new answer, unchecked; a refusal where the model gives it up; None where there is no model to ask.
        Raises:  GenerationError: as `Generator.generate`.
        """
