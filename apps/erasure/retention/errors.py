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
        return f"Retention schedule {self.data['number']} can't be as it is. {said}"

    def __str__(self) -> str:
        return self.detail


class ScheduleStateError(ApplicationError):
    """Data: number, status, wanted."""

    code: ClassVar[str] = "audit.retention_state"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Retention schedule {number} is {status}: this takes one that is {wanted}. Open it again."


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
        "You wrote retention schedule {number}: somebody else decides on it, a reviewer or another data "
        "protection officer."
    )


class PurgeChangedError(ApplicationError):
    """Data: number, the part that would be proposed now."""

    code: ClassVar[str] = "audit.purge_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was proposed: the next part of this purge is part {number} by now. Read it as it stands, and go on "
        "from there."
    )


class ScheduleChangedError(ApplicationError):
    """Data: number. It is not what was read any more."""

    code: ClassVar[str] = "audit.retention_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was done: schedule {number}, or the one in force, has changed since you opened this page. Read it as "
        "it stands now, and go on from there."
    )


class SameScheduleError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "audit.retention_same"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Schedule {number} says what the one in force says. Change a rule, or discard the draft."


class ReasonNeededError(ApplicationError):
    code: ClassVar[str] = "audit.retention_reason_needed"
    message: ClassVar[str] = "Say why, in a few words: whoever decides and the record need it."


class OnlyPeopleError(ApplicationError):
    code: ClassVar[str] = "audit.retention_person_needed"
    status: ClassVar[int] = 403
    message: ClassVar[str] = "Only a person can do this: retention rules and purges bear a name. Sign in yourself."


class NothingDueError(ApplicationError):
    """Data: what."""

    code: ClassVar[str] = "audit.purge_nothing_due"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Nothing is due: {what}. No dry run was kept. Choose a wider reach, or come back later."


class PurgeOutdatedError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "audit.purge_outdated"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "This dry run went by retention schedule {number}, which is not in force any more. Make a new dry run."
    )


class PurgeEndedError(ApplicationError):
    code: ClassVar[str] = "audit.purge_ended"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "All of this purge has been proposed. Make a new dry run for what has come due since."
