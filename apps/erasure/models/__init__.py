from apps.erasure.models.certificate import Certificate
from apps.erasure.models.hold import Because, HeldItem, LegalHold, Restriction
from apps.erasure.models.purge import Purge, PurgeFigure, PurgePart, Reach
from apps.erasure.models.removal import RemovalRun
from apps.erasure.models.removal_ledger import RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.models.restoration import Restoration, RestorationState, Supplement
from apps.erasure.models.retention import (
    RetentionCount,
    RetentionRule,
    RetentionSchedule,
    ScheduleOrigin,
    ScheduleStatus,
)
from apps.erasure.models.tombstone import TombstoneMark

__all__ = [
    "Because",
    "Certificate",
    "HeldItem",
    "LegalHold",
    "Purge",
    "PurgeFigure",
    "PurgePart",
    "Reach",
    "RemovalRun",
    "RemovalStep",
    "RemovalTarget",
    "Restoration",
    "RestorationState",
    "Restriction",
    "RetentionCount",
    "RetentionRule",
    "RetentionSchedule",
    "ScheduleOrigin",
    "ScheduleStatus",
    "Supplement",
    "TargetOutcome",
    "TombstoneMark",
]
