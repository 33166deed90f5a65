"""What can go wrong with a policy, each with a stable code and what to do next."""

from __future__ import annotations

from typing import ClassVar

from apps.errors import ApplicationError


class InvalidRetrievalSettingsError(ApplicationError):
    """Data: name, problem."""

    code: ClassVar[str] = "intents.retrieval_settings_invalid"
    message: ClassVar[str] = "Retrieval setting '{name}': {problem}."


class InvalidPolicyError(ApplicationError):
    """Data: problems (a tuple of sentences)."""

    code: ClassVar[str] = "intents.policy_invalid"

    @property
    def detail(self) -> str:
        return "The policy can't be used as it is: " + " ".join(self.data["problems"])

    def __str__(self) -> str:
        return self.detail


class NoPolicyInForceError(ApplicationError):
    """Data: tenant_id, at."""

    code: ClassVar[str] = "intents.no_policy_in_force"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Tenant {tenant_id} had no policy in force at {at}. Choose an instant after its creation, or put a policy "
        "version in force."
    )


class ExampleVectorsMismatchError(ApplicationError):
    """Data: examples, vectors. A programmer's mistake would be silent here, so it is checked."""

    code: ClassVar[str] = "intents.example_vectors_mismatch"
    status: ClassVar[int] = 500
    message: ClassVar[str] = "The policy has {examples} examples, but {vectors} example vectors were given."
