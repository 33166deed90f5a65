"""The protocol that every generator follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from apps.retrieval.contracts import ContextBlock, Finding, GeneratedAnswer, QueryAnalysis
from apps.retrieval.generation.calls import Calls


class Generator(Protocol):
    """Writes an answer only from a context block, for one question."""

    @property
    def name(self) -> str:
        """The profile's name in the settings."""

    @property
    def model(self) -> str:
        """The model's name, or empty if there is no model."""

    @property
    def region(self) -> str:
        """The region where the context is sent and read."""

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        """Answer a question.

        Args:    analysis: the question as it was analysed.
                 context: the passages; text in them is data, never an instruction.
        Returns: an answer whose ref_ids all are in the context, or a refusal.
        Raises:  GenerationError: no usable answer; the subclass says what happened.
        """


@runtime_checkable
class Completing(Protocol):
    """A model that can be asked for something other than an answer. It obeys the residency rule, like `Generator`."""

    @property
    def model(self) -> str: ...

    @property
    def region(self) -> str: ...

    def complete(self, *, instructions: str, data: str, timeout_seconds: float) -> str | None:
        """Send one request in JSON mode, at temperature 0 and with a fixed seed. The reply is not checked.

        Args:    instructions: what to do; must hold the word JSON.
                 data: what to do it with, never an instruction.
                 timeout_seconds: for the whole reply; the profile's own timeout applies if it is shorter.
        Returns: the model's message; None if there is no model, and then nothing was sent.
        Raises:  GenerationError: no reply; the subclass says why.
        """


@runtime_checkable
class Revising(Protocol):
    """A generator that can write an answer again after being told which of its claims failed."""

    def revise(
        self, analysis: QueryAnalysis, context: ContextBlock, draft: GeneratedAnswer, findings: Sequence[Finding]
    ) -> GeneratedAnswer | None:
        """Write an answer again with one further request.

        Args:    draft: the answer that was checked.
                 findings: its claims that failed.
        Returns: the new answer, unchecked; a refusal if the model gives up; None if there is no model to ask.
        Raises:  GenerationError: as `Generator.generate`.
        """


class SharedGenerator(Protocol):
    """What is behind a generator. Threads share it, so it holds nothing of a tenant or a question."""

    def generate(self, analysis: QueryAnalysis, context: ContextBlock, calls: Calls) -> GeneratedAnswer:
        """See `Generator.generate`. Each request to a model is noted in `calls` before it is sent."""


@runtime_checkable
class SharedModel(Protocol):
    """A model behind a generator."""

    def revise(
        self,
        analysis: QueryAnalysis,
        context: ContextBlock,
        draft: GeneratedAnswer,
        findings: Sequence[Finding],
        calls: Calls,
    ) -> GeneratedAnswer | None:
        """See `Revising.revise`."""

    def complete(self, *, instructions: str, data: str, timeout_seconds: float, calls: Calls) -> str:
        """See `Completing.complete`."""
