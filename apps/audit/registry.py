"""What the rooms above declare to the log: the kinds of events, which of them webhooks are told of, and how parts show.

Of every kind of event its fields by group, why it may be kept, and for how long. A room registers its own in
`AppConfig.ready`. Recording an action or a field that is not here raises, so nothing
reaches the log that nobody has thought about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from uuid import UUID

from apps.audit.errors import UnregisteredActionError, UnregisteredFieldError

if TYPE_CHECKING:
    from django.http import HttpRequest


class Group(StrEnum):
    """Field groups are the unit of a later erasure: each can be removed without the others."""

    CORE = "core"  # what the regulator needs: ids, versions, counts, outcomes
    ACTOR = "actor"  # what concerns the acting person beyond the surrogate id
    QUESTION = "question"
    ANSWER = "answer"
    PASSAGES = "passages"


# What binds an event that something acts upon to what it tells of; audit_record holds it (sql/recording.sql).
# Removal of parts of events: the eraser, for parts that an executing run names, or a restore repeats.
REMOVAL_NAMED: Final = ("removal",)
# The end of a tenant: the eraser, for a run that names it, or a restore that repeats it.
TENANT_NAMED: Final = ("tenant",)
# What a restore says: the owner of the tables alone, as whom nothing runs; and the eraser, while the owner repeats.
RESTORES: Final = ("restore",)
REPEATS: Final = ("repeated",)


def made_with(table: str, at: str, *, key: str = "id", once: bool = True) -> tuple[str, ...]:
    """Bound to a row of a table that was made in the very transaction, and only the first time that it is told of.

    Args: at: the column of the time that the server sets. key: the column that the event's subject is found by.
          once: whether an event of the class is there but once for a subject.
    """
    return ("made" if once else "made again", table, key, at)


# Instead of permissions: every token may write events of the class.
ANYBODY: Final = frozenset({"anybody"})
# And of an account, whoever it is of: the event's subject is the person who acts.
THEMSELVES: Final = frozenset({"themselves"})
# The field of the actor's group that every event has, beside those of its class: the name of that moment.
ACTOR_LABEL = "actor_label"
# And this one, where a request was what it came of: its name in the answer's X-Request-ID and in the logs.
ACTOR_REQUEST = "http_request_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventClass:
    """One kind of event.

    action: dotted, `app.thing.verb_in_the_past`.
    fields: group -> names of the fields that its payload may hold.
    permissions: one of these the token of whoever writes it must hold (apps/tenants/roles.py), and the database sees to
        that (classes_table.py): an event that vouches for a decision is written by nobody who could not take it. None:
        the platform's own token, which may write every class. ANYBODY: any token. THEMSELVES: the token of the person
        who is the event's subject. Where each of them is one to approve by, the second factor was just used as well.
    binding: of a class whose events something acts upon, such as a sweep, a trigger or a verifier: what the database
        asks for before it believes one. tests/isolation/test_bindings.py names a class that lacks it.
    legal_basis: the GDPR article 6 ground for keeping it.
    retention_years: how long it must be kept, counted from the event.
    """

    action: str
    label: str
    fields: Mapping[Group, frozenset[str]]
    permissions: frozenset[str] = frozenset()
    binding: tuple[str, ...] = ()
    legal_basis: str = "6(1)(c) legal obligation"
    retention_years: int = 7

    @property
    def groups(self) -> frozenset[str]:
        """Those that an event of the class may have: its own, and who acted."""
        return frozenset(map(str, self.fields)) | {Group.ACTOR}

    @property
    def required(self) -> frozenset[str]:
        """Those that it has in any case: who acted, and what the regulator needs."""
        return self.groups & {Group.ACTOR, Group.CORE}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGroup:
    """What became of a group that an event was written with, in words for its page, and what binds its content."""

    group: str
    title: str
    state: str
    tone: str
    note: str
    commitment: str


# Returns a line for each group of an event, as templates/glassbox/event.html shows it: the room that holds parts of
# events says who keeps each, and how to hold it.
PartLines = Callable[["HttpRequest", UUID, Sequence[KeptGroup]], Sequence[object]]

_classes: dict[str, EventClass] = {}
_offered: dict[str, None] = {}
_part_lines: list[PartLines] = []


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


def offer_to_webhooks(*actions: str) -> None:
    """Let webhooks be told of registered classes. Raises UnregisteredActionError.

    A delivery names what an event was done to. So a class whose subject is a person, or an account, is not offered: its
    deliveries would be a record of who did what when, out of the reach of any erasure.
    """
    for action in actions:
        event_class(action)
        _offered[action] = None


def offered_actions() -> tuple[str, ...]:
    return tuple(sorted(_offered))


def register_part_lines(lines: PartLines) -> None:
    """Set what makes the lines. Raises: ValueError: another room has."""
    if _part_lines and _part_lines != [lines]:
        raise ValueError("The lines of an event's parts are made by another room already")
    _part_lines[:] = [lines]


def part_lines(request: HttpRequest, event_id: UUID, groups: Sequence[KeptGroup]) -> Sequence[object]:
    [lines] = _part_lines
    return lines(request, event_id, groups)
