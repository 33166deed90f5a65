"""Links that are mailed to an account: to set a password, and to confirm a mailbox. Each works once, for an hour.

Setting a password or changing the e-mail address ends every other unused link of the account (sql/account_links.sql).
"""

from __future__ import annotations

import logging
from functools import partial
from smtplib import SMTPException
from typing import Final

from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import timezone

from apps.tenants.context import open_identity, open_scope
from apps.tenants.errors import LinkEndedError, UnknownTenantError
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.links import address_of_link, digest_of, new_secret
from apps.tenants.models import AccountLink, AccountOrigin, LinkPurpose, User
from apps.tenants.selectors.grants import tenants_of_user, user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.tenants")

_FORGOTTEN: Final = """Somebody asked for a new password for the account {username} on Glassbox.

Open this address to set one. The link works once, within an hour. A new password ends every session of the account:

    {address}

If it was not you, do nothing: the password stays as it is.
"""
_NEW_MAILBOX: Final = """The account {username} on Glassbox gives this mailbox as its address.

Open this address to confirm that. The link works once, within an hour:

    {address}

If it was not you, do nothing: the account keeps its address.
"""


def password_link_send(username: str) -> None:
    """Mail a link to set a new password to the account of that name, if there is one.

    The caller learns nothing: the function returns in the same way whether or not the account exists.
    """
    user = user_by_name(username, any_case=True)
    if user is None or not user.is_active or not user.email:
        return
    _send(user, LinkPurpose.PASSWORD, user.email, "A new password for Glassbox", _FORGOTTEN)
    _record("tenants.user.password_asked", user)


def mailbox_link_send(user: User, *, email: str) -> None:
    """Mail a link that confirms a mailbox: the account's present one, or a new one.

    The account's e-mail address changes when the link is used, and not before.
    """
    address = User.objects.normalize_email(email)
    transaction.on_commit(
        partial(_send, user, LinkPurpose.EMAIL, address, "Confirm your address for Glassbox", _NEW_MAILBOX)
    )


def link_of(secret: str, purpose: LinkPurpose) -> AccountLink:
    """Return the link while it works. Raises: LinkEndedError, also for a link that never existed."""
    digest = digest_of(secret)
    with open_identity(Identity(link=digest)):
        link = AccountLink.objects.filter(
            token_sha256=digest, purpose=purpose, used_at__isnull=True, expires_at__gt=timezone.now()
        ).first()
    if link is None:
        raise LinkEndedError
    return link


def account_of(link: AccountLink) -> User:
    """Return the account of a link.

    Raises: LinkEndedError: the account is deactivated, or no longer has the mailbox that a link to set a password was
            sent to.
    """
    user = User.objects.get_by_id(UserId(link.user_id))
    has_left = link.purpose == LinkPurpose.PASSWORD and user.email != link.email
    if has_left or not user.is_active:
        raise LinkEndedError
    return user


def password_set_by_link(*, secret: str, password: str) -> User:
    """Use up a link to set a password. Every session of the account ends with the old password.

    Raises: LinkEndedError.
    """
    link = link_of(secret, LinkPurpose.PASSWORD)
    user = account_of(link)
    with transaction.atomic():
        _use(link)
        user.set_password(password)
        user.save(update_fields=["password"])
        _record("tenants.user.password_set", user)
    return user


def mailbox_confirm(*, secret: str) -> User:
    """Use up a link to confirm a mailbox, which becomes the account's e-mail address. Raises: LinkEndedError."""
    link = link_of(secret, LinkPurpose.EMAIL)
    user = account_of(link)
    with transaction.atomic(), open_identity(Identity(user=UserId(user.id), link=link.token_sha256)):
        _used(link)
        User.objects.filter(id=user.id).update(email=link.email)
        AccountOrigin.objects.filter(user_id=user.id).update(mailbox_confirmed_at=timezone.now())
        user.email = link.email
        _record("tenants.user.mailbox_confirmed", user)
    return user


def forget_expired_links() -> None:
    """Remove the links that have expired, used or not."""
    with open_identity(Identity(ended_sessions=True)):
        AccountLink.objects.filter(expires_at__lte=timezone.now()).delete()


def _use(link: AccountLink) -> None:
    """Use up a link and mark the account's mailbox as confirmed: a person who has the link can read that mailbox."""
    with open_identity(Identity(user=UserId(link.user_id), link=link.token_sha256)):
        _used(link)
        AccountOrigin.objects.filter(user_id=link.user_id).update(mailbox_confirmed_at=timezone.now())


def _used(link: AccountLink) -> None:
    # Of two requests that use the link at once, the second updates no row.
    if not AccountLink.objects.filter(id=link.id, used_at__isnull=True).update(used_at=timezone.now()):
        raise LinkEndedError


def _send(user: User, purpose: LinkPurpose, email: str, subject: str, letter: str) -> None:
    secret = new_secret()
    with open_identity(Identity(user=UserId(user.id), mails=UserId(user.id))):
        AccountLink.objects.create(
            user_id=user.id,
            purpose=purpose,
            email=email,
            token_sha256=digest_of(secret),
            expires_at=timezone.now(),
        )
    name = "password_link" if purpose == LinkPurpose.PASSWORD else "mailbox_link"
    body = letter.format(username=user.username, address=address_of_link(name, secret))
    try:
        EmailMessage(subject, body, to=[email]).send()
    except (SMTPException, OSError) as error:
        logger.error("a link was not sent to an account: %s", type(error).__name__)  # noqa: TRY400


def _record(action: str, user: User) -> None:
    """Record the event in the log of every tenant that the person belongs to."""
    for choice in tenants_of_user(UserId(user.id)):
        try:
            principal = user_principal(user, choice.id)
        except UnknownTenantError:
            continue
        with open_scope(tenant=choice.id, principal=principal):
            emit(action=action, core={"user_id": str(user.id)}, subject_type="user", subject_id=user.id)
