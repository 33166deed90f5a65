"""Ending a run without its physical proof, where that can't be made: asked by one person, agreed to by another.

A managed PostgreSQL gives nobody the access of the server's administrator, and a proof may fail again and again.
Without a way out such a run would stay where it is for ever; one that is not prepared would remove nothing at all. So
whoever manages privacy may ask to do without, with a reason, and somebody else who may approve agrees. From then on the
run is carried out as any other, every store counts zero, and it ends; what it ends with says that the physical phase
and the scan were not made, and why: the event in the log, the certificate, the pages. It is for good: what was removed
unseen can't be looked for later.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import models, transaction
from django.utils import timezone

from apps.erasure import events
from apps.erasure.contracts import Proof, RunState
from apps.erasure.errors import RemovalError
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import locked_run, require_read, run_take_up
from apps.tenants.context import current_scope
from apps.tenants.leased_jobs import enqueue
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission
from apps.tenants.second_person import require_second_person


class Unproven(models.TextChoices):
    """Why no physical proof is made, as a code: the certificate says it for ever."""

    NO_ADMINISTRATOR = "no_administrator", "Nobody has administrator access to the database server"
    KEEPS_FAILING = "keeps_failing", "Control, physical phase or scan could not be completed"
    NEEDLES_LOST = "needles_lost", "The list of what to search for is lost"
    RESIDUE = "residue", "Traces were found on the disk, out of reach of Glassbox"


# Where the run has nothing of its own to do any more, or nothing that it could.
MAY_ASK: Final = (RunState.APPROVED, RunState.VERIFYING, RunState.FAILED)


def unproven_ask(run_id: UUID, reason: Unproven, *, revision: int) -> RemovalRun:
    """Ask that a run ends without a physical proof, in the principal's own name. Until somebody agrees nothing changes.

    Args:   revision: of the run that was read, here and in the steps below.
    Raises: PermissionDeniedError; RemovalError: also where it has none to make, two people have decided already, or the
            proof is not what keeps it.
    """
    person = _person(Permission.PRIVACY_MANAGE)
    with transaction.atomic():
        run = _undecided(run_id, revision)
        run.unproven_code, run.unproven_asked_by, run.unproven_asked_at = Unproven(reason), person, timezone.now()
        run.save(update_fields=["unproven_code", "unproven_asked_by", "unproven_asked_at"])
        events.record_run(events.UNPROVEN_ASKED, run, code=run.unproven_code)
    return run


def unproven_take_back(run_id: UUID, *, revision: int) -> RemovalRun:
    """Take back what one asked oneself: the run goes on to its physical proof. Raises: as unproven_ask."""
    person = _person(Permission.PRIVACY_MANAGE)
    with transaction.atomic():
        run = _undecided(run_id, revision)
        if run.unproven_asked_by != person:
            raise RemovalError("audit.removal_not_unproven")
        code = run.unproven_code
        run.unproven_code, run.unproven_asked_by, run.unproven_asked_at = "", None, None
        run.save(update_fields=["unproven_code", "unproven_asked_by", "unproven_asked_at"])
        events.record_run(events.UNPROVEN_TAKEN_BACK, run, code=code)
    return run


def unproven_agree(run_id: UUID, *, revision: int) -> RemovalRun:
    """Agree to what somebody else asked: the run goes on at once, and ends without a physical proof, for good.

    Raises: PermissionDeniedError; RemovalError: also where nobody asked, it was agreed to, or the same person asked.
    """
    person = _person(Permission.PRIVACY_APPROVE)
    with transaction.atomic():
        run = _undecided(run_id, revision)
        if run.unproven_asked_by is None:
            raise RemovalError("audit.removal_not_unproven")
        if run.unproven_asked_by == person:
            raise RemovalError("audit.removal_unproven_own")
        require_second_person(run.unproven_asked_by)
        run.unproven_agreed_by, run.unproven_agreed_at = person, timezone.now()
        run.decided_revision = revision
        agreed = ["unproven_agreed_by", "unproven_agreed_at", "decided_revision"]
        code, asked_by = run.unproven_code, str(run.unproven_asked_by)
        if run.state == RunState.FAILED:
            run_take_up(run, events.UNPROVEN_AGREED, besides=agreed, code=code, asked_by=asked_by)
        else:
            run.save(update_fields=agreed)
            events.record_run(events.UNPROVEN_AGREED, run, code=code, asked_by=asked_by)
            enqueue(run)
    return run


def _undecided(run_id: UUID, revision: int) -> RemovalRun:
    run = locked_run(run_id)
    if run.proof != Proof.PHYSICAL or run.is_unproven:
        raise RemovalError("audit.removal_not_unproven")
    if run.state not in MAY_ASK:
        raise RemovalError(
            "audit.removal_run_state", act="ended without a physical proof", state=run.get_state_display().lower()
        )
    require_read(run, revision)
    return run


def _person(permission: Permission) -> UUID:
    principal = current_scope().principal
    principal.require(permission)
    if principal.kind is not PrincipalKind.USER or principal.id is None:
        raise RemovalError("audit.removal_person_needed")
    return principal.id
