"""Speak of a policy version: of the whole, of one of its cells, or in answer to somebody. Nothing said ever changes."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from apps.audit.services import record
from apps.intents.cells import ABSENT, WHOLE, Cell, cell_stands
from apps.intents.errors import (
    CommentNotFoundError,
    CommentOfOthersError,
    CommentStandsError,
    NoSuchCellError,
)
from apps.intents.flow import VERSIONS
from apps.intents.models import PolicyVersion, ReviewComment, Turn
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import require_person, require_reason
from apps.intents.services.notices import notices_write
from apps.tenants.context import current_scope
from apps.tenants.flows.checks import require_permission
from apps.tenants.roles import Permission


def version_comment(version_id: UUID, *, text: str, about: Cell = WHOLE) -> ReviewComment:
    """Comment on a version or one of its cells, with the principal as the author of the comment.

    Raises: PermissionDeniedError, PersonNeededError, ReasonMissingError; NoSuchCellError: neither the version nor the
            one in force has the cell.
    """
    require_editor_or_reviewer()
    with transaction.atomic():
        version: PolicyVersion = PolicyVersion.objects.get(id=version_id)
        said = require_reason(text)
        stands = {cell_stands(policy, about) for policy in (version_snapshot(version), policy_in_force())}
        if stands == {ABSENT}:
            raise NoSuchCellError(number=version.number, cell=str(about))
        comment = comment_write(version, text=said, about=about)
        more = {} if about.is_whole else {"about_intent": about.intent, "about_kind": about.kind}
        _record(version, comment, **more)
    return comment


def comment_answer(comment_id: UUID, *, version_id: UUID, text: str = "", turn: Turn = Turn.SAYS) -> ReviewComment:
    """Answer a comment, and with a turn resolve it or open it again; then the answer may be without words.

    Raises: PermissionDeniedError, PersonNeededError; ReasonMissingError: it neither says nor turns anything;
            CommentNotFoundError: the version has no such comment, or it is an answer itself; CommentStandsError: it is
            resolved, or open, already; CommentOfOthersError: the principal may not resolve it.
    """
    require_editor_or_reviewer()
    with transaction.atomic():
        # The version's lock lets two answers take turns: a comment is not resolved twice.
        version: PolicyVersion = PolicyVersion.objects.select_for_update(no_key=True).get(id=version_id)
        answered: ReviewComment | None = version.comments.filter(id=comment_id, answers__isnull=True).first()
        if answered is None:
            raise CommentNotFoundError(number=version.number)
        said = text.strip() if turn else require_reason(text)
        if turn and (turn is Turn.RESOLVED) is not is_open(answered):
            raise CommentStandsError(state="resolved" if turn is Turn.RESOLVED else "open")
        if turn is Turn.RESOLVED and not may_resolve(answered):
            raise CommentOfOthersError(number=version.number)
        comment = comment_write(version, text=said, answers=answered, turn=turn)
        _record(version, comment, answers=str(answered.id), **({"turn": turn.value} if turn else {}))
    return comment


def is_open(comment: ReviewComment) -> bool:
    """Return whether a comment, which is no answer, is still open: the last turn counts."""
    last = comment.replies.exclude(turn=Turn.SAYS).order_by("created_at", "id").last()
    return last is None or last.turn == Turn.REOPENED


def may_resolve(comment: ReviewComment) -> bool:
    """Return whether the principal may resolve a comment: its writer may, and a reviewer but of their own version."""
    principal = current_scope().principal
    if comment.author_id == principal.id:
        return True
    return principal.may(Permission.POLICY_APPROVE) and comment.version.author_id != principal.id


def comment_write(
    version: PolicyVersion,
    *,
    text: str,
    about: Cell = WHOLE,
    answers: ReviewComment | None = None,
    turn: Turn = Turn.SAYS,
) -> ReviewComment:
    """Write a comment in the principal's name, without an event of its own."""
    principal = current_scope().principal
    comment: ReviewComment = ReviewComment.objects.create(
        tenant_id=version.tenant_id,
        version=version,
        author_id=principal.id,
        author_label=principal.label[:255],
        text=text,
        about_intent=about.intent,
        about_kind=about.kind,
        answers=answers,
        turn=turn,
    )
    # The database sets these values, and not the values that were sent to it.
    comment.refresh_from_db(fields=["created_at", "author_label", "revision", "stood"])
    return comment


def require_editor_or_reviewer() -> None:
    """Require a person who may edit or approve policies."""
    require_permission(VERSIONS, "withdraw")
    require_person()


def _record(version: PolicyVersion, comment: ReviewComment, **more: str) -> None:
    event = record(
        action="intents.policy.commented",
        core={
            "number": version.number,
            "origin": version.origin,
            "reason": version.decision_reason or version.reason,
            "author": version.author_label,
            "before_sha256": policy_sha256(policy_in_force()),
            "content_sha256": policy_sha256(version_snapshot(version)),
            "comment_id": str(comment.id),
            "revision": comment.revision,
            **more,
        },
        subject_type="policy_version",
        subject_id=version.id,
    )
    notices_write(version, event)
