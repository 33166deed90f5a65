from apps.audit.models.checkpoint import Checkpoint
from apps.audit.models.data_key import DataKey
from apps.audit.models.erasure_request import ErasureRequest, Letter
from apps.audit.models.event import Event, Outcome
from apps.audit.models.leaf import Leaf, Subtree, Unsealed
from apps.audit.models.payload import Payload
from apps.audit.models.removal import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome

__all__ = [
    "Checkpoint",
    "DataKey",
    "ErasureRequest",
    "Event",
    "Leaf",
    "Letter",
    "Outcome",
    "Payload",
    "RemovalRun",
    "RemovalStep",
    "RemovalTarget",
    "Subtree",
    "TargetOutcome",
    "Unsealed",
]
