from apps.audit.models.checkpoint import Checkpoint
from apps.audit.models.data_key import DataKey
from apps.audit.models.event import Event, Outcome
from apps.audit.models.leaf import Leaf, Subtree, Unsealed
from apps.audit.models.payload import Payload
from apps.audit.models.purge import Purge, PurgeFigure, PurgePart, Reach
from apps.audit.models.removal import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.audit.models.retention import (
    RetentionCount,
    RetentionRule,
    RetentionSchedule,
    ScheduleOrigin,
    ScheduleStatus,
)

__all__ = [
    "Checkpoint",
    "DataKey",
    "Event",
    "Leaf",
    "Outcome",
    "Payload",
    "Purge",
    "PurgeFigure",
    "PurgePart",
    "Reach",
    "RemovalRun",
    "RemovalStep",
    "RemovalTarget",
    "RetentionCount",
    "RetentionRule",
    "RetentionSchedule",
    "ScheduleOrigin",
    "ScheduleStatus",
    "Subtree",
    "TargetOutcome",
    "Unsealed",
]
