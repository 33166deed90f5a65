"""The findings and the report of a verification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from apps.audit.models.verification import UNPROVEN

# This many findings are kept to be shown; all are counted.
MOST_KEPT: Final = 1_000


class FindingClass(StrEnum):
    """The classes of the offline verifier (offline.py explains each), without those that concern files."""

    ALTERED_EVENT = "ALTERED_EVENT"
    MISSING_EVENT = "MISSING_EVENT"
    MISSING_LEAF = "MISSING_LEAF"
    EXTRA_LEAF = "EXTRA_LEAF"
    UNSEALED = "UNSEALED"
    WRONG_SUBTREE = "WRONG_SUBTREE"
    TRUNCATED = "TRUNCATED"
    INCONSISTENT = "INCONSISTENT"
    INVALID_CHECKPOINT = "INVALID_CHECKPOINT"
    FOREIGN_CHECKPOINT = "FOREIGN_CHECKPOINT"
    ALTERED_GROUP = "ALTERED_GROUP"
    UNKNOWN_GROUP = "UNKNOWN_GROUP"
    UNVOUCHED_EVENT = "UNVOUCHED_EVENT"
    UNAUTHORISED_REMOVAL = "UNAUTHORISED_REMOVAL"
    INCOMPLETE_ERASURE = "INCOMPLETE_ERASURE"
    INVALID_ATTESTATION = "INVALID_ATTESTATION"
    ALTERED_SCOPES = "ALTERED_SCOPES"
    ALTERED_TERMS = "ALTERED_TERMS"
    FOREIGN_EVENT = "FOREIGN_EVENT"
    UNSIGNED_REMOVAL = "UNSIGNED_REMOVAL"
    UNSIGNED_TAIL = "UNSIGNED_TAIL"


class Result(StrEnum):
    INTACT = "intact"
    FAILED = "failed"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong. index: of a leaf. size: of a checkpoint, in leaves. words: for a person."""

    kind: FindingClass
    words: str
    index: int | None = None
    event_id: UUID | None = None
    group: str | None = None
    size: int | None = None

    def __str__(self) -> str:
        places = (
            ("leaf", self.index),
            ("event", self.event_id),
            ("group", self.group),
            ("checkpoint of", self.size),
        )
        where = ", ".join(f"{name} {value}" for name, value in places if value is not None)
        return f"{self.kind:<22}{where}: {self.words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How much was checked.

    groups: that are present; opened: of these, compared with their commitment; removed: groups that are missing.
    """

    leaves: int = 0
    groups: int = 0
    opened: int = 0
    removed: int = 0
    checkpoints: int = 0
    unsealed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReport:
    """The state of one tenant's log at one moment.

    first: the first leaf whose event was checked; size: how many leaves the log has.
    root: over all leaves, 32 bytes; None if leaves are missing.
    checkpoint: leaves of the outside checkpoint that the log was compared with; None without one.
    covered: leaves below the newest signed checkpoint that fits. No signature covers the leaves after it, the tail,
    yet.
    findings: the first MOST_KEPT; totals: all findings, by class.
    """

    tenant_id: UUID
    origin: str
    first: int
    size: int
    root: bytes | None
    checkpoint: int | None
    covered: int
    has_contents: bool
    checked: Checked
    findings: tuple[Finding, ...]
    totals: Mapping[FindingClass, int]
    started_at: datetime
    elapsed_s: float

    @property
    def is_intact(self) -> bool:
        return not self.totals

    @property
    def result(self) -> Result:
        if self.is_intact:
            return Result.INTACT
        return Result.FAILED if self.totals.keys() - UNPROVEN else Result.UNPROVEN

    @property
    def tail(self) -> int:
        return self.size - max(self.covered, self.first)


@dataclass(slots=True)
class Findings:
    """Collects findings. All are counted, but only the first MOST_KEPT are kept, to limit memory."""

    kept: list[Finding] = field(default_factory=list)
    totals: Counter[FindingClass] = field(default_factory=Counter)

    def add(self, kind: FindingClass, words: str, **place: object) -> None:
        self.totals[kind] += 1
        if len(self.kept) < MOST_KEPT:
            self.kept.append(Finding(kind=kind, words=words, **place))  # type: ignore[arg-type]
