"""Statements of what a verification found and when, signed by the worker: others can write rows, but not statements.

A statement is a note like that of a checkpoint, with its own origin:

    glassbox/verified/<tenant id>/<state>
    <when it ended, in microseconds since 1970, by the clock of the process>
    <SHA-256 of what the row says>

A process that needs to know whether a log was verified in time trusts only these, and compares them with its own clock.
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

# How far the clocks of two of our machines may differ.
CLOCKS_APART: Final = timedelta(minutes=5)
# A day and two hours. After that time, a verification was missed.
OVERDUE_AFTER: Final = timedelta(hours=26)
ORIGIN: Final = "glassbox/verified"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNIT: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Statement:
    """A finished verification, as the worker's key signed it."""

    at: datetime
    state: VerificationState


def state_verification(
    *, tenant_id: UUID, verification_id: UUID, state: VerificationState, at: datetime, result: dict[str, Any]
) -> str:
    """Return the signed note, or an empty text if this process has no key.

    A missing key is logged, because the row will not be trusted.
    """
    key: SigningKey | None = settings.GLASSBOX_LOG_SIGNING_KEY
    if key is None:
        logger.error("verification %s counts for nobody: GLASSBOX_LOG_SIGNING_KEY is not set here", verification_id)
        return ""
    told = hashlib.sha256(canonical_bytes({"verification": str(verification_id), "result": result})).digest()
    origin = f"{ORIGIN}/{tenant_id}/{state.value}"
    return signed(SignedState(origin=origin, size=(at - _EPOCH) // _UNIT, root=told), key)


def stated(note: str, *, tenant_id: UUID, now: datetime) -> Statement | None:
    """Return the statement of a note, or None if no known key signed it, or it is another tenant's or of the future."""
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
    """Return the last statement: the exported note's if there is one (stating.py), else the newest of the notes."""
    if exported is not None:
        return stated(exported, tenant_id=tenant_id, now=now)
    found = [each for note in notes if note and (each := stated(note, tenant_id=tenant_id, now=now)) is not None]
    return max(found, default=None)
