"""What a verification found and when, signed by the worker that made it: rows can be written by others, this can't.

A note as checkpoints are, of an origin of its own:

    glassbox/verified/<tenant id>/<state>
    <when it ended, in microseconds since 1970, by the clock of the process>
    <SHA-256 of what the row says>

Whoever asks whether a log was verified in time believes these alone, and compares with the clock of their own process.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from apps.audit.canonical import canonical_bytes
from apps.audit.log.notes import Checkpoint as SignedState
from apps.audit.log.notes import InvalidNoteError, SigningKey, opened, signed
from apps.audit.models import VerificationState

logger = logging.getLogger("glassbox.audit")

# How far the clocks of two of our machines may be apart.
CLOCKS_APART: Final = timedelta(minutes=5)
# A night and two hours: later than that, a verification was missed.
OVERDUE_AFTER: Final = timedelta(hours=26)
ORIGIN: Final = "glassbox/verified"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNIT: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Statement:
    """A verification that ended, as the worker's key says it."""

    at: datetime
    state: VerificationState


def state_verification(
    *, tenant_id: UUID, verification_id: UUID, state: VerificationState, at: datetime, result: dict[str, Any]
) -> str:
    """The signed note; empty where this process has no key, which is logged: nobody will believe the row."""
    key: SigningKey | None = settings.GLASSBOX_LOG_SIGNING_KEY
    if key is None:
        logger.error("verification %s counts for nobody: GLASSBOX_LOG_SIGNING_KEY is not set here", verification_id)
        return ""
    told = hashlib.sha256(canonical_bytes({"verification": str(verification_id), "result": result})).digest()
    origin = f"{ORIGIN}/{tenant_id}/{state.value}"
    return signed(SignedState(origin=origin, size=(at - _EPOCH) // _UNIT, root=told), key)


def stated(note: str, *, tenant_id: UUID, now: datetime) -> Statement | None:
    """What a note says; None where no key that we know has signed it, of another tenant, or of a time to come."""
    try:
        found = opened(note, settings.GLASSBOX_LOG_VERIFY_KEYS)
    except InvalidNoteError:
        return None
    start = f"{ORIGIN}/{tenant_id}/"
    if not found.origin.startswith(start) or found.size > (now + CLOCKS_APART - _EPOCH) // _UNIT:
        return None
    at = _EPOCH + found.size * _UNIT
    return Statement(at=at, state=VerificationState(found.origin.removeprefix(start)))


def newest(notes: Iterable[str], *, tenant_id: UUID, now: datetime, exported: str | None = None) -> Statement | None:
    """What was last stated: by the exported note alone where there is one (stating.py); else of several, the last."""
    if exported is not None:
        return stated(exported, tenant_id=tenant_id, now=now)
    found = [each for note in notes if note and (each := stated(note, tenant_id=tenant_id, now=now)) is not None]
    return max(found, default=None)
