"""The grants of a recertification: who answers for each, and how one ends that was not confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from apps.errors import ApplicationError
from apps.intents.errors import RecertificationError
from apps.intents.models import CertifiedGrant
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId, UserId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import Permission
from apps.tenants.second_person import are_same_hands
from apps.tenants.selectors.grants import user_principal
from apps.tenants.services.api_keys import api_key_lock
from apps.tenants.services.members import grants_set, membership_lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    id: UUID
    scope_ids: frozenset[ScopeId]


def find_owners(owner_ids: Iterable[UUID], tenant_id: TenantId) -> tuple[Owner, ...]:
    """Return the owners with the scopes that they reach now. Raises RecertificationError: one is no member."""
    wanted = list(dict.fromkeys(owner_ids))
    members = set(Membership.objects.filter(IN_FORCE, user_id__in=wanted).values_list("user_id", flat=True))
    people = {user.id: user for user in User.objects.filter(id__in=members, is_active=True)}
    if not wanted or people.keys() != set(wanted):
        raise RecertificationError("intents.recertification_owners", field="owners")
    try:
        return tuple(
            Owner(id=each, scope_ids=frozenset(user_principal(people[UserId(each)], tenant_id).scope_ids))
            for each in wanted
        )
    except ApplicationError as error:
        raise RecertificationError("intents.recertification_owners", field="owners") from error


def find_grants(roles: Sequence[str], scope_ids: Sequence[UUID]) -> list[Grant]:
    """Return the valid grants of people and keys that are in use, in these scopes."""
    seen = [each for each in scope_ids if each in current_scope().scope_ids]
    now = timezone.now()
    of_people = Q(membership__confirmed_at__isnull=False, membership__revoked_at__isnull=True)
    of_keys = Q(api_key__revoked_at__isnull=True) & (
        Q(api_key__expires_at__isnull=True) | Q(api_key__expires_at__gt=now)
    )
    if roles:
        of_people &= Q(membership__role__in=roles)
        of_keys &= Q(api_key__role__in=roles)
    found = Grant.objects.filter(
        Q(membership__isnull=False) & of_people | Q(api_key__isnull=False) & of_keys,
        valid_to__isnull=True,
        scope_id__in=seen,
    )
    return list(found.select_related("membership", "api_key").order_by("scope_id", "id"))


def choose_owner(grant: Grant, owners: Sequence[Owner]) -> Owner | None:
    """Return the first who may answer for a grant: never its holder, and for a key not who made it if others may."""
    holder = grant.membership.user_id if grant.membership else grant.api_key.person_id if grant.api_key else None
    able = [each for each in owners if each.id != holder and ScopeId(grant.scope_id) in each.scope_ids]
    maker = grant.api_key.created_by_id if grant.api_key else None
    return next((each for each in able if each.id != maker), able[0] if able else None)


def made_its_key(certified: CertifiedGrant) -> bool:
    """Whether the grant is that of a key whose secret the acting person has read, as they made it."""
    key = ApiKey.objects.filter(id=certified.api_key_id).first() if certified.api_key_id else None
    return key is not None and are_same_hands(key.created_by_id)


def role_of(grant: Grant) -> str:
    holder = grant.membership or grant.api_key
    return str(holder.role) if holder else ""


def lock_waiting(certified_id: UUID) -> CertifiedGrant:
    """Return a grant that waits in an open recertification, locked. Raises RecertificationError."""
    found = CertifiedGrant.objects.select_for_update(of=("self",)).filter(id=certified_id).first()
    if found is None:
        raise RecertificationError("intents.recertification_not_there")
    certified: CertifiedGrant = found
    if certified.recertification.closed_at is not None:
        raise RecertificationError("intents.recertification_closed")
    if certified.decision:
        raise RecertificationError("intents.recertification_decided")
    return certified


def find_valid_grant(grant_id: UUID) -> Grant | None:
    found: Grant | None = (
        Grant.objects.filter(id=grant_id, valid_to__isnull=True, api_key__revoked_at__isnull=True)
        .select_related("membership", "api_key")
        .first()
    )
    return found


def end_grant(grant: Grant) -> None:
    """End one grant by the service that ends all grants: as the acting person if they may, or else as the platform.

    An owner need not be one who manages members. Their decision is recorded in the same transaction.
    """
    scope = current_scope()
    needed = Permission.MEMBER_MANAGE if grant.membership else Permission.KEY_MANAGE
    if scope.principal.may(needed):
        _end_now(grant)
        return
    with open_scope(tenant=scope.tenant_id, reason="end a grant that its owner did not confirm"):
        _end_now(grant)


def _end_now(grant: Grant) -> None:
    holder: dict[str, Membership | ApiKey] = {}
    if grant.membership is not None:
        membership_lock(grant.membership)
        holder = {"membership": grant.membership}
    elif grant.api_key is not None:
        api_key_lock(grant.api_key)
        holder = {"api_key": grant.api_key}
    others = (
        Grant.objects.filter(valid_to__isnull=True, **holder).exclude(id=grant.id).values_list("scope_id", flat=True)
    )
    grants_set(scopes=[Scope(id=scope_id) for scope_id in others], **holder)  # type: ignore[arg-type]
