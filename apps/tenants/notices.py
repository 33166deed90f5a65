"""E-mail to people who may decide on something, or whose matter was decided. It does not say what it is about."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from smtplib import SMTPException
from uuid import UUID

from django.core.mail import EmailMessage
from django.db import transaction

from apps.tenants.ids import UserId
from apps.tenants.models import Membership, User
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import PERMISSIONS, Permission, Role

logger = logging.getLogger("glassbox.tenants")


def write_to_deciders(
    *, permission: Permission, author_id: UUID | None, subject: str, body: str, also: Iterable[Permission] = ()
) -> None:
    """Write to every member of the open tenant with a permission, except the author, once the transaction is committed.

    Args: also: other permissions; whoever holds several gets one letter.

    A mail server that is down does not undo the transaction: the failure is logged, and the start page shows what
    waits. Costs: one query, and three for each recipient afterwards.
    """
    others = {each for each in holders_of(permission, *also) if each != author_id}
    transaction.on_commit(partial(_send, subject, body, others))


def holders_of(*permissions: Permission) -> set[UUID]:
    """Return the members of the open tenant who have one of the permissions, by the ids of their accounts."""
    roles = [role for role in Role if PERMISSIONS[role] & set(permissions)]
    holders = Membership.objects.filter(IN_FORCE, role__in=roles, user__is_active=True)
    return set(holders.values_list("user_id", flat=True))


def members_among(people: Iterable[UUID]) -> set[UUID]:
    """Return those of the people who are members of the open tenant now."""
    members = Membership.objects.filter(IN_FORCE, user_id__in=people, user__is_active=True)
    return set(members.values_list("user_id", flat=True))


def write_to_member(user_id: UUID, *, subject: str, body: str) -> None:
    """Write to a person who is a member of the open tenant, once the transaction is committed; to nobody else."""
    transaction.on_commit(partial(_send, subject, body, members_among({user_id})))


def _send(subject: str, body: str, people: Iterable[UUID]) -> None:
    # Read each account by its id: the acting person may not know the addresses of other people.
    for address in sorted({User.objects.get_by_id(UserId(person)).email for person in people} - {""}):
        try:
            # Each recipient gets a separate letter, which does not reveal who else may decide. A subject is one line; a
            # tenant's name in it may be of two.
            EmailMessage(" ".join(subject.split()), body, to=[address]).send()
        except (SMTPException, OSError, ValueError) as error:
            # The last: an address that no letter can have, as it was entered.
            logger.error("somebody was not written to: %s", type(error).__name__)  # noqa: TRY400
