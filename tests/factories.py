"""Tenants, scopes and people for tests: made by the real services, as the real role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Invitation, Membership, Scope, Tenant, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.services.api_keys import api_key_create
from apps.tenants.services.invitations import invitation_accept, invitation_link, member_invite
from apps.tenants.services.members import membership_confirm, membership_grant
from apps.tenants.services.personal_keys import personal_key_create
from apps.tenants.services.tenants import scope_create, tenant_create


@dataclass(frozen=True, slots=True, kw_only=True)
class Firm:
    """A tenant with its root scope and the scopes below it, by key."""

    tenant: Tenant
    scopes: dict[str, Scope]

    @property
    def id(self) -> TenantId:
        return TenantId(self.tenant.id)

    @property
    def root(self) -> Scope:
        return self.scopes[f"firm:{self.tenant.slug}"]

    def scope_ids(self, *keys: str) -> list[ScopeId]:
        return [ScopeId(self.scopes[key].id) for key in keys]


def make_firm(
    slug: str = "acme", *, funds: Iterable[str] = ("alpha", "beta"), region: str = "eu", strict: bool = False
) -> Firm:
    tenant = tenant_create(
        slug=slug, name=slug.title(), residency_region=region, residency_strict=strict, reason="a test"
    )
    with open_scope(tenant=TenantId(tenant.id), reason="a test"):
        root = Scope.objects.get(key=f"firm:{slug}")
        scopes = {root.key: root}
        for fund in funds:
            scopes[f"fund:{fund}"] = scope_create(key=f"fund:{fund}", name=fund.title(), parent=root)
    return Firm(tenant=tenant, scopes=scopes)


def make_user(username: str, *, password: str = "", superuser: bool = False, staff: bool = True) -> User:
    user = User(username=username, is_staff=staff, is_superuser=superuser, email=f"{username}@example.com")
    user.set_password(password or None)
    user.save()
    return user


def make_member(firm: Firm, username: str, role: Role, *, scopes: Iterable[str] = (), password: str = "") -> Principal:
    """A user with one role; in all of the firm's scopes, or in the named ones."""
    user = user_by_name(username) or make_user(username, password=password)
    with open_scope(tenant=firm.id, reason="a test"):
        membership_grant(user=user, role=role, scopes=[firm.scopes[key] for key in scopes] or [firm.root])
    return user_principal(user, firm.id)


def make_invitation(
    firm: Firm, email: str, role: Role, *, by: Principal, scopes: Iterable[str] = ()
) -> tuple[Invitation, str]:
    """An invitation by a member, and the secret of its link, as the letter to the mailbox holds it."""
    with as_(by):
        invitation = member_invite(email=email, role=role, scopes=[firm.scopes[key] for key in scopes] or [firm.root])
    return invitation, invitation_link(firm.id, invitation.id)


def make_invited(
    firm: Firm, username: str, role: Role, *, by: Principal, scopes: Iterable[str] = (), password: str = ""
) -> Membership:
    """A person who accepted a member's invitation: in force, or awaiting confirmation where the role approves."""
    user = user_by_name(username) or make_user(username, password=password)
    _, secret = make_invitation(firm, user.email, role, by=by, scopes=scopes)
    return invitation_accept(secret=secret, user=user)


def confirm(membership: Membership, *, by: Principal) -> None:
    with as_(by):
        membership_confirm(membership)


def make_key(firm: Firm, role: Role = Role.ANALYST, *, scopes: Iterable[str] = ()) -> tuple[Principal, str]:
    """An API key's principal, and the key as a client sends it."""
    with open_scope(tenant=firm.id, reason="a test"):
        key, plain = api_key_create(
            name=f"{role.value} key", role=role, scopes=[firm.scopes[key] for key in scopes] or [firm.root]
        )
    return key_principal(key), plain


def make_personal_key(
    firm: Firm, username: str, *, role: Role, scopes: Iterable[str] = (), days: int = 90
) -> tuple[Principal, str]:
    """A key that acts for a member, made by the member: its principal, and the key as a client sends it."""
    user = User.objects.get_by_natural_key(username)
    person = user_principal(user, firm.id)
    with open_scope(tenant=firm.id, principal=person):
        key, plain = personal_key_create(
            name="script",
            role=role,
            scopes=[firm.scopes[each] for each in scopes] or [firm.root],
            expires_at=timezone.now() + timedelta(days=days),
        )
    return key_principal(key), plain


@contextmanager
def as_(principal: Principal) -> Iterator[None]:
    """Act as this person or key, in its tenant."""
    with open_scope(tenant=principal.tenant_id, principal=principal):
        yield
