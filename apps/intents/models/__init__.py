from apps.intents.models.absence import Absence
from apps.intents.models.approval import PolicyApproval
from apps.intents.models.comment import ReviewComment, Turn
from apps.intents.models.golden import GoldenExample, GoldenVector
from apps.intents.models.intent import IntentTerm, PolicyIntent, PolicyIntentKind
from apps.intents.models.kind_budget import KindBudget
from apps.intents.models.notice import Happening, Notice
from apps.intents.models.profile import PolicyProfileRule
from apps.intents.models.proof import PolicyInvariant, PolicyProof
from apps.intents.models.recertification import CertifiedGrant, GrantDecision, Recertification
from apps.intents.models.version import PolicyVersion, VersionOrigin, VersionStatus

__all__ = [
    "Absence",
    "CertifiedGrant",
    "GoldenExample",
    "GoldenVector",
    "GrantDecision",
    "Happening",
    "IntentTerm",
    "KindBudget",
    "Notice",
    "PolicyApproval",
    "PolicyIntent",
    "PolicyIntentKind",
    "PolicyInvariant",
    "PolicyProfileRule",
    "PolicyProof",
    "PolicyVersion",
    "Recertification",
    "ReviewComment",
    "Turn",
    "VersionOrigin",
    "VersionStatus",
]
