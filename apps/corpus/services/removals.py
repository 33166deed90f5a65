"""Remove a document: one person proposes it with a reason, another approves it, and the eraser carries it out.

The removals that one person may do alone are in documents.py (may_discard). Until somebody has approved the removal,
the document does not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.corpus.errors import DocumentNotFoundError, RemovalKeptError, RemovalNotDueError, RemovalReasonError
from apps.corpus.kinds import Right
from apps.corpus.models import Document
from apps.corpus.retention import DOCUMENT, SOURCE, class_of
from apps.corpus.services.documents import document_delete, may_discard
from apps.corpus.services.ingest.kind import require_right
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.holds.errors import HoldError
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import Reach, RemovalRun
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.content import asked
from apps.erasure.retention.in_runs import OPEN, staying
from apps.erasure.retention.selectors import rules_of
from apps.erasure.runs.runs import run_propose
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

# The reasons for a removal that no erasure request and no retention rule asks for, in the order of the form.
REASONS: Final = (
    RemovalReason.UPLOADED_BY_MISTAKE,
    RemovalReason.WRONG_PLACE,
    RemovalReason.DUPLICATE,
    RemovalReason.NO_LONGER_NEEDED,
    RemovalReason.ORDER_OF_AUTHORITY,
)
_GROUNDS: Final[Mapping[str, str]] = {
    "run": "is already proposed for removal",
    "request": "is part of an open erasure request",
}


def document_remove(*, document_id: UUID, reason: str = "", words: str = "") -> RemovalRun | None:
    """Delete the principal's own upload at once if it was never searchable; propose the removal of any other document.

    Args:    reason: a code out of REASONS; needed for a proposal. words: the explanation in the person's own words;
             the log keeps it.
    Returns: the proposal, which waits for another person; None if the document was deleted at once.
    Raises:  PermissionDeniedError, DocumentNotFoundError, RemovalReasonError; KindNotYoursError: the policy in force
             lets others propose the removal of documents of this kind; HoldError, RemovalKeptError:
             something keeps the document; RemovalNotDueError: the reason is that it is no longer needed, but a
             retention rule still keeps it; RemovalError.
    """
    current_scope().principal.require(Permission.DOCUMENT_DELETE)
    with transaction.atomic():
        document: Document | None = Document.objects.filter(id=document_id).first()
        if document is None:
            raise DocumentNotFoundError(document=document_id)
        if may_discard(document):
            document_delete(document_id=document_id)
            return None
        return _propose(document, reason, words)


def _propose(document: Document, reason: str, words: str) -> RemovalRun:
    require_right(document.kind, Right.REMOVE)
    if reason not in REASONS:
        raise RemovalReasonError(known=", ".join(REASONS))
    require_unkept(document)
    if reason == RemovalReason.NO_LONGER_NEEDED and not is_due(document):
        raise RemovalNotDueError(document=document.id, schedule=ensure_in_force().number)
    return run_propose(
        origin=Origin.REMOVAL,
        origin_id=document.id,
        targets=[Target(type=TargetType.DOCUMENT, id=document.id)],
        reason=RemovalReason(reason),
        words=words.strip(),
    )


def require_unkept(document: Document) -> None:
    """Raise HoldError or RemovalKeptError if a hold, an open request or an unfinished run has the document."""
    target = Target(type=TargetType.DOCUMENT, id=document.id)
    ground = staying([target]).get(target, "")
    kind, _, id = ground.partition(":")
    if kind == "hold":
        raise HoldError("audit.item_held", type="document", item=document.id, hold=id)
    if ground:
        raise RemovalKeptError(document=document.id, ground=ground, why=_GROUNDS.get(kind, "is kept"))


def is_due(document: Document, reach: Reach = Reach.MAY) -> bool:
    """Return whether the retention rules in force allow (MAY) or require (MUST) the removal of this document now,
    whatever else keeps it.

    Costs: two queries.
    """
    subject = f"{DOCUMENT}{class_of(document.kind)}"
    today = timezone.now().astimezone(UTC).date()
    wanted = asked(rules_of(ensure_in_force()), on=today, reach=reach, subject=subject)
    return any(SOURCE.lets_go(each.aim, document.id) for each in wanted)


def proposal_of(document_id: UUID) -> RemovalRun | None:
    """Return the unfinished removal run that has this document among its targets, or None. One query."""
    states = [state.value for state in OPEN if state is not RunState.FAILED]
    found: RemovalRun | None = RemovalRun.objects.filter(
        targets__type=TargetType.DOCUMENT, targets__item_id=document_id, state__in=states
    ).first()
    return found
