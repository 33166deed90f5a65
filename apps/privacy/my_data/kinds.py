"""How long each kind of event is kept: the minimum of its class, and the rules of the schedule in force."""

from __future__ import annotations

from collections.abc import Iterable

from apps.audit.errors import UnregisteredActionError
from apps.audit.registry import EventClass, event_class
from apps.erasure.declarations.retained import EVENT
from apps.erasure.retention.content import Rule
from apps.erasure.retention.months import in_words
from apps.erasure.retention.selectors import rules_of, schedule_in_force
from apps.privacy.my_data.contracts import Entry


def kinds(actions: Iterable[str]) -> list[Entry]:
    """Return an entry for each kind of event, ordered by action. Costs: two queries."""
    return [_kind(action, known, rules) for action, known, rules in rules_by_kind(actions)]


def rules_by_kind(actions: Iterable[str]) -> list[tuple[str, EventClass | None, list[Rule]]]:
    """Return each distinct action with its class (None where it is no longer registered) and its rules in force."""
    schedule = schedule_in_force()
    rules: dict[str, list[Rule]] = {}
    for rule in rules_of(schedule) if schedule else ():
        rules.setdefault(rule.subject, []).append(rule)
    return [(action, known_class(action), rules.get(f"{EVENT}{action}", [])) for action in sorted(set(actions))]


def known_class(action: str) -> EventClass | None:
    """Return the class of an action, or None where this release does not know the action."""
    try:
        return event_class(action)
    except UnregisteredActionError:
        return None


def _kind(action: str, known: EventClass | None, rules: list[Rule]) -> Entry:
    if known is None:
        return {"action": action, "what": action, "legal_basis": None, "at_least": None, "in_force": []}
    basis = next((rule.legal_basis for rule in rules if not rule.group), known.legal_basis)
    return {
        "action": action,
        "what": known.label,
        "legal_basis": basis,
        "at_least": in_words(known.retention_years * 12),
        "in_force": [_rule(rule) for rule in rules] or ["no later rule: as long as required, and until it is purged"],
    }


def _rule(rule: Rule) -> str:
    part = f"the {rule.group}: " if rule.group else ""
    gone = f", gone after {in_words(rule.remove_months)}" if rule.remove_months is not None else ""
    return f"{part}kept for {in_words(rule.keep_months)}{gone}"
