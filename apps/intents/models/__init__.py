from apps.intents.models.comment import ReviewComment
from apps.intents.models.golden import GoldenExample, GoldenVector
from apps.intents.models.intent import IntentTerm, PolicyIntent, PolicyIntentKind
from apps.intents.models.profile import PolicyProfileRule
from apps.intents.models.proof import PolicyInvariant, PolicyProof
from apps.intents.models.recertification import CertifiedGrant, GrantDecision, Recertification
from apps.intents.models.version import KindBudget, PolicyVersion, VersionOrigin, VersionStatus

__all__ = [
    "CertifiedGrant",
    "GoldenExample",
    "GoldenVector",
    "GrantDecision",
    "IntentTerm",
    "KindBudget",
    "PolicyIntent",
    "PolicyIntentKind",
    "PolicyInvariant",
    "PolicyProfileRule",
    "PolicyProof",
    "PolicyVersion",
    "Recertification",
    "ReviewComment",
    "VersionOrigin",
    "VersionStatus",
]
