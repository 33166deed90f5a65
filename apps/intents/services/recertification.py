"""Recertifications: begin one, decide on its grants, name another owner, and close it.

The database holds the rules too (sql/recertification.sql): only a grant's owner decides on it, in person, once, with a
reason, while the recertification is open; and nobody on their own grant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.audit.services import record
from apps.errors import ApplicationError
from apps.intents.errors import RecertificationError
from apps.intents.events import (
    RECERTIFICATION_BEGUN,
    RECERTIFICATION_CLOSED,
    RECERTIFICATION_DECIDED,
    RECERTIFICATION_REASSIGNED,
)
from apps.intents.models import CertifiedGrant, GrantDecision, Recertification
from apps.intents.services.drafts import require_person
from apps.intents.services.recertification_reminders import announce
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId, UserId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import Permission, Role
from apps.tenants.second_person import are_same_hands, require_step_up
from apps.tenants.selectors.grants import user_principal
from apps.tenants.services.api_keys import api_key_lock
from apps.tenants.services.members import grants_set, membership_lock

_LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    id: UUID
    scope_ids: frozenset[ScopeId]


def recertification_begin(
    *, owner_ids: Sequence[UUID], due_at: datetime, roles: Iterable[Role] = (), scope_ids: Iterable[UUID] = ()
) -> Recertification:
    """Begin a recertification of all valid grants of the roles and scopes, and tell their owners by e-mail.

    Args:    owner_ids: the first of them who is not the holder of a grant and reaches its scope answers for it.
             roles, scope_ids: empty for all; of scopes, those that the acting person may see.
    Raises:  PermissionDeniedError; PersonNeededError: a key that acts for nobody; RecertificationError.
    Costs:   four queries for each owner, and one insertion for each grant.
    """
    scope = current_scope()
    scope.principal.require(Permission.POLICY_EDIT)
    require_person()
    if due_at <= timezone.now():
        raise RecertificationError("intents.recertification_due", field="due_at")
    wanted_roles, wanted_scopes = [Role(each).value for each in roles], sorted(set(scope_ids))
    owners = _owners(owner_ids, scope.tenant_id)
    grants = _grants(wanted_roles, wanted_scopes or sorted(scope.scope_ids))
    if not grants:
        raise RecertificationError("intents.recertification_no_grants", field="scopes")
    chosen = [(grant, _owner_of(grant, owners)) for grant in grants]
    if without := sum(1 for _, owner in chosen if owner is None):
        raise RecertificationError("intents.recertification_no_owner", field="owners", grants=without)
    with transaction.atomic():
        made: Recertification = Recertification.objects.create(
            tenant_id=scope.tenant_id,
            roles=wanted_roles,
            scope_ids=wanted_scopes,
            owner_ids=[owner.id for owner in owners],
            grant_count=len(grants),
            due_at=due_at,
            started_by_id=scope.principal.id,
        )
        CertifiedGrant.objects.bulk_create(
            CertifiedGrant(
                tenant_id=scope.tenant_id,
                scope_id=grant.scope_id,
                recertification=made,
                grant_id=grant.id,
                role=_role_of(grant),
                owner_id=owner.id,
            )
            for grant, owner in chosen
            if owner is not None
        )
        record(
            action=RECERTIFICATION_BEGUN,
            core={
                "due_at": due_at.isoformat(),
                "grants": len(grants),
                "owner_ids": [str(owner.id) for owner in owners],
                "roles": wanted_roles,
                "scope_ids": [str(each) for each in wanted_scopes],
            },
            subject_type="recertification",
            subject_id=made.id,
        )
        announce(made, {owner.id for _, owner in chosen if owner is not None})
    return made


def grant_decide(*, certified_id: UUID, decision: GrantDecision, reason: str) -> CertifiedGrant:
    """Confirm or end a grant, as its owner. Ending takes effect with the next token of its holder.

    A grant that has ended meanwhile can only be recorded as ended.
    Raises: RecertificationError; SecondPersonError: the owner has not just used their second factor.
    """
    principal = current_scope().principal
    said = reason.strip()[:_LONGEST_REASON]
    with transaction.atomic():
        certified = _locked(certified_id)
        if certified.owner_id != principal.id or not principal.is_signed_in:
            raise RecertificationError("intents.recertification_not_owner")
        if certified.holder_id is not None and are_same_hands(certified.holder_id):
            raise RecertificationError("intents.recertification_own")
        if decision is GrantDecision.CONFIRMED and _made_its_key(certified):
            raise RecertificationError("intents.recertification_own_key")
        if not said:
            raise RecertificationError("intents.recertification_reason", field="reason")
        require_step_up()
        grant = _valid_grant(certified.grant_id)
        if decision is GrantDecision.CONFIRMED and grant is None:
            raise RecertificationError("intents.recertification_gone")
        if decision is GrantDecision.ENDED and grant is not None:
            _end(grant)
        is_late = timezone.now() > certified.recertification.due_at
        CertifiedGrant.objects.filter(id=certified.id).update(
            decision=decision, reason=said, decided_by_id=principal.id, decided_at=timezone.now()
        )
        record(
            action=RECERTIFICATION_DECIDED,
            core={
                "recertification_id": str(certified.recertification_id),
                "grant_id": str(certified.grant_id),
                "decision": decision.value,
                "is_late": is_late,
            },
            actor={"reason": said},
            subject_type="certified_grant",
            subject_id=certified.id,
            scopes=[ScopeId(certified.scope_id)],
        )
    certified.refresh_from_db()
    return certified


def owner_change(*, certified_id: UUID, owner_id: UUID) -> CertifiedGrant:
    """Name another owner of a grant that waits. Raises: PermissionDeniedError, RecertificationError."""
    scope = current_scope()
    scope.principal.require(Permission.POLICY_EDIT)
    with transaction.atomic():
        certified = _locked(certified_id)
        (owner,) = _owners([owner_id], scope.tenant_id)
        if owner.id == certified.holder_id or ScopeId(certified.scope_id) not in owner.scope_ids:
            raise RecertificationError("intents.recertification_no_owner", field="owner", grants=1)
        before = certified.owner_id
        CertifiedGrant.objects.filter(id=certified.id).update(owner_id=owner.id)
        record(
            action=RECERTIFICATION_REASSIGNED,
            core={
                "recertification_id": str(certified.recertification_id),
                "grant_id": str(certified.grant_id),
                "owner_before_id": str(before),
                "owner_id": str(owner.id),
            },
            subject_type="certified_grant",
            subject_id=certified.id,
            scopes=[ScopeId(certified.scope_id)],
        )
        announce(certified.recertification, {owner.id})
    certified.refresh_from_db()
    return certified


def recertification_close(recertification_id: UUID) -> Recertification:
    """Close a recertification for ever. What waits then stays undecided in its report, and its grants go on.

    Raises: PermissionDeniedError, PersonNeededError, RecertificationError.
    """
    scope = current_scope()
    scope.principal.require(Permission.POLICY_EDIT)
    require_person()
    with transaction.atomic():
        found = Recertification.objects.select_for_update().filter(id=recertification_id).first()
        if found is None:
            raise RecertificationError("intents.recertification_not_there")
        if found.closed_at is not None:
            raise RecertificationError("intents.recertification_closed")
        # Counted in all scopes: an officer who sees some of them must not record a part as the whole.
        with open_scope(tenant=scope.tenant_id, reason="count the decisions of a recertification"):
            rows = list(CertifiedGrant.objects.filter(recertification=found).values_list("decision", "decided_at"))
        counts = Counter(decision for decision, _ in rows)
        Recertification.objects.filter(id=found.id).update(closed_at=timezone.now(), closed_by_id=scope.principal.id)
        record(
            action=RECERTIFICATION_CLOSED,
            core={
                "confirmed": counts[GrantDecision.CONFIRMED],
                "ended": counts[GrantDecision.ENDED],
                "undecided": counts[GrantDecision.WAITING],
                "late": sum(1 for _, at in rows if at is not None and at > found.due_at),
            },
            subject_type="recertification",
            subject_id=found.id,
        )
    found.refresh_from_db()
    closed: Recertification = found
    return closed


def _owners(owner_ids: Iterable[UUID], tenant_id: TenantId) -> tuple[_Owner, ...]:
    """Return the owners with the scopes that they reach now. Raises RecertificationError: one is no member."""
    wanted = list(dict.fromkeys(owner_ids))
    members = set(Membership.objects.filter(IN_FORCE, user_id__in=wanted).values_list("user_id", flat=True))
    people = {user.id: user for user in User.objects.filter(id__in=members, is_active=True)}
    if not wanted or people.keys() != set(wanted):
        raise RecertificationError("intents.recertification_owners", field="owners")
    try:
        return tuple(
            _Owner(id=each, scope_ids=frozenset(user_principal(people[UserId(each)], tenant_id).scope_ids))
            for each in wanted
        )
    except ApplicationError as error:
        raise RecertificationError("intents.recertification_owners", field="owners") from error


def _grants(roles: Sequence[str], scope_ids: Sequence[UUID]) -> list[Grant]:
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


def _owner_of(grant: Grant, owners: Sequence[_Owner]) -> _Owner | None:
    """Return the first who may answer for a grant: never its holder, and for a key not who made it if others may."""
    holder = grant.membership.user_id if grant.membership else grant.api_key.person_id if grant.api_key else None
    able = [each for each in owners if each.id != holder and ScopeId(grant.scope_id) in each.scope_ids]
    maker = grant.api_key.created_by_id if grant.api_key else None
    return next((each for each in able if each.id != maker), able[0] if able else None)


def _made_its_key(certified: CertifiedGrant) -> bool:
    """Whether the grant is that of a key whose secret the acting person has read, as they made it."""
    key = ApiKey.objects.filter(id=certified.api_key_id).first() if certified.api_key_id else None
    return key is not None and are_same_hands(key.created_by_id)


def _role_of(grant: Grant) -> str:
    holder = grant.membership or grant.api_key
    return str(holder.role) if holder else ""


def _locked(certified_id: UUID) -> CertifiedGrant:
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


def _valid_grant(grant_id: UUID) -> Grant | None:
    found: Grant | None = (
        Grant.objects.filter(id=grant_id, valid_to__isnull=True, api_key__revoked_at__isnull=True)
        .select_related("membership", "api_key")
        .first()
    )
    return found


def _end(grant: Grant) -> None:
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
