"""What can go wrong with retention rules and purges, each with a stable code and what to do next."""

from __future__ import annotations

from typing import ClassVar

from apps.errors import ApplicationError


class RetentionInvalidError(ApplicationError):
    """Data: number, problems (a tuple of content.Problem)."""

    code: ClassVar[str] = "audit.retention_invalid"

    @property
    def detail(self) -> str:
        said = " ".join(f"{problem.key[0]} {problem.key[1]}: {problem.text}" for problem in self.data["problems"])
        return f"Retention schedule {self.data['number']} is not valid. {said}"

    def __str__(self) -> str:
        return self.detail


class ScheduleStateError(ApplicationError):
    """Data: number, status, wanted."""

    code: ClassVar[str] = "audit.retention_state"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Retention schedule {number} is {status}, but this step needs one that is {wanted}. Open it again."
    )


class NotTheAuthorError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "audit.retention_not_the_author"
    status: ClassVar[int] = 403
    message: ClassVar[str] = "Retention schedule {number} is somebody else's draft: only its author can change it."


class OwnScheduleError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "audit.retention_own"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "You wrote retention schedule {number}, so somebody else decides on it: a reviewer or another data "
        "protection officer."
    )


class PurgeChangedError(ApplicationError):
    """Data: number, the part that would be proposed now."""

    code: ClassVar[str] = "audit.purge_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was proposed: the next part of this purge is now part {number}. Read its current state and continue "
        "from there."
    )


class ScheduleChangedError(ApplicationError):
    """Data: number. It is not what was read any more."""

    code: ClassVar[str] = "audit.retention_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was done: schedule {number}, or the one in force, has changed since you opened this page. Read its "
        "current state and continue from there."
    )


class SameScheduleError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "audit.retention_same"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Schedule {number} says the same as the one in force. Change a rule, or discard the draft."


class ReasonNeededError(ApplicationError):
    code: ClassVar[str] = "audit.retention_reason_needed"
    message: ClassVar[str] = "Say why, in a few words: whoever decides needs the reason, and so does the audit log."


class OnlyPeopleError(ApplicationError):
    code: ClassVar[str] = "audit.retention_person_needed"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "Only a person can do this, because retention rules and purges carry a name. Sign in yourself."
    )


class NothingDueError(ApplicationError):
    """Data: what."""

    code: ClassVar[str] = "audit.purge_nothing_due"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Nothing is due: {what}. No dry run was saved. Choose a wider reach, or try again later."


class PurgeOutdatedError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "audit.purge_outdated"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "This dry run used retention schedule {number}, which is no longer in force. Make a new dry run."
    )


class PurgeEndedError(ApplicationError):
    code: ClassVar[str] = "audit.purge_ended"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "All of this purge has been proposed. Make a new dry run for what has become due since."
