"""How a tenant's log stands: what is in it, what was last found of it, and what is going on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from apps.audit.log.export.state import ExportState, export_state
from apps.audit.log.lag import SealingLag, sealing_lag
from apps.audit.models import Checkpoint, Event, Leaf, Verification, VerificationState
from apps.audit.models.verification import FINISHED, MOVING
from apps.audit.verify.requests import REQUESTED_ACTION
from apps.tenants.context import current_scope

# A night and two hours: later than that, one was missed.
OVERDUE_AFTER: Final = timedelta(hours=26)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogState:
    """events: with those that wait. place: where checkpoints are exported to."""

    leaves: int
    last_sealed_at: datetime | None
    lag: SealingLag
    checkpoint_size: int | None
    checkpoint_at: datetime | None
    exported: ExportState
    place: str

    @property
    def events(self) -> int:
        return self.leaves + self.lag.waiting


class Verdict(StrEnum):
    """What can be said of the log now. The first two are what a person must not pass over."""

    FINDINGS = "findings"
    FAILED = "failed"
    OVERDUE = "overdue"
    INTACT = "intact"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """last: the newest that is finished; moving: one that waits or runs now."""

    verdict: Verdict
    last: Verification | None
    moving: Verification | None

    @property
    def was_last_night(self) -> bool:
        return self.last is not None and self.last.night is not None


def log_state() -> LogState:
    """Of the open scope's tenant. Costs: three queries, and the cache."""
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
    )


def standing() -> Standing:
    """Of the open scope's tenant. Costs: two queries."""
    last: Verification | None = Verification.objects.filter(state__in=FINISHED).order_by("-finished_at").first()
    moving: Verification | None = Verification.objects.filter(state__in=MOVING).first()
    return Standing(verdict=_verdict(last), last=last, moving=moving)


def _verdict(last: Verification | None) -> Verdict:
    if last is None or last.finished_at is None:
        return Verdict.NEVER
    if last.state == VerificationState.FINDINGS:
        return Verdict.FINDINGS
    if last.state == VerificationState.FAILED:
        return Verdict.FAILED
    return Verdict.OVERDUE if timezone.now() - last.finished_at > OVERDUE_AFTER else Verdict.INTACT


def starters(verifications: Iterable[Verification]) -> Mapping[UUID, str]:
    """Who asked for each, by the event that tells it: nobody for the clock, and where the name was removed."""
    ids = [each.id for each in verifications if each.started_by is not None]
    found = Event.objects.filter(subject_id__in=ids, action=REQUESTED_ACTION) if ids else Event.objects.none()
    return {event.subject_id: event.actor_label for event in found if event.actor_label}
