from apps.audit.models.access import AccessPackage
from apps.audit.models.attestation import Attestation, AttestationKind
from apps.audit.models.certificate import Certificate
from apps.audit.models.checkpoint import Checkpoint
from apps.audit.models.data_key import DataKey
from apps.audit.models.erasure_request import ErasureRequest, Letter
from apps.audit.models.event import Event, Outcome
from apps.audit.models.hold import Because, HeldItem, LegalHold, Restriction
from apps.audit.models.inventory import Inventory, InventoryHit, InventoryTreatment
from apps.audit.models.leaf import Leaf, Subtree, Unsealed
from apps.audit.models.payload import Payload
from apps.audit.models.purge import Purge, PurgeFigure, PurgePart, Reach
from apps.audit.models.removal import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.audit.models.restoration import Restoration, RestorationState, Supplement
from apps.audit.models.retention import (
    RetentionCount,
    RetentionRule,
    RetentionSchedule,
    ScheduleOrigin,
    ScheduleStatus,
)
from apps.audit.models.tombstone import TombstoneMark
from apps.audit.models.verification import Verification, VerificationState
from apps.audit.models.webhook import DeliveryState, PauseReason, Webhook, WebhookAttempt, WebhookDelivery

__all__ = [
    "AccessPackage",
    "Attestation",
    "AttestationKind",
    "Because",
    "Certificate",
    "Checkpoint",
    "DataKey",
    "DeliveryState",
    "ErasureRequest",
    "Event",
    "HeldItem",
    "Inventory",
    "InventoryHit",
    "InventoryTreatment",
    "Leaf",
    "LegalHold",
    "Letter",
    "Outcome",
    "PauseReason",
    "Payload",
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
    "Subtree",
    "Supplement",
    "TargetOutcome",
    "TombstoneMark",
    "Unsealed",
    "Verification",
    "VerificationState",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
]
