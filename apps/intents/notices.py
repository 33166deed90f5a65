"""E-mail to the people who may approve. It says that something waits, and nothing of what."""

from __future__ import annotations

import logging
from smtplib import SMTPException

from django.core.mail import EmailMessage
from django.db import transaction

from apps.intents.models import PolicyVersion
from apps.tenants.models import Membership
from apps.tenants.roles import PERMISSIONS, Permission, Role
from apps.tenants.selectors.tenants import current_tenant

logger = logging.getLogger("glassbox.intents")

_REVIEWING = [role for role in Role if Permission.POLICY_APPROVE in PERMISSIONS[role]]


def announce_submission(version: PolicyVersion) -> None:
    """Write to every reviewer of the tenant but the author, once the submission is committed.

    A mail server that is down does not undo the submission: it is logged, and the work list shows what waits.
    """
    reviewers = Membership.objects.filter(role__in=_REVIEWING, revoked_at__isnull=True, user__is_active=True)
    others = reviewers.exclude(user_id=version.author_id)
    addresses = sorted(set(others.values_list("user__email", flat=True)) - {""})
    subject = f"Policy version {version.number} of {current_tenant().name} waits for a review"
    body = (
        f"{version.author_label} has submitted policy version {version.number}.\n\n"
        "Sign in, and open Policy, Waiting for review.\n"
    )
    transaction.on_commit(lambda: _send(subject, body, addresses))


def _send(subject: str, body: str, addresses: list[str]) -> None:
    for address in addresses:
        try:
            # One letter each: who else may approve is nobody's business.
            EmailMessage(subject, body, to=[address]).send()
        except (SMTPException, OSError) as error:
            logger.error("a reviewer was not told of a submission: %s", type(error).__name__)  # noqa: TRY400
