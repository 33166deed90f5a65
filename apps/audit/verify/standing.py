"""The state of a tenant's log: what is in it, what its last verification found, and what is running."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from apps.audit.errors import CheckpointExportError
from apps.audit.log.export.state import ExportState, attesting_problems, export_state
from apps.audit.log.lag import SealingLag, sealing_lag
from apps.audit.log.timestamps import TimestampService
from apps.audit.models import (
    Attestation,
    AttestationKind,
    Checkpoint,
    Event,
    Leaf,
    Verification,
    VerificationState,
)
from apps.audit.models.verification import FINISHED, MOVING
from apps.audit.verify.requests import LOOKED_AT, REQUESTED_ACTION
from apps.audit.verify.statements import OVERDUE_AFTER, Statement, stated
from apps.audit.verify.stating import exported_statements
from apps.tenants.context import current_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Attested:
    """The newest attestation by a witness or service that the settings name.

    by: its name. size, at: of the newest checkpoint that it attested.
    """

    by: str
    label: str
    size: int | None
    at: datetime | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogState:
    """The log and its checkpoints.

    events: including those that wait. place: where checkpoints are exported to. attested: by those that the settings
    name.
    """

    leaves: int
    last_sealed_at: datetime | None
    lag: SealingLag
    checkpoint_size: int | None
    checkpoint_at: datetime | None
    exported: ExportState
    place: str
    attested: tuple[Attested, ...]

    @property
    def events(self) -> int:
        return self.leaves + self.lag.waiting


class Verdict(StrEnum):
    """The current judgement of the log. A person must act on the first two."""

    FINDINGS = "findings"
    FAILED = "failed"
    OVERDUE = "overdue"
    INTACT = "intact"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The verdict with its verifications. last: the newest finished one; moving: one that waits or runs now."""

    verdict: Verdict
    last: Verification | None
    moving: Verification | None

    @property
    def was_last_night(self) -> bool:
        return self.last is not None and self.last.night is not None


def log_state() -> LogState:
    """Return the state of the open scope's log. Costs: three queries, one for each witness, and the cache."""
    last: Leaf | None = Leaf.objects.order_by("-index").first()
    checkpoint: Checkpoint | None = Checkpoint.objects.order_by("-size").defer("root", "note").first()
    return LogState(
        leaves=0 if last is None else last.index + 1,
        last_sealed_at=None if last is None else last.sealed_at,
        lag=sealing_lag(),
        checkpoint_size=None if checkpoint is None else checkpoint.size,
        checkpoint_at=None if checkpoint is None else checkpoint.created_at,
        exported=export_state(current_scope().tenant_id),
        place=settings.GLASSBOX_CHECKPOINT_URL,
        attested=_attested(),
    )


def _attested() -> tuple[Attested, ...]:
    service: TimestampService | None = settings.GLASSBOX_TIMESTAMPS
    named = [(AttestationKind.COSIGNATURE, each.key.name) for each in settings.GLASSBOX_WITNESSES]
    named += [] if service is None else [(AttestationKind.TIMESTAMP, service.url)]
    problems = attesting_problems(current_scope().tenant_id) if named else {}
    found = []
    for kind, by in named:
        last = Attestation.objects.filter(kind=kind, by=by).order_by("-size").first()
        size, at = (None, None) if last is None else (last.size, last.told_at)
        found.append(Attested(by=by, label=str(kind.label), size=size, at=at, problem=problems.get(by, "")))
    return tuple(found)


def standing() -> Standing:
    """Return the standing of the open scope's log. If the outside place can't be read, nothing is trusted.

    Costs: three queries.
    """
    moving: Verification | None = Verification.objects.filter(state__in=MOVING).first()
    tenant_id, now = current_scope().tenant_id, timezone.now()
    try:
        exported = exported_statements([tenant_id]).get(tenant_id)
    except CheckpointExportError:
        return Standing(verdict=Verdict.NEVER, last=None, moving=moving)
    if exported is not None:
        said = stated(exported, tenant_id=tenant_id, now=now)
        told: Verification | None = Verification.objects.filter(note=exported, state__in=FINISHED).first()
        return Standing(verdict=_verdict(said), last=told, moving=moving)
    # Order the rows by id, which tells when they were made. A row that claims another time is one of several, and its
    # signed note tells.
    rows = Verification.objects.filter(state__in=FINISHED).exclude(note="").order_by("-id")[:LOOKED_AT]
    believed = [
        (statement, row)
        for row in rows
        if (statement := stated(row.note, tenant_id=row.tenant_id, now=now)) and statement.state == row.state
    ]
    said, last = max(believed, key=lambda each: each[0].at) if believed else (None, None)
    return Standing(verdict=_verdict(said), last=last, moving=moving)


def _verdict(said: Statement | None) -> Verdict:
    if said is None:
        return Verdict.NEVER
    if said.state is VerificationState.FINDINGS:
        return Verdict.FINDINGS
    if said.state is VerificationState.FAILED:
        return Verdict.FAILED
    return Verdict.OVERDUE if timezone.now() - said.at > OVERDUE_AFTER else Verdict.INTACT


def starters(verifications: Iterable[Verification]) -> Mapping[UUID, str]:
    """Return who requested each verification, by its event. Scheduled ones and removed names are absent."""
    ids = [each.id for each in verifications if each.started_by is not None]
    found = Event.objects.filter(subject_id__in=ids, action=REQUESTED_ACTION) if ids else Event.objects.none()
    return {event.subject_id: event.actor_label for event in found if event.actor_label}
