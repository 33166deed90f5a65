"""The categories of policy versions that the person wrote or decided on, and of their comments."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Q

from apps.intents.models import PolicyApproval, PolicyVersion, ReviewComment, VersionStatus
from apps.intents.standing import by_time
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Entry, Page, Person

_PURPOSE: Final = (
    "To show which rules answers were given under, who wrote them, and that a second person approved them."
)
_BASIS: Final = "6(1)(c) legal obligation: accountability (Article 5(2)) and supervision of financial services"
_RETENTION: Final = "As long as the audit log refers to the version."


def _versions(person: Person, after: object | None) -> Page:
    approvals = PolicyApproval.objects.filter(approver_id=person.id, created_at__lte=person.until)
    said = {approval.version_id: approval for approval in approvals.order_by("created_at", "id")}
    of_them = Q(author_id=person.id) | Q(approver_id=person.id) | Q(id__in=list(said))
    rows = by_time(PolicyVersion.objects.filter(of_them, created_at__lte=person.until))
    return Page(entries=[_version(row, person, said.get(row.id)) for row in rows.order_by("number")])


def _version(row: PolicyVersion, person: Person, approval: PolicyApproval | None) -> Entry:
    """Return a version as an entry, with only the reasons that the person gave, not those of the other person."""
    wrote, decided = row.author_id == person.id, row.approver_id == person.id
    entry: dict[str, Any] = {
        "number": row.number,
        "your_part": "you wrote it" if wrote else "you decided on it",
        "state": row.get_status_display(),
        "created_at": at(row.created_at),
        "in_force_from": at(row.valid_from),
        "in_force_to": at(row.valid_to),
        "your_name_then": row.author_label if wrote else row.approver_label if decided else _approval_label(approval),
        "id": str(row.id),
    }
    if wrote:
        entry["your_reason"] = row.reason
        entry["submitted_at"] = at(row.submitted_at)
    if decided:
        # The reason for withdrawing an approved version is in the same column, and may be another person's. If it is
        # the reader's own, the event shows it.
        withdrawn = row.status == VersionStatus.WITHDRAWN
        entry["your_decision"] = None if withdrawn else row.decision_reason
        entry["decided_at"] = None if withdrawn else at(row.decided_at)
    elif approval is not None:
        # They were the first of two, or approved a revision that was changed since.
        entry["your_decision"] = approval.note
        entry["decided_at"] = at(approval.created_at)
    return entry


def _approval_label(approval: PolicyApproval | None) -> str:
    return approval.approver_label if approval else ""


def _comments(person: Person, after: object | None) -> Page:
    rows = ReviewComment.objects.filter(author_id=person.id, created_at__lte=person.until).select_related("version")
    return Page(
        entries=[
            {
                "at": at(row.created_at),
                "version": row.version.number,
                "text": row.text or row.get_turn_display(),
                "your_name_then": row.author_label,
                "id": str(row.id),
            }
            for row in rows.order_by("created_at", "id")
        ]
    )


VERSIONS: Final = Category(
    key="policy_versions",
    title="Policy versions that you wrote or decided on",
    about="With the reasons that you gave.",
    purpose=_PURPOSE,
    legal_basis=_BASIS,
    source="You.",
    retention=_RETENTION,
    fields={
        "number": "Version",
        "your_part": "Your part",
        "state": "State",
        "created_at": "Begun",
        "in_force_from": "In force from",
        "in_force_to": "In force to",
        "submitted_at": "Submitted",
        "decided_at": "Decided",
        "your_reason": "Your reason",
        "your_decision": "Reason for your decision",
        "your_name_then": "Your name then",
        "id": "Id",
    },
    read=_versions,
)
COMMENTS: Final = Category(
    key="policy_comments",
    title="What you said about policy versions",
    about="Your comments while a version was discussed.",
    purpose=_PURPOSE,
    legal_basis=_BASIS,
    source="You.",
    retention=_RETENTION,
    fields={
        "at": "When",
        "version": "Version",
        "text": "What you said",
        "your_name_then": "Your name then",
        "id": "Id",
    },
    read=_comments,
)
