"""The category of events in which the person acted, or that are about their account, memberships or keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.audit.errors import UnregisteredActionError
from apps.audit.models import Event
from apps.audit.registry import Group, event_class, event_classes
from apps.audit.reporting.questions import before
from apps.audit.selectors import GroupState, Reading, readings_of
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import (
    ANOTHER_PERSON,
    YOU,
    Category,
    Entry,
    Page,
    Person,
)
from apps.privacy.my_data.event_fields import shown_fields
from apps.tenants.principals import PrincipalKind

BATCH: Final = 500
# Subject types with which an event names a person; all other types name things.
_PEOPLES: Final = frozenset({"user", "membership", "api_key"})
# Fields in which an event about something else, such as a scope, names the person that it concerns.
_CONCERNED: Final = frozenset({"user_id", "person_id", "membership_id", "api_key_id", "reader_id"})
_GROUP_NAMES: Final[Mapping[Group, str]] = {
    Group.CORE: "details",
    Group.QUESTION: "question",
    Group.ANSWER: "answer",
}
_ACTORS: Final[Mapping[str, str]] = {
    PrincipalKind.USER: ANOTHER_PERSON,
    PrincipalKind.API_KEY: "a program of the firm",
    PrincipalKind.SYSTEM: "the system",
}


def events_of(person: Person) -> QuerySet[Event]:
    """Return the events whose rows name the person, that the open scope shows, up to the time of the package."""
    found: QuerySet[Event] = Event.objects.filter(_named(person), occurred_at__lte=person.until)
    return found


def _named(person: Person) -> Q:
    mine = [person.id, *person.memberships, *person.keys]
    acted = Q(actor_kind=PrincipalKind.USER.value, actor_id=person.id)
    return acted | Q(subject_type__in=_PEOPLES, subject_id__in=mine)


def _looked_at(person: Person) -> QuerySet[Event]:
    """Return the events whose rows name the person, and those whose content may do so, newest first.

    Only reading the content tells whether an event of the second sort names the person.
    """
    inside = [each.action for each in event_classes() if each.fields.get(Group.CORE, frozenset()) & _CONCERNED]
    may_name = Q(action__in=inside) & ~Q(subject_type__in=_PEOPLES)
    found: QuerySet[Event] = Event.objects.filter(_named(person) | may_name, occurred_at__lte=person.until)
    return found.order_by("-occurred_at", "-id")


def _events(person: Person, after: object | None) -> Page:
    events = _looked_at(person)
    if isinstance(after, Event):
        events = events.filter(before(after))
    batch = list(events[:BATCH])
    readings = readings_of(batch, groups=tuple(_GROUP_NAMES))
    entries = [entry for event in batch if (entry := _entry(event, readings[event.id], person)) is not None]
    return Page(entries=entries, after=batch[-1] if len(batch) == BATCH else None)


def _entry(event: Event, reading: Reading, person: Person) -> Entry | None:
    acted = _acted(event, person)
    about_self = event.subject_type in _PEOPLES and person.is_meant(event.subject_id)
    if not acted and not about_self and not _concerns(reading, person):
        return None
    # Questions and answers of other people are not shown, even where the event is about this person.
    groups = tuple(_GROUP_NAMES) if acted else (Group.CORE,)
    own_key = event.subject_type == "api_key" and person.is_meant(event.subject_id)
    entry: dict[str, Any] = {
        "at": at(event.occurred_at),
        "what": _label(event.action),
        "action": event.action,
        "outcome": event.outcome,
        "who": YOU if acted else _ACTORS.get(event.actor_kind, "the system"),
        "your_name_then": event.actor_label if acted else None,
        "about": _about(event, person),
        "id": str(event.id),
    }
    for group in groups:
        shown = shown_fields(
            group,
            reading.payload.get(group, {}),
            person,
            own_key=own_key,
            acted_in=event.action if acted else "",
        )
        if shown:
            entry[_GROUP_NAMES[group]] = shown
    notes = list(_notes(reading, groups))
    if notes:
        entry["notes"] = notes
    return entry


def _acted(event: Event, person: Person) -> bool:
    return event.actor_kind == PrincipalKind.USER.value and event.actor_id == person.id


def _concerns(reading: Reading, person: Person) -> bool:
    core = reading.payload.get(Group.CORE, {})
    return any(core.get(name) and person.is_meant(core[name]) for name in _CONCERNED)


def _about(event: Event, person: Person) -> str:
    if event.subject_type in _PEOPLES:
        words = {"user": "your account", "membership": "your role", "api_key": "a key of yours"}
        if person.is_meant(event.subject_id):
            return words[event.subject_type]
        return "a key of the firm or of another person" if event.subject_type == "api_key" else ANOTHER_PERSON
    thing = event.subject_type.replace("_", " ")
    return f"{thing} {event.subject_id}" if event.subject_id else thing


def _notes(reading: Reading, groups: Iterable[Group]) -> Iterable[str]:
    """Yield a note for each part of an event that was removed or can't be read, so that no gap goes unmentioned."""
    for group in groups:
        match reading.states.get(group):
            case GroupState.REMOVED:
                yield f"The {_GROUP_NAMES[group]} were removed." if group is Group.CORE else f"The {group} was removed."
            case GroupState.DAMAGED:
                yield f"The part “{_GROUP_NAMES[group]}” can't be read: tell the data protection officer."


def _label(action: str) -> str:
    """Return the label of an action, or the action itself where this release does not know it any more."""
    try:
        return event_class(action).label
    except UnregisteredActionError:
        return action


EVENTS: Final = Category(
    key="events",
    title="What you did, and what was done to your account",
    about=(
        "Events of the audit log in which you acted or that are about you, newest first. The text of your question "
        "appears here if the firm's policy keeps it; otherwise only that you asked. Answers are not kept as text; "
        "the outcome of the question is. Other people who took part appear as “another person”."
    ),
    purpose="To show later what happened, by what rules, and that nobody changed the record.",
    legal_basis="By kind of event: mostly 6(1)(c) legal obligation",
    source="The system, at the moment of each act; the words of a question come from you.",
    retention=(
        "By kind of event: see “How long events are kept” in the file. What an event says about you can be removed "
        "when your account is erased."
    ),
    fields={
        "at": "When (UTC)",
        "what": "What",
        "outcome": "Outcome",
        "who": "Who",
        "about": "About",
        "your_name_then": "Your name then",
        "question": "Your question",
        "answer": "Outcome",
        "details": "Details",
        "notes": "Note",
        "action": "Action",
        "id": "Id",
    },
    read=_events,
)
