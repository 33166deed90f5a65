"""Inviting people: the platform mails a link, and the person who reads it accepts with an account of their own.

An inviter can't learn whether an account exists, because inviting looks up no account. The platform makes the link's
secret when it sends the letter, and the database accepts the secret's digest only from the platform
(sql/memberships.sql).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from smtplib import SMTPException
from typing import Final
from uuid import UUID

from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from apps.tenants.context import current_scope, open_identity, open_scope
from apps.tenants.errors import (
    InvalidKeyError,
    InvitationEndedError,
    InvitedInPersonError,
    MembershipError,
    UnknownTenantError,
)
from apps.tenants.events import emit
from apps.tenants.ids import ScopeId, TenantId, UserId
from apps.tenants.links import address_of_link, digest_of, new_secret
from apps.tenants.models import Invitation, Membership, Scope, User
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission, Role, approvals
from apps.tenants.selectors.grants import actor_principal
from apps.tenants.selectors.invitations import OpenInvitation, invitation_of_link, invitations_waiting
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.services.members import grants_set
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.tenants")

INVITATION_LIFE: Final = timedelta(days=7)
"""As the database counts it (sql/memberships.sql)."""

_LETTER = """You are invited to work in {tenant} on Glassbox, as {role}.

Open this address to accept, with your existing account or a new one:

    {address}

