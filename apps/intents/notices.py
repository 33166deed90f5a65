"""E-mail to the people who may approve a policy version."""

from __future__ import annotations

from apps.intents.models import PolicyVersion
from apps.tenants.notices import write_to_deciders
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
