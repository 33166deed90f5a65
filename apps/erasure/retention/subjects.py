"""What can be retained: the event classes, and what higher floors register in AppConfig.ready."""

from __future__ import annotations

from typing import Final

from apps.audit.registry import EventClass, Group, event_classes
from apps.erasure.declarations.retained import EVENT, RetainedSubject
from apps.erasure.registry import retained
from apps.erasure.retention.event_source import OCCURRED_AT, EventSource

_GROUPS: Final = {
    Group.CORE: "what happened",
    Group.ACTOR: "the acting person",
    Group.QUESTION: "the question",
    Group.ANSWER: "the answer",
    Group.PASSAGES: "the passages",
}
_source = EventSource()
_all: dict[str, RetainedSubject] = {}


def subjects() -> dict[str, RetainedSubject]:
    """By key: what is registered, by family and label, then the event classes."""
    # Registering only adds: as many as before are the same as before.
    if len(_all) != len(event_classes()) + len(retained()):
        _all.clear()
        _all.update(_made())
    return dict(_all)


def _made() -> dict[str, RetainedSubject]:
    own = sorted(retained(), key=lambda each: (each.family, each.label))
    events = sorted(map(_of_class, event_classes()), key=lambda each: each.label)
    return {each.key: each for each in (*own, *events)}


def _of_class(event_class: EventClass) -> RetainedSubject:
    # Every event has an actor group, whatever its class names.
    groups = [group for group in Group if group in event_class.fields or group is Group.ACTOR]
    return RetainedSubject(
        key=f"{EVENT}{event_class.action}",
        label=event_class.label,
        family="Events",
        source=_source,
        clocks={OCCURRED_AT: "when it happened"},
        clock=OCCURRED_AT,
        legal_basis=event_class.legal_basis,
        keep_months=event_class.retention_years * 12,
        minimum_months=event_class.retention_years * 12,
        groups={str(group): _GROUPS[group] for group in groups},
        page="audit_event_change",
    )
