"""Whether a change takes two reviewers: by the rule of the version in force, so that no draft lowers it for itself.

Pure. sql/reviewers.sql asks the same, and holds it against every role of the application.
"""

from __future__ import annotations

from apps.intents.contracts import PolicySnapshot
from apps.intents.diff_words import RECOGNITION, SCORING
from apps.intents.reviewers import TwoFor


def two_wanted_for(in_force: PolicySnapshot, after: PolicySnapshot) -> str:
    """Return for what the version in force asks two reviewers of this change, in words; empty where one suffices.

    A change of the rule itself takes two wherever there is a rule.
    """
    rule = set(in_force.two_reviewers_for)
    if not rule:
        return ""
    if TwoFor.EVERYTHING in rule:
        return TwoFor.EVERYTHING.words
    if set(after.two_reviewers_for) != rule:
        return "a change of this rule itself"
    if TwoFor.WIDER_REACH in rule and _is_wider(in_force, after):
        return TwoFor.WIDER_REACH.words
    if TwoFor.INVARIANTS in rule and set(in_force.invariants) != set(after.invariants):
        return TwoFor.INVARIANTS.words
    if TwoFor.PROFILE in rule and in_force.profile != after.profile:
        return TwoFor.PROFILE.words
    return ""


def _is_wider(before: PolicySnapshot, after: PolicySnapshot) -> bool:
    lower = any(getattr(after.classifier, name) < getattr(before.classifier, name) for name in RECOGNITION)
    # Whichever way one of these goes, some questions come over the thresholds that did not before.
    scored = any(getattr(after.classifier, name) != getattr(before.classifier, name) for name in SCORING)
    return lower or scored or bool(_reach(after) - _reach(before))


def _reach(policy: PolicySnapshot) -> set[tuple[str, str]]:
    named = [(rule.name, rule.kinds) for rule in policy.intents]
    return {(name, kind.value) for name, kinds in (*named, ("", policy.fallback.kinds)) for kind in kinds}
