"""Which means a profile lets answer a question of an intent: the model that writes, its region, and the research."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from apps.intents.profile.contracts import ProfileRule, RuleSort
from apps.intents.profile.values import VALUES

DIRECT: Final = "direct"
"""The mode of whatever is asked outside of research."""


def lets_write(rule: ProfileRule, *, model: str, region: str) -> bool:
    """Return whether a rule lets a model in a region write; a rule about something else lets any."""
    if rule.sort is RuleSort.MODELS:
        return model in rule.terms
    return rule.sort is not RuleSort.REGIONS or region in rule.terms


def rules_of_modes(rules: Iterable[ProfileRule], intent: str) -> tuple[ProfileRule, ...]:
    """Return the rules that bound how far questions of an intent are researched."""
    return tuple(rule for rule in rules if rule.sort is RuleSort.RESEARCH_MODES and rule.holds_for(intent))


def rules_against(rules: Iterable[ProfileRule], intent: str, mode: str) -> tuple[ProfileRule, ...]:
    """Return the rules that do not let questions of an intent be researched in a mode."""
    return tuple(rule for rule in rules_of_modes(rules, intent) if mode not in rule.terms)


def permitted_modes(rules: Sequence[ProfileRule], intent: str) -> tuple[str, ...]:
    """Return the modes that every rule permits for questions of an intent, the least far first."""
    return tuple(mode for mode in VALUES[RuleSort.RESEARCH_MODES] if not rules_against(rules, intent, mode))


def modes_in_words(modes: Iterable[str]) -> str:
    """Return modes as people read them: "Direct, Standard"; "none" for none of them."""
    named = VALUES[RuleSort.RESEARCH_MODES]
    return ", ".join(named[mode].label if mode in named else mode for mode in modes) or "none"
