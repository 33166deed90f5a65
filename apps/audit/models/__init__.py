from apps.audit.models.attestation import Attestation, AttestationKind
from apps.audit.models.checkpoint import Checkpoint
from apps.audit.models.data_key import DataKey
from apps.audit.models.event import Event, Outcome
from apps.audit.models.leaf import Leaf, Subtree, Unsealed
from apps.audit.models.payload import Payload
from apps.audit.models.verification import Verification, VerificationState
from apps.audit.models.webhook import DeliveryState, PauseReason, Webhook, WebhookAttempt, WebhookDelivery

__all__ = [
    "Attestation",
    "AttestationKind",
    "Checkpoint",
    "DataKey",
    "DeliveryState",
    "Event",
    "Leaf",
    "Outcome",
    "PauseReason",
    "Payload",
    "Subtree",
    "Unsealed",
    "Verification",
    "VerificationState",
    "Webhook",
    "WebhookAttempt",
    "WebhookDelivery",
]
