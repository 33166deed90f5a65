"""What can go wrong with retention rules and purges, each with a stable code and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class RetentionInvalidError(ApplicationError):
    """Data: number, problems (a tuple of content.Problem)."""

    code: ClassVar[str] = "audit.retention_invalid"

    @property
    def detail(self) -> str:
        said = " ".join(f"{problem.key[0]} {problem.key[1]}: {problem.text}" for problem in self.data["problems"])
        return f"Retention schedule {self.data['number']} is not valid. {said}"

    def __str__(self) -> str:
        return self.detail


class RetentionError(CodedError):
    """What stands against changing a retention schedule, or against proposing a purge."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # Data: number, status, wanted.
        "audit.retention_state": (
            409,
            "Retention schedule {number} is {status}, but this step needs one that is {wanted}. Open it again.",
        ),
        # Data: number.
        "audit.retention_not_the_author": (
            403,
            "Retention schedule {number} is somebody else's draft: only its author can change it.",
        ),
        # Data: number.
        "audit.retention_own": (
            403,
            (
                "You wrote retention schedule {number}, so somebody else decides on it: a reviewer or another data "
                "protection officer."
            ),
        ),
        # Data: number, the part that would be proposed now.
        "audit.purge_changed": (
            409,
            (
                "Nothing was proposed: the next part of this purge is now part {number}. Read its current state and "
                "continue from there."
            ),
        ),
        # Data: number.
        "audit.retention_same": (
            409,
            "Schedule {number} says the same as the one in force. Change a rule, or discard the draft.",
        ),
        "audit.retention_reason_needed": (
            400,
            "Say why, in a few words: whoever decides needs the reason, and so does the audit log.",
        ),
        "audit.retention_person_needed": (
            403,
            "Only a person can do this, because retention rules and purges carry a name. Sign in yourself.",
        ),
        # Data: number.
        "audit.purge_outdated": (
            409,
            "This dry run used retention schedule {number}, which is no longer in force. Make a new dry run.",
        ),
        "audit.purge_ended": (
            409,
            "All of this purge has been proposed. Make a new dry run for what has become due since.",
        ),
    }


class ScheduleChangedError(ApplicationError):
    """Data: number. It is not what was read any more."""

    code: ClassVar[str] = "audit.retention_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was done: schedule {number}, or the one in force, has changed since you opened this page. Read its "
        "current state and continue from there."
    )


class NothingDueError(ApplicationError):
    """Data: what."""

    code: ClassVar[str] = "audit.purge_nothing_due"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Nothing is due: {what}. No dry run was saved. Choose a wider reach, or try again later."
