"""What a review page tells of a version: what it would replace, who may decide, and how it came to be what it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.standing import TO_COME, by_time
from apps.tenants.display import moment
from apps.tenants.models import Membership
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import PERMISSIONS, Permission, Role

_WAS_APPROVED = (VersionStatus.APPROVED, VersionStatus.ACTIVE, VersionStatus.SUPERSEDED)
_DECIDING = [role for role in Role if Permission.POLICY_APPROVE in PERMISSIONS[role]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What a version is compared with, and why with that. overtaken: what it was based on, where that is another."""

    snapshot: PolicySnapshot
    why: str
    overtaken: PolicySnapshot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One line of a version's story; at is None where only that it happened is known."""

    at: datetime | None
    words: str | SafeString


def base_of(version: PolicyVersion) -> Base | None:
    """What its change is told against: one to come replaces what is in force now, one of the past replaced what was.

    None for the first version, and for one that was refused and based on nothing.
    """
    if version.status in TO_COME:
        return _to_come(version)
    if version.valid_from is not None:
        before = by_time(PolicyVersion.objects.all()).filter(ended_at=version.valid_from).first()
        return Base(snapshot=version_snapshot(before), why="which it replaced") if before else None
    started_from = version.based_on
    if started_from is None:
        return None
    return Base(snapshot=version_snapshot(started_from), why="which was in force when it was begun")


def _to_come(version: PolicyVersion) -> Base:
    in_force = policy_in_force()
    started_from = version.based_on
    overtaken = started_from is not None and started_from.id != in_force.version_id
    return Base(
        snapshot=in_force,
        why="which is in force now",
        overtaken=version_snapshot(started_from) if started_from is not None and overtaken else None,
    )


def deciders(version: PolicyVersion) -> list[str]:
    """The names of those who may decide on it: never its author."""
    holding = Membership.objects.filter(IN_FORCE, role__in=_DECIDING, user__is_active=True)
    others = holding.exclude(user_id=version.author_id).select_related("user")
    return sorted({str(membership.user) for membership in others})


def story(version: PolicyVersion) -> list[Happening]:
    """Who wrote it, who decided, from when until when: in the order in which it happened."""
    who = version.author_label or "The platform"
    told = [Happening(at=version.created_at, words=f"{who} {_beginning(version)}.")]
    if version.submitted_at:
        told.append(Happening(at=version.submitted_at, words=f"{who} submitted it for review."))
    told += _first_approvals(version)
    told += _decision(version)
    if version.valid_from:
        before = by_time(PolicyVersion.objects.all()).filter(ended_at=version.valid_from).first()
        place = f", in the place of version {before.number}" if before else ""
        told.append(Happening(at=version.valid_from, words=f"It came into force{place}."))
    if version.valid_to:
        after = by_time(PolicyVersion.objects.all()).filter(began_at=version.valid_to).first()
        by = f"version {after.number}" if after else "another version"
        told.append(Happening(at=version.valid_to, words=f"It was superseded by {by}."))
    return told


def _first_approvals(version: PolicyVersion) -> list[Happening]:
    """Return the approvals that left it in review. The one that decided is told with the decision."""
    decided = version.approver_id, version.decided_revision
    told = []
    for each in version.approvals.all():
        if (each.approver_id, each.revision) != decided or version.status not in _WAS_APPROVED:
            said = f": “{each.note}”" if each.note else "."
            words = f"{each.approver_label or 'A reviewer'} approved it, as the first of two{said}"
            told.append(Happening(at=each.created_at, words=words))
    return told


def _beginning(version: PolicyVersion) -> str:
    started_from = version.based_on
    meanwhile = f", while version {started_from.number} was in force" if started_from else ""
    match VersionOrigin(version.origin):
        case VersionOrigin.BASELINE:
            return "began this tenant's policy with the shipped baseline, which needs no approval"
        case VersionOrigin.IMPORT:
            return f"began it from a file{meanwhile}"
        case VersionOrigin.ROLLBACK:
            return f"began it as a copy of another version{meanwhile}"
        case VersionOrigin.DRAFT:
            copied = f"version {started_from.number}, then in force" if started_from else "the version in force"
            return f"began it as a copy of {copied}"


def _decision(version: PolicyVersion) -> list[Happening]:
    said = f": “{version.decision_reason}”" if version.decision_reason else "."
    if version.status in _WAS_APPROVED and version.approver_label:
        words = format_html(
            "{} approved it, to take effect at {}{}", version.approver_label, moment(version.effective_from), said
        )
        return [Happening(at=version.decided_at, words=words)]
    if version.status == VersionStatus.REJECTED:
        return [Happening(at=version.decided_at, words=f"{version.approver_label} rejected it{said}")]
    if version.status == VersionStatus.WITHDRAWN:
        # Withdrawing takes the place of the approval's own time; the audit log keeps both.
        before = f" after {version.approver_label} had approved it" if version.approver_label else ""
        return [Happening(at=version.decided_at, words=f"It was withdrawn{before}{said}")]
    return []
