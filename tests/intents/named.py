"""Members with full names and mailboxes, as an auditor asks about them."""

from __future__ import annotations

from apps.tenants.context import open_scope
from apps.tenants.models import Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.factories import Firm, make_member


def make_named(
    firm: Firm, username: str, first_name: str, last_name: str, *, role: Role = Role.ANALYST, email: str = ""
) -> Principal:
    User(username=username, first_name=first_name, last_name=last_name, email=email, is_staff=True).save()
    return make_member(firm, username, role)


def end_memberships(firm: Firm, username: str) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        for membership in Membership.objects.filter(user__username=username, revoked_at__isnull=True):
            membership_revoke(membership)
