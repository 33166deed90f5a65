"""E-mail about a policy version that waits for a review."""

from __future__ import annotations

from collections.abc import Iterable

from apps.intents.models import PolicyVersion
from apps.tenants.notices import write_to_deciders, write_to_member
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant


def announce_submission(version: PolicyVersion) -> None:
    """Send a letter to every reviewer of the tenant except the author, after the submission has committed."""
    write_to_deciders(
        permission=Permission.POLICY_APPROVE,
        author_id=version.author_id,
        subject=f"Policy version {version.number} of {current_tenant().name} waits for review",
        body=(
            f"{version.author_label} has submitted policy version {version.number}.\n\n"
            "Sign in, and open Policy, Waiting for review.\n"
        ),
    )


def announce_waiting(version: PolicyVersion, *, days: int, escalated: bool, deputies: Iterable[str] = ()) -> None:
    """Remind the reviewers and the author of a version that waits; escalated: officers and administrators too.

    Args: deputies: sentences that say who deputises for whom.
    """
    tenant = current_tenant().name
    subject = f"Policy version {version.number} of {tenant} has waited {days} days for its review"
    waits = f"Policy version {version.number}, by {version.author_label}, has waited {days} days for its review."
    longer = (
        "Nobody has decided on it, so officers and administrators read this too. A tenant administrator can make "
        "somebody a reviewer.\n\n"
    )
    where = "Sign in, and open Policy, Waiting for review.\n"
    away = "".join(f"{sentence}\n\n" for sentence in deputies)
    write_to_deciders(
        permission=Permission.POLICY_APPROVE,
        also=(Permission.POLICY_EDIT, Permission.MEMBER_MANAGE) if escalated else (),
        author_id=version.author_id,
        subject=subject,
        body=f"{waits}\n\n{longer if escalated else ''}{away}{where}",
    )
    if version.author_id:
        write_to_member(
            version.author_id, subject=subject, body=f"{waits} Its reviewers were reminded.\n\n{away}{where}"
        )


def announce_lapse(version: PolicyVersion, *, missing: int) -> None:
    """Tell the reviewers and the author that an approval lapsed, and how many more the version waits for."""
    subject = f"Policy version {version.number} of {current_tenant().name} lost an approval"
    body = (
        f"Whoever approved policy version {version.number} as the first of two may not approve any more, so that "
        f"approval counts no longer. The version waits for {missing} more.\n\n"
        "Sign in, and open Policy, Waiting for review.\n"
    )
    write_to_deciders(permission=Permission.POLICY_APPROVE, author_id=version.author_id, subject=subject, body=body)
    if version.author_id:
        write_to_member(version.author_id, subject=subject, body=body)
