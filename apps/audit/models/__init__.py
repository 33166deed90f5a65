from apps.audit.models.certificate import Certificate
from apps.audit.models.checkpoint import Checkpoint
from apps.audit.models.data_key import DataKey
from apps.audit.models.event import Event, Outcome
from apps.audit.models.hold import Because, HeldItem, LegalHold, Restriction
from apps.audit.models.leaf import Leaf, Subtree, Unsealed
from apps.audit.models.payload import Payload
from apps.audit.models.removal import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.audit.models.verification import Verification, VerificationState

__all__ = [
    "Because",
    "Certificate",
    "Checkpoint",
    "DataKey",
    "Event",
    "HeldItem",
    "Leaf",
    "LegalHold",
    "Outcome",
    "Payload",
    "RemovalRun",
    "RemovalStep",
    "RemovalTarget",
    "Restriction",
    "Subtree",
    "TargetOutcome",
    "Unsealed",
    "Verification",
    "VerificationState",
]