The link works once, within seven days. If you did not expect an invitation, do nothing.
"""


def member_invite(*, email: str, role: Role, scopes: Iterable[Scope], by_mail: bool = True) -> Invitation:
    """Invite the reader of a mailbox into the open tenant. The letter goes out once the transaction is committed.

    Args:   by_mail: whether to send a letter. The platform's operator sends none, and passes the link on
                instead (invitation_link).
    Raises: InvitedInPersonError: an API key acts, and not a signed-in person or the system.
    """
    invitation: Invitation
    principal = current_scope().principal
    if principal.kind is not PrincipalKind.SYSTEM and not principal.is_signed_in:
        raise InvitedInPersonError
    with transaction.atomic():
        invitation = Invitation.objects.create(
            tenant_id=current_scope().tenant_id,
            email=User.objects.normalize_email(email),
            role=role,
            scope_ids=sorted(ScopeId(scope.id) for scope in scopes),
        )
        _record("tenants.invitation.created", invitation)
        if by_mail:
            transaction.on_commit(partial(invitation_send, current_scope().tenant_id, invitation.id))
    return invitation


def invitation_resend(invitation: Invitation) -> None:
    """Send the letter again, with a new link that works for seven days. The previous link stops working.

    Raises: MembershipError: the invitation was accepted or withdrawn, or its mailbox has been forgotten.
    """
    if not invitations_waiting().filter(id=invitation.id).exists():
        raise MembershipError("tenants.invitation_settled")
    transaction.on_commit(partial(invitation_send, current_scope().tenant_id, invitation.id))


def invitation_link(tenant_id: TenantId, invitation_id: UUID) -> str:
    """Make a new link for an invitation, as the platform, and return its secret. The previous link stops working.

    Raises: InvitationEndedError.
    """
    secret = new_secret()
    with open_scope(tenant=tenant_id, reason="make the link of an invitation"):
        made = Invitation.objects.filter(id=invitation_id, accepted_at__isnull=True, revoked_at__isnull=True).update(
            token_sha256=digest_of(secret)
        )
    if not made:
        raise InvitationEndedError
    return secret


def invitation_send(tenant_id: TenantId, invitation_id: UUID) -> None:
    """Send an invitation's letter.

    If the mail server is down, the failure is logged, and the Members page shows the invitation as not sent.
    """
    try:
        secret = invitation_link(tenant_id, invitation_id)
    except InvitationEndedError:
        return
    with open_scope(tenant=tenant_id, reason="send an invitation"):
        invitation: Invitation = Invitation.objects.get(id=invitation_id)
        name = current_tenant().name
    letter = _LETTER.format(
        tenant=name, role=Role(invitation.role).label, address=address_of_link("invitation_link", secret)
    )
    try:
        EmailMessage(f"Invitation to {name}", letter, to=[invitation.email]).send()
    except (SMTPException, OSError) as error:
        logger.error("an invitation was not sent: %s", type(error).__name__)  # noqa: TRY400
        return
    with open_scope(tenant=tenant_id, reason="send an invitation"):
        Invitation.objects.filter(id=invitation_id, token_sha256=digest_of(secret)).update(sent_at=timezone.now())
        _record("tenants.invitation.sent", invitation)


def invitation_withdraw(invitation: Invitation) -> None:
    """End an invitation, so that its link stops working. Raises: MembershipError."""
    with transaction.atomic():
        ended = Invitation.objects.filter(id=invitation.id, accepted_at__isnull=True, revoked_at__isnull=True).update(
            revoked_at=timezone.now()
        )
        if not ended:
            raise MembershipError("tenants.invitation_settled")
        _record("tenants.invitation.withdrawn", invitation)


def forget_expired_invitations() -> None:
    """Clear the mailbox of each invitation of the open tenant that expired, or was not sent within INVITATION_LIFE."""
    now = timezone.now()
    over = Q(expires_at__lte=now) | Q(expires_at__isnull=True, created_at__lte=now - INVITATION_LIFE)
    waiting = Invitation.objects.filter(over, accepted_at__isnull=True, revoked_at__isnull=True)
    waiting.exclude(email="").update(email="")


def invited_account_create(*, secret: str, first_name: str, last_name: str, password: str) -> User:
    """Make an account for the holder of an invitation's link, with the invited mailbox as its sign-in name.

    Raises: InvitationEndedError.
            MembershipError: an account of that name exists; the invited person signs in to it instead.
    """
    found = _found(secret)
    email = found.invitation.email
    username = User.normalize_username(email)
    with transaction.atomic():
        if user_by_name(username, any_case=True) is not None:
            raise MembershipError("tenants.account_name_taken")
        user = User(
            username=username,
            email=email,
            first_name=first_name,
            last_name=last_name,
            is_staff=True,
        )
        user.set_password(password)
        user.made_with_link = digest_of(secret)
        try:
            with transaction.atomic():
                user.save(force_insert=True)
        except IntegrityError as error:
            if "tenants_user_name_folded" not in str(error) and "tenants_user_username_key" not in str(error):
                raise
            # The name folds to that of an existing account in a way that iexact did not find, or another
            # transaction has just made the account.
            raise MembershipError("tenants.account_name_taken") from error
    return user


def invitation_accept(*, secret: str, user: User) -> Membership:
    """Use up an invitation for the signed-in person. A membership whose role approves then waits for a second person.

    Raises: InvitationEndedError: the link does not work, or the inviter may no longer invite.
            MembershipError: they hold the role already, or would give themselves one that approves.
    """
    found = _found(secret)
    invitation = found.invitation
    tenant_id = TenantId(invitation.tenant_id)
    scope_ids = frozenset(ScopeId(each) for each in invitation.scope_ids)
    _require_inviter(found, scope_ids)
    if approvals(found.role) and invitation.created_by_id == user.id:
        raise MembershipError("tenants.approves_for_themselves", role=found.role.label)
    # Not a member yet: this principal has no role, and only the scopes that the invitation gives.
    invited = Principal(
        kind=PrincipalKind.USER,
        id=user.id,
        label=user.username,
        tenant_id=tenant_id,
        scope_ids=scope_ids,
        roles=frozenset(),
        accepts=True,
    )
    with open_scope(tenant=tenant_id, principal=invited):
        with open_identity(Identity(user=UserId(user.id), link=digest_of(secret))):
            if Membership.objects.filter(user=user, role=found.role, revoked_at__isnull=True).exists():
                raise MembershipError("tenants.role_already_held", role=found.role.label)
            membership: Membership = Membership.objects.create(
                tenant_id=tenant_id, user=user, role=found.role, invitation_id=invitation.id
            )
            grants_set(membership=membership, scopes=[Scope(id=each) for each in scope_ids])
        membership.refresh_from_db()
        emit(
            action="tenants.invitation.accepted",
            core={
                "invitation_id": str(invitation.id),
                "user_id": str(user.id),
                "role": found.role.value,
                "awaits_confirmation": membership.awaits_confirmation,
            },
            subject_type="membership",
            subject_id=membership.id,
        )
    return membership


def _found(secret: str) -> OpenInvitation:
    found = invitation_of_link(secret)
    if found is None:
        raise InvitationEndedError
    return found


def _require_inviter(found: OpenInvitation, scope_ids: frozenset[ScopeId]) -> None:
    """Raise InvitationEndedError unless the inviter may still invite into these scopes.

    An invitation from an administrator who has left the tenant therefore gives nothing.
    """
    if found.invitation.created_by_id is None:
        return
    try:
        inviter = actor_principal(PrincipalKind.USER, found.invitation.created_by_id, TenantId(found.tenant.id))
    except (UnknownTenantError, InvalidKeyError) as error:
        raise InvitationEndedError from error
    if not inviter.may(Permission.MEMBER_MANAGE) or not scope_ids <= inviter.scope_ids:
        raise InvitationEndedError


def _record(action: str, invitation: Invitation) -> None:
    emit(
        action=action,
        core={"role": invitation.role, "scope_ids": sorted(str(each) for each in invitation.scope_ids)},
        subject_type="invitation",
        subject_id=invitation.id,
        scopes=[ScopeId(each) for each in invitation.scope_ids],
    )
