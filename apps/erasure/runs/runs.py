"""Propose, approve, reject and retry removal runs. The engine (engine.py) carries them out as glassbox_eraser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.erasure import events
from apps.erasure.contracts import (
    WHOLE,
    Origin,
    Proof,
    RunState,
    Target,
    TargetType,
)
from apps.erasure.errors import RemovalError
from apps.erasure.log_removal import ERASED, RemovalReason
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.registry import listener_of, stores_for
from apps.erasure.runs.closing import join_what_came
from apps.erasure.runs.expansion import expanded
from apps.erasure.runs.flow import RUNS
from apps.erasure.runs.in_flight import restrict_documents
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.flows.checks import require_permission, require_step
from apps.tenants.flows.table import Refusal, Step
from apps.tenants.leased_jobs import enqueue
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission

_AT_ONCE: Final = 5_000


class RejectionReason(StrEnum):
    """The reason for a rejection, as a code, because the event that states it is kept for ever."""

    WRONG_TARGETS = "wrong_targets"
    NOT_DUE = "not_due"
    MUST_BE_KEPT = "must_be_kept"
    WITHDRAWN = "withdrawn"


def run_propose(
    origin: Origin,
    origin_id: UUID,
    targets: Sequence[Target],
    reason: RemovalReason,
    *,
    staying: Sequence[Mapping[str, Any]] = (),
    redacted: Sequence[Mapping[str, Any]] = (),
    words: str = "",
) -> RemovalRun:
    """Propose to remove these targets, in the principal's own name, and freeze the list of targets.

    Args:    origin, origin_id: what the run is for; its listener is told of every step (registry.register_listener).
             targets: all of them. This function adds what scopes and tenants among them contain (expansion.expanded),
                 so that they are always frozen with their contents. For documents and people the caller names what
                 goes with them, because a retention rule that ends a document's time does not end that of the log.
             staying, redacted: see RemovalRun.
             words: the reason in the proposer's own words; the log keeps them.
    Returns: the run, waiting for the approval of another person.
    Raises:  PermissionDeniedError; RemovalError: a key acts, nothing is named, no store knows the type, there is no
             such part of an event, or it must stay, or the tenant is another.
    Costs:   a query for every 5,000 targets, and four more; with a scope or tenant, also those of expanded().
    """
    principal = _person(_proposes(origin))
    if any(target.type is TargetType.TENANT and target.id != principal.tenant_id for target in targets):
        raise RemovalError("audit.removal_of_another_tenant")
    wanted = sorted({*targets, *expanded([target for target in targets if target.type in WHOLE])})
    if not wanted:
        raise RemovalError("audit.removal_of_nothing")
    unknown = sorted({target.type for target in wanted if not stores_for(target.type)})
    if unknown:
        raise RemovalError("audit.removal_target_unknown", types=", ".join(unknown))
    _require_removable(wanted, any_part=origin == Origin.LOG)
    with transaction.atomic():
        run: RemovalRun = RemovalRun.objects.create(
            tenant_id=principal.tenant_id,
            origin=Origin(origin),
            origin_id=origin_id,
            reason_code=RemovalReason(reason),
            proposed_by=principal.id,
            staying=[dict(each) for each in staying],
            redacted=[dict(each) for each in redacted],
            proof=Proof.PHYSICAL if origin in settings.GLASSBOX_PHYSICAL_ORIGINS else Proof.COUNTS,
        )
        RemovalTarget.objects.bulk_create(
            (
                RemovalTarget(tenant_id=run.tenant_id, run=run, type=target.type, item_id=target.id, part=target.part)
                for target in wanted
            ),
            batch_size=_AT_ONCE,
        )
        run.frozen_at = timezone.now()
        run.save(update_fields=["frozen_at"])
        events.record_run(events.PROPOSED, run, targets=_by_type(wanted), words=words)
        tell(run)
    return run


def run_approve(run_id: UUID, *, revision: int) -> RemovalRun:
    """Approve a run, in the principal's own name. It is carried out at once and cannot be undone.

    If the run is for a request, from this transaction on only people who decide about privacy see the documents. Scopes
    and tenants of the run accept nothing new, and what came into them since the proposal is removed too (closing.py).

    Args:   revision: the revision of the run that the person read, as in every step.
    Raises: PermissionDeniedError; RemovalError: also where the principal proposed the run, so another
            person must approve it.
    """
    principal = _person(Permission.PRIVACY_APPROVE)
    with transaction.atomic():
        run = locked_run(run_id)
        require_step(RUNS, run, "approve", refused=_refused, revision=revision)
        joined = join_what_came(run)
        run.state = RunState.APPROVED
        run.approved_by, run.approved_at = principal.id, timezone.now()
        run.decided_revision = revision
        run.save(update_fields=["state", "approved_by", "approved_at", "decided_revision"])
        restrict_documents(run)
        targets = RemovalTarget.objects.filter(run=run).values_list("type", flat=True)
        events.record_run(
            events.APPROVED,
            run,
            targets=dict(sorted(Counter(targets).items())),
            proposed_by=str(run.proposed_by),
            joined=_by_type(joined),
        )
        enqueue(run)
        tell(run)
    return run


def run_reject(run_id: UUID, reason: RejectionReason, *, revision: int) -> RemovalRun:
    """Reject a run for good. Its proposer, or a person who manages privacy, withdraws it in the same way.

    Raises: PermissionDeniedError, RemovalError.
    """
    principal = require_permission(RUNS, "reject")
    if principal.kind is not PrincipalKind.USER:
        raise RemovalError("audit.removal_person_needed")
    with transaction.atomic():
        run = locked_run(run_id)
        require_step(RUNS, run, "reject", refused=_refused, revision=revision)
        run.state = RunState.REJECTED
        run.rejected_by, run.rejected_at = principal.id, timezone.now()
        run.rejection_code = RejectionReason(reason)
        run.decided_revision = revision
        run.save(update_fields=["state", "rejected_by", "rejected_at", "rejection_code", "decided_revision"])
        events.record_run(
            events.REJECTED,
            run,
            outcome=Outcome.REFUSED,
            rejection_code=run.rejection_code,
            proposed_by=str(run.proposed_by),
        )
        tell(run)
    return run


def run_retry(run_id: UUID, *, revision: int) -> RemovalRun:
    """Retry a failed run now, without waiting for its scheduled retry. Its approval stays valid.

    Raises: PermissionDeniedError, RemovalError.
    """
    require_permission(RUNS, "retry")
    with transaction.atomic():
        run = locked_run(run_id)
        require_step(RUNS, run, "retry", refused=_refused, revision=revision)
        run_take_up(run, events.RETRIED, error_code=run.error_code)
    return run


def tell(run: RemovalRun) -> None:
    """Tell the listener of the run's origin its new state, within the current transaction."""
    listener = listener_of(Origin(run.origin))
    if listener is not None:
        listener(origin_id=run.origin_id, run_id=run.id, state=RunState(run.state))


