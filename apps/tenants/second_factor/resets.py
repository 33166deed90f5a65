"""Lost devices: a person who manages members asks to remove a second factor, and another who may approve agrees.

One factor protects its person's decisions in every tenant. It is therefore removed only once two people agreed, within
seven days, in each tenant where the person holds a role that approves (sql/second_factor.sql).
"""

from __future__ import annotations

import logging
from functools import partial
from smtplib import SMTPException

from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.utils import timezone

from apps.tenants.context import current_scope, open_identity
from apps.tenants.errors import MembershipError, SecondFactorError, SecondPersonError
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.models import FactorReset, Membership, User
from apps.tenants.roles import Permission
from apps.tenants.second_factor.codes import factor_remove
from apps.tenants.second_person import are_same_hands, require_second_person
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.tenants")

_LETTER = """The second factor of your account {username} on Glassbox was removed, because it was reported lost.

Set up a new one under Administration, Second factor. If you did not lose it, tell your tenant administrator at once.
"""


def open_reset_of(user_id: UserId) -> FactorReset | None:
    """Return the reset of a user's factor that waits for a second person in the open tenant, if there is one."""
    found: FactorReset | None = FactorReset.objects.filter(
        user_id=user_id, agreed_at__isnull=True, revoked_at__isnull=True
    ).first()
    return found


def factor_reset_ask(user: User, *, reason: str) -> FactorReset:
    """Ask to remove another person's second factor. Asking again while a request waits changes nothing.

    Raises: PermissionDeniedError; SecondPersonError: the factor is the acting person's own; SecondFactorError: no
            reason was given;
            MembershipError: the user is not a member any more.
    """
    principal = current_scope().principal
    principal.require(Permission.MEMBER_MANAGE)
    said = reason.strip()
    if not said:
        raise SecondFactorError("tenants.missing_reason")
    if principal.id == user.id:
        raise SecondPersonError("tenants.same_hands")
    with transaction.atomic():
        waiting = open_reset_of(UserId(user.id))
        if waiting is not None:
            return waiting
        if not Membership.objects.filter(user=user, revoked_at__isnull=True).exists():
            raise MembershipError("tenants.membership_settled")
        reset: FactorReset = FactorReset.objects.create(
            tenant_id=current_scope().tenant_id, user=user, reason=said, asked_by_id=principal.id
        )
        _record("tenants.factor.reset_asked", reset)
    return reset


def factor_reset_agree(reset: FactorReset) -> bool:
    """Agree to a reset, as the second person.

    Once two people agreed in every tenant where the user approves, the factor is removed, and the user is told by mail.

    Returns: whether the factor was removed.
    Raises: PermissionDeniedError; SecondPersonError: no second factor was used just now, the acting person asked for
            the reset, or the factor is theirs; SecondFactorError.
    """
    principal = current_scope().principal
    if not principal.may(Permission.POLICY_APPROVE):
        principal.require(Permission.PRIVACY_APPROVE)
    require_second_person(reset.asked_by_id)
    if are_same_hands(reset.user_id):
        raise SecondPersonError("tenants.same_hands")
    with transaction.atomic():
        # A reset for a user who is no longer a member can't be agreed to.
        members = Membership.objects.filter(revoked_at__isnull=True).values("user_id")
        agreed = FactorReset.objects.filter(
            id=reset.id, agreed_at__isnull=True, revoked_at__isnull=True, user_id__in=members
        ).update(agreed_by_id=principal.id, agreed_at=timezone.now())
        if not agreed:
            raise SecondFactorError("tenants.factor_reset_settled")
        is_gone = _is_given_up(reset)
        if is_gone:
            factor_remove(reset.user)
        _record("tenants.factor.reset_agreed", reset)
        if is_gone:
            transaction.on_commit(partial(_tell, UserId(reset.user_id)))
    return is_gone


def _is_given_up(reset: FactorReset) -> bool:
    with open_identity(Identity(user=UserId(reset.user_id))), connection.cursor() as cursor:
        cursor.execute("SELECT tenants_factor_given_up(%s)", [reset.user_id])
        return bool(cursor.fetchone()[0])


def _tell(user_id: UserId) -> None:
    # Read the account by its id: neither of the two people who agreed may know its e-mail address.
    user = User.objects.get_by_id(user_id)
    if not user.email:
        return
    try:
        EmailMessage("Your second factor for Glassbox", _LETTER.format(username=user.username), to=[user.email]).send()
    except (SMTPException, OSError) as error:
        logger.error("somebody was not told that their second factor is gone: %s", type(error).__name__)  # noqa: TRY400


def _record(action: str, reset: FactorReset) -> None:
    emit(
        action=action,
        core={"user_id": str(reset.user_id), "asked_by_id": str(reset.asked_by_id)},
        subject_type="user",
        subject_id=reset.user_id,
    )
