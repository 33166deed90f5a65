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


class PolicyFileError(ApplicationError):
    """Data: filename, problems (a tuple of FileProblem: line, column, message)."""

    code: ClassVar[str] = "intents.policy_file_invalid"

    @property
    def detail(self) -> str:
        lines = "".join(f"\n  {problem}" for problem in self.data["problems"])
        return f"{self.data['filename']} can't be used as a policy:{lines}"

    def __str__(self) -> str:
        return self.detail


class UnknownPolicyReferenceError(ApplicationError):
    """Data: reference, problem."""

    code: ClassVar[str] = "intents.policy_reference_unknown"
    status: ClassVar[int] = 404
    message: ClassVar[str] = (
        "'{reference}' names no policy: {problem}. Write a version's number (3), a date (2026-01-31) or an instant "
        "(2026-01-31T12:00:00+00:00), active, baseline, or the path of a file."
    )


class PolicyAuthorError(ApplicationError):
    """Data: username, problem. A draft needs an author: who wrote it must not approve it."""

    code: ClassVar[str] = "intents.policy_author_invalid"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "{username} can't be the author of a policy: {problem}. Name a member of the tenant who may edit policies, "
        "such as a compliance officer."
    )
