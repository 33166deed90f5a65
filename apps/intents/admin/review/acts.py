"""What a person can do to a version in review. Each is one form and one service; the services decide who may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django.db import transaction

from apps.errors import ApplicationError
from apps.intents.admin.review.forms import AnswerForm, CommentForm, LaterForm, NoteForm, ReasonForm, ReviewForm
from apps.intents.cells import cell_from
from apps.intents.models import PolicyVersion, Turn, VersionStatus
from apps.intents.selectors import policy_in_force
from apps.intents.services.checking import Checked
from apps.intents.services.discussion import comment_answer, version_comment
from apps.intents.services.reviews import (
    version_approve,
    version_reject,
    version_send_back,
    version_withdraw,
)
from apps.tenants.context import current_scope


class StaleReviewError(ApplicationError):
    """Data: number. Something other would be decided on than what was read."""

    code: ClassVar[str] = "intents.review_stale"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was decided: version {number}, or the version in force, has changed since you opened this page. "
        "Read the current comparison, then decide again."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """run: does it, with the revision that was read and the form's answers. done: what is said then, with {number}.

    anchor: the part of the page that is shown then; the top without one.
    decides: only what the person has read may be decided on. checked: `run` also gets the check of the examples.
    """

    form: type[ReviewForm]
    run: Callable[..., object]
    done: str
    anchor: str = ""
    decides: bool = False
    checked: bool = False


# Error code of a service -> the form's field that the refusal stands beside.
ERROR_FIELDS: Final = {
    "intents.invalid_moment": "effective_from",
    "intents.reason_missing": "reason",
    "intents.no_such_cell": "about",
}
ANSWER: Final = "answer"
FIRST_DONE: Final = (
    "You approved version {number} as the first of two reviewers. It stays in review until another one has approved "
    "it too."
)

ACTS: Final[Mapping[str, Act]] = {
    "approve": Act(
        form=NoteForm,
        run=lambda version_id, read, said, checked: version_approve(
            version_id, revision=read, reason=said["note"], checked=checked
        ),
        done="You approved version {number}. It is in force.",
        decides=True,
        checked=True,
    ),
    "approve_later": Act(
        form=LaterForm,
        run=lambda version_id, read, said, checked: version_approve(
            version_id, revision=read, effective_from=said["effective_from"], reason=said["note"], checked=checked
        ),
        done="You approved version {number}. It takes effect automatically at the time that you entered.",
        decides=True,
        checked=True,
    ),
    "send_back": Act(
        form=ReasonForm,
        run=lambda version_id, read, said: version_send_back(version_id, revision=read, reason=said["reason"]),
        done="You sent version {number} back. It is a draft of its author again.",
        decides=True,
    ),
    "reject": Act(
        form=ReasonForm,
        run=lambda version_id, read, said: version_reject(version_id, revision=read, reason=said["reason"]),
        done="You rejected version {number}. It never takes effect.",
        decides=True,
    ),
    "withdraw": Act(
        form=ReasonForm,
        run=lambda version_id, read, said: version_withdraw(version_id, revision=read, reason=said["reason"]),
        done="You withdrew version {number}. It never takes effect.",
    ),
    "comment": Act(
        form=CommentForm,
        run=lambda version_id, read, said: version_comment(
            version_id, text=said["text"], about=cell_from(said["about"])
        ),
        done="Your comment is kept with version {number}.",
        anchor="discussion",
    ),
    ANSWER: Act(
        form=AnswerForm,
        run=lambda version_id, read, said: comment_answer(
            said["comment"], version_id=version_id, text=said["text"], turn=Turn(said["turn"])
        ),
        done="Your answer is kept with version {number}.",
        anchor="discussion",
    ),
}


def seen_now(version: PolicyVersion) -> str:
    """What a reader has before them: this content, against this version in force."""
    return f"{version.revision}.{policy_in_force().number}"


def carry_out(
    act: Act, version: PolicyVersion, said: Mapping[str, Any], *, seen: str, read: int, checked: Checked | None
) -> None:
    """Do it, or nothing.

    Args:   seen: seen_now() of when the page was read. A version that was sent back, changed and submitted again in
            the meantime is another one, and so is what it changes once another version is in force.
            read: the version's revision then.
            checked: the check of its examples, for an act that wants it.
    Raises: StaleReviewError; what the service raises.
    """
    with transaction.atomic():
        if act.decides:
            held = PolicyVersion.objects.select_for_update(no_key=True).get(id=version.id)
            own = held.author_id == current_scope().principal.id
            # Where it is not theirs to decide, or decided already, the service says so, and says it better.
            if held.status == VersionStatus.IN_REVIEW and not own and seen != seen_now(held):
                raise StaleReviewError(number=held.number)
        if act.checked:
            act.run(version.id, read, said, checked or Checked(version_id=version.id))
        else:
            act.run(version.id, read, said)
