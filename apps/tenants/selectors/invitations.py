"""Invitations: the waiting ones, for their tenant's screens, and the one that a mailed link opens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.tenants.context import open_identity
from apps.tenants.errors import MembershipError
from apps.tenants.ids import TenantId
from apps.tenants.links import digest_of
from apps.tenants.models import Invitation, Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.roles import Role
from apps.tenants.tokens import Identity


class InvitationState(StrEnum):
    WAITING = "waiting"
    EXPIRED = "expired"
    ACCEPTED = "accepted"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenInvitation:
    """The invitation of a link that still works, with its tenant and role."""

    invitation: Invitation
    tenant: Tenant
    role: Role


def invitations_waiting() -> QuerySet[Invitation]:
    """Return the open tenant's invitations that were neither accepted nor withdrawn and still have a mailbox.

    Invitations that were not sent yet are included, and so are those that expired but still have a mailbox.
    """
    waiting: QuerySet[Invitation] = Invitation.objects.filter(
        accepted_at__isnull=True, revoked_at__isnull=True
    ).exclude(email="")
    return waiting


def invitation(invitation_id: UUID) -> Invitation:
    """Return an invitation of the open tenant in any state. Raises: MembershipError."""
    found: Invitation | None = Invitation.objects.filter(id=invitation_id).first()
    if found is None:
        raise MembershipError("tenants.invitation_not_found")
    return found


def invitation_state(found: Invitation) -> InvitationState:
    if found.accepted_at is not None:
        return InvitationState.ACCEPTED
    if found.revoked_at is not None:
        return InvitationState.WITHDRAWN
    is_over = found.expires_at is not None and found.expires_at <= timezone.now()
    return InvitationState.EXPIRED if is_over or not found.email else InvitationState.WAITING


def in_state(state: InvitationState, now: datetime) -> Q:
    """Return the filter for a state, with the same meaning as in invitation_state.

    An invitation that was never sent counts as expired once its mailbox is forgotten.
    """
    lasting = Q(accepted_at__isnull=True, revoked_at__isnull=True)
    over = Q(expires_at__isnull=False, expires_at__lte=now) | Q(email="")
    return {
        InvitationState.ACCEPTED: Q(accepted_at__isnull=False),
        InvitationState.WITHDRAWN: Q(accepted_at__isnull=True, revoked_at__isnull=False),
        InvitationState.EXPIRED: lasting & over,
        InvitationState.WAITING: lasting & ~over,
    }[state]


def invitation_of_link(secret: str) -> OpenInvitation | None:
    """Return what a link invites to. Two queries.

    Returns: None, without a distinction, if the link never existed, was used, was withdrawn or has expired, or if the
             tenant is not active.
    """
    digest = digest_of(secret)
    with open_identity(Identity(link=digest)):
        found: Invitation | None = Invitation._base_manager.filter(
            token_sha256=digest, accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=timezone.now()
        ).first()
    if found is None:
        return None
    with open_identity(Identity(directory=TenantId(found.tenant_id))):
        tenant = Tenant.objects.filter(id=found.tenant_id, status=TenantStatus.ACTIVE).first()
    return None if tenant is None else OpenInvitation(invitation=found, tenant=tenant, role=Role(found.role))
