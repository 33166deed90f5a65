"""What a run may do now: as its owner, in the scopes that they still hold, under the policy in force."""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.kinds import Kind
from apps.intents.contracts import KindGrant, RecordingMode
from apps.intents.gate import gate
from apps.intents.selectors import policy_in_force
from apps.research.errors import StopError
from apps.research.models import ResearchRun, RunState
from apps.research.runs.contracts import RunContent
from apps.research.runs.limits import KEPT_DAYS
from apps.research.runs.modes import mode_problem
from apps.research.runs.recording import Allowed
from apps.retrieval.services.pinned import Pinned, narrow
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError, UnknownTenantError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission
from apps.tenants.selectors.grants import actor_principal
from apps.tenants.short_scopes import ShortScopes


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the next step may do. pinned: for its question. allowed: for its record."""

    pinned: Pinned
    allowed: Allowed


def act_for(run: ResearchRun) -> ShortScopes:
    """Return the owner with their present grants, in those scopes of the run that they still hold.

    Raises: StopError: the tenant is suspended, the account is closed, or the role or all scopes were taken away.
    """
    tenant_id = TenantId(run.tenant_id)
    try:
        principal = actor_principal(PrincipalKind.USER, run.owner_id, tenant_id, key_id=run.owner_key_id)
    except (InvalidKeyError, UnknownTenantError) as error:
        raise StopError(state=RunState.STOPPED, reason=_why_gone(tenant_id)) from error
    held = frozenset(ScopeId(each) for each in run.scope_ids) & principal.scope_ids
    if not held or not principal.may(Permission.QUESTION_ASK):
        raise StopError(state=RunState.STOPPED, reason="access_ended")
    return ShortScopes(principal=principal, scope_ids=held)


def _why_gone(tenant_id: TenantId) -> str:
    with open_scope(tenant=tenant_id, scopes=[], reason=ResearchRun.reason):
        active = Tenant.objects.filter(id=tenant_id, status=TenantStatus.ACTIVE).exists()
    return "access_ended" if active else "tenant_suspended"


def pinned_of(run: ResearchRun, content: RunContent) -> Pinned:
    return Pinned(
        decision=content.decision,
        kinds=frozenset(Kind(each) for each in run.permitted_kinds),
        recording_mode=RecordingMode.strictest_for(run.recording_mode),
        research_mode=run.mode,
    )


def bounds_now(run: ResearchRun, content: RunContent, acting: ShortScopes) -> Bounds:
    """Return what the policy in force leaves of the run's bounds. Call it in the owner's scope.

    Raises: StopError: the policy has no such intent any more, permits none of its kinds or not its mode, or keeps no
                texts any more.
    """
    pinned = pinned_of(run, content)
    grant = narrow(gate(pinned.decision, policy_in_force()), pinned)
    require_same(run, grant)
    require_kept(run)
    require_mode_still(run)
    narrowed = (
        *(("policy",) if grant.policy_version_id != run.policy_version_id else ()),
        *(("scopes",) if len(acting.scope_ids) < len(run.scope_ids) else ()),
        *(("kinds",) if len(grant.permitted) < len(run.permitted_kinds) else ()),
    )
    allowed = Allowed(
        scope_ids=tuple(acting.scope_ids),
        policy_version=grant.policy_version,
        policy_version_id=grant.policy_version_id,
        kinds=tuple(kind.value for kind in grant.permitted),
        narrowed=narrowed,
    )
    return Bounds(pinned=pinned, allowed=allowed)


def kept_days() -> int:
    """Return for how many days the policy in force lets the texts of research be kept; 0: not at all."""
    return min(KEPT_DAYS, policy_in_force().retrieval.history_days)


def require_kept(run: ResearchRun) -> None:
    """Require that a run whose texts are kept may keep them under the policy in force. Raises: StopError."""
    if run.data_key_id is not None and not kept_days():
        raise StopError(state=RunState.STOPPED, reason="recording_changed")


def require_mode_still(run: ResearchRun) -> None:
    """Require that the policy in force permits the mode of a run that is under way. Raises: StopError."""
    if mode_problem(run.mode, run.intent) is not None:
        raise StopError(state=RunState.STOPPED, reason="mode_not_permitted")


def require_same(run: ResearchRun, grant: KindGrant) -> None:
    """Require that a grant is for the run's intent, permits something, and keeps texts as the run's does.

    Raises: StopError.
    """
    if grant.intent != run.intent:
        raise StopError(state=RunState.STOPPED, reason="intent_gone")
    if not grant.permitted:
        raise StopError(state=RunState.STOPPED, reason="nothing_permitted")
    if grant.recording_mode.value != run.recording_mode:
        raise StopError(state=RunState.STOPPED, reason="recording_changed")
