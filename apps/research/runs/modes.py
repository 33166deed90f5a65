"""Hold the mode of research against the compliance profile of the policy in force."""

from __future__ import annotations

from collections.abc import Sequence

from apps.intents.contracts import FALLBACK_NAME
from apps.intents.profile.means import modes_in_words, permitted_modes, rules_against
from apps.intents.profile_words import name_rule
from apps.intents.selectors import policy_in_force
from apps.research.errors import RunError
from apps.research.models import RunMode


def choose_mode(suggested: RunMode, permitted: Sequence[RunMode]) -> RunMode:
    """Return of the permitted modes the one nearest to what a plan suggests, rather less far than farther.

    Without a permitted one it is the suggested one, which is refused then.
    """
    order = list(RunMode)
    reach = order.index(suggested)
    below = [each for each in permitted if order.index(each) <= reach]
    above = [each for each in permitted if order.index(each) > reach]
    return max(below, key=order.index) if below else min(above, key=order.index, default=suggested)


def modes_for(intent: str) -> tuple[RunMode, ...]:
    """Return the modes that the policy in force permits for questions of an intent. Call it in a scope."""
    return tuple(map(RunMode, permitted_modes(policy_in_force().profile, intent or FALLBACK_NAME)))


def mode_problem(mode: str, intent: str) -> RunError | None:
    """Return why the policy in force does not let questions of an intent be researched in a mode; None if it does.

    Call it in a scope.
    """
    policy, name = policy_in_force(), intent or FALLBACK_NAME
    against = rules_against(policy.profile, name, mode)
    if not against:
        return None
    return RunError(
        "research.mode_not_permitted",
        rule=", the ".join(name_rule(rule) for rule in against),
        intent=policy.label_of(intent),
        mode=modes_in_words([mode]),
        modes=modes_in_words(permitted_modes(policy.profile, name)),
        reason=against[0].text,
    )
