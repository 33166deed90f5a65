"""Every kind of event there is: its fields by group, why it may be kept, and for how long.

An app registers its own in `AppConfig.ready`. Recording an action or a field that is not here raises, so nothing
reaches the log that nobody has thought about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from apps.audit.errors import UnregisteredActionError, UnregisteredFieldError


class Group(StrEnum):
    """Field groups are the unit of a later erasure: each can be removed without the others."""

    CORE = "core"  # what the regulator needs: ids, versions, counts, outcomes
    ACTOR = "actor"  # what concerns the acting person beyond the surrogate id
    QUESTION = "question"
    ANSWER = "answer"
    PASSAGES = "passages"


# The field of the actor's group that every event has, beside those of its class: the name of that moment.
ACTOR_LABEL = "actor_label"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventClass:
    """One kind of event.

    action: dotted, `app.thing.verb_in_the_past`.
    fields: group -> names of the fields that its payload may hold.
    legal_basis: the GDPR article 6 ground for keeping it.
    retention_years: how long it must be kept, counted from the event.
    """

    action: str
    label: str
    fields: Mapping[Group, frozenset[str]]
    legal_basis: str = "6(1)(c) legal obligation"
    retention_years: int = 7


_classes: dict[str, EventClass] = {}


def register(*classes: EventClass) -> None:
    for event_class in classes:
        known = _classes.get(event_class.action)
        if known is not None and known != event_class:
            raise ValueError(f"{event_class.action} is registered twice, differently")
        _classes[event_class.action] = event_class


def event_class(action: str) -> EventClass:
    """Raises UnregisteredActionError."""
    try:
        return _classes[action]
    except KeyError:
        raise UnregisteredActionError(action=action) from None


def event_classes() -> tuple[EventClass, ...]:
    return tuple(_classes[action] for action in sorted(_classes))


def check_fields(event_class: EventClass, payload: Mapping[str, Mapping[str, object]]) -> None:
    """Raises UnregisteredFieldError when the payload holds a group or field that the class does not name."""
    unknown = [
        f"{group}.{name}"
        for group, values in payload.items()
        for name in values
        if name not in event_class.fields.get(Group(group), frozenset())
    ]
    if unknown:
        raise UnregisteredFieldError(action=event_class.action, fields=", ".join(sorted(unknown)))
