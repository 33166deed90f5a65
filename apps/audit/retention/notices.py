"""E-mail to the people who may approve retention rules."""

from __future__ import annotations

from apps.audit.models import RetentionSchedule
from apps.tenants.notices import write_to_deciders
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant


def announce_submission(schedule: RetentionSchedule) -> None:
    """Write to everybody of the tenant who may approve but the author, once the submission is committed."""
    write_to_deciders(
        permission=Permission.PRIVACY_APPROVE,
        author_id=schedule.author_id,
        subject=f"Retention rules {schedule.number} of {current_tenant().name} wait for an approval",
        body=(
            f"{schedule.author_label} has submitted retention rules {schedule.number}; another person decides on "
            "them.\n\n"
            "Sign in, and open Privacy, Retention.\n"
        ),
    )