def target_of(row: RemovalTarget) -> Target:
    return Target(type=TargetType(row.type), id=row.item_id, part=row.part)


def run_take_up(run: RemovalRun, action: str, *, besides: Sequence[str] = (), **core: Any) -> None:
    """Mark a run to be carried out again, within the current transaction.

    Args: action: the event that says why. besides: further fields of the run to save.
    """
    run.state, run.error_code = RunState.APPROVED, ""
    run.finished_at, run.next_attempt_at = None, timezone.now()
    run.save(update_fields=["state", "error_code", "finished_at", "next_attempt_at", *besides])
    events.record_run(action, run, **core)
    enqueue(run)
    tell(run)


def _require_removable(targets: Iterable[Target], *, any_part: bool) -> None:
    """Raise RemovalError for a part of an event that does not exist, or that authorises removals itself.

    Args: any_part: accept any name of a part, because what was put into the log past the application may have any.
    """
    groups = [target for target in targets if target.type is TargetType.EVENT_GROUP]
    for target in groups:
        if not any_part and target.part not in set(Group):
            raise RemovalError(
                "audit.removal_target_refused", part=target.part, event=target.id, problem="is not a part of an event"
            )
    cores = [target.id for target in groups if target.part == Group.CORE]
    for start in range(0, len(cores), _AT_ONCE):
        proofs = Event.objects.filter(id__in=cores[start : start + _AT_ONCE], action=ERASED)
        for event_id in proofs.values_list("id", flat=True)[:1]:
            raise RemovalError(
                "audit.removal_target_refused",
                part=Group.CORE,
                event=event_id,
                problem="authorises removals, and so must stay",
            )


def _by_type(targets: Iterable[Target]) -> dict[str, int]:
    return {str(kind): count for kind, count in sorted(Counter(target.type for target in targets).items())}


def _proposes(origin: Origin) -> Permission:
    """Return the permission needed to propose a run. DOCUMENT_DELETE suffices only for the removal of a document."""
    may_manage = current_scope().principal.may(Permission.PRIVACY_MANAGE)
    return Permission.DOCUMENT_DELETE if origin is Origin.REMOVAL and not may_manage else Permission.PRIVACY_MANAGE


def _person(permission: Permission) -> Principal:
    principal = current_scope().principal
    principal.require(permission)
    if principal.kind is not PrincipalKind.USER:
        raise RemovalError("audit.removal_person_needed")
    return principal


def locked_run(run_id: UUID) -> RemovalRun:
    """Return the run, locked for update. Raises: RemovalError."""
    run: RemovalRun | None = RemovalRun.objects.select_for_update(no_key=True).filter(id=run_id).first()
    if run is None:
        raise RemovalError("audit.removal_run_not_found", run=run_id)
    return run


def _refused(run: RemovalRun, step: Step, because: Refusal) -> ApplicationError:
    if because is Refusal.CHANGED:
        return RemovalError("audit.removal_run_changed", run=run.id)
    if because is Refusal.OWN:
        return RemovalError("audit.removal_run_own")
    return RemovalError("audit.removal_run_state", act=step.done, state=run.get_state_display().lower())


def require_read(run: RemovalRun, revision: int) -> None:
    """Require that the run still has this revision. Raises: RemovalError: it has another."""
    if run.revision != revision:
        raise RemovalError("audit.removal_run_changed", run=run.id)
