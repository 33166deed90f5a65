"""Which means a profile lets answer a question of an intent: the model that writes, and where it is computed."""

from __future__ import annotations

from apps.intents.profile.contracts import ProfileRule, RuleSort


def lets_write(rule: ProfileRule, *, model: str, region: str) -> bool:
    """Return whether a rule lets a model in a region write; a rule about something else lets any."""
    if rule.sort is RuleSort.MODELS:
        return model in rule.terms
    return rule.sort is not RuleSort.REGIONS or region in rule.terms
