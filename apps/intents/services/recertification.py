"""Recertifications: begin one, decide on its grants, name another owner, and close it.

The database holds the rules too (sql/recertification.sql): only a grant's owner decides on it, in person, once, with a
reason, while the recertification is open; and nobody on their own grant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.services import record
from apps.intents.errors import RecertificationError
from apps.intents.events import (
    RECERTIFICATION_BEGUN,
    RECERTIFICATION_CLOSED,
    RECERTIFICATION_DECIDED,
    RECERTIFICATION_REASSIGNED,
)
from apps.intents.models import CertifiedGrant, GrantDecision, Recertification
from apps.intents.services.certified_grants import (
    choose_owner,
    end_grant,
    find_grants,
    find_owners,
    find_valid_grant,
    lock_waiting,
    made_its_key,
    role_of,
)
from apps.intents.services.drafts import require_person
from apps.intents.services.recertification_reminders import announce
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission, Role
from apps.tenants.second_person import are_same_hands, require_step_up

_LONGEST_REASON = 1000


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
    owners = find_owners(owner_ids, scope.tenant_id)
    grants = find_grants(wanted_roles, wanted_scopes or sorted(scope.scope_ids))
    if not grants:
        raise RecertificationError("intents.recertification_no_grants", field="scopes")
    chosen = [(grant, choose_owner(grant, owners)) for grant in grants]
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
                role=role_of(grant),
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
        certified = lock_waiting(certified_id)
        if certified.owner_id != principal.id or not principal.is_signed_in:
            raise RecertificationError("intents.recertification_not_owner")
        if certified.holder_id is not None and are_same_hands(certified.holder_id):
            raise RecertificationError("intents.recertification_own")
        if decision is GrantDecision.CONFIRMED and made_its_key(certified):
            raise RecertificationError("intents.recertification_own_key")
        if not said:
            raise RecertificationError("intents.recertification_reason", field="reason")
        require_step_up()
        grant = find_valid_grant(certified.grant_id)
        if decision is GrantDecision.CONFIRMED and grant is None:
            raise RecertificationError("intents.recertification_gone")
        if decision is GrantDecision.ENDED and grant is not None:
            end_grant(grant)
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
        certified = lock_waiting(certified_id)
        (owner,) = find_owners([owner_id], scope.tenant_id)
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
