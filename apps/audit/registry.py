"""What the packages above declare to the log: classes of events, those that webhooks may send, and how parts are shown.

Each class of events names its fields by group, why it may be kept, and for how long. A package registers its classes in
`AppConfig.ready`. Recording an action or a field that is not registered raises, so that nothing reaches the log that
nobody has thought about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from uuid import UUID

from apps.audit.errors import LogError, UnregisteredActionError

if TYPE_CHECKING:
    from django.http import HttpRequest


class Group(StrEnum):
    """A field group, the unit of a later erasure: each group can be removed without the others."""

    CORE = "core"  # what the regulator needs: ids, versions, counts, outcomes
    ACTOR = "actor"  # what concerns the acting person beyond the surrogate id
    QUESTION = "question"
    ANSWER = "answer"
    PASSAGES = "passages"


# The binding of a class whose events trigger an action: what must be true before audit_record accepts one
# (sql/recording.sql).
# REMOVAL_NAMED, for the removal of parts of events: written by the eraser, for parts that an executing run names or a
# restore repeats.
REMOVAL_NAMED: Final = ("removal",)
# TENANT_NAMED, for the end of a tenant: written by the eraser, for a run that names the tenant or a restore that
# repeats it.
TENANT_NAMED: Final = ("tenant",)
# RESTORES and REPEATS, for restores: written by the owner of the tables, as whom no service runs, and by the eraser
# while the owner repeats removals.
RESTORES: Final = ("restore",)
REPEATS: Final = ("repeated",)


def made_with(table: str, at: str, *, key: str = "id", once: bool = True) -> tuple[str, ...]:
    """Return the binding to a row that was made in the same transaction, by default accepted only once per subject.

    Args: at: the column of the time that the server sets. key: the column that holds the event's subject.
          once: whether a subject may have only one event of the class.
    """
    return ("made" if once else "made again", table, key, at)


# A value for `permissions`: every token may write events of the class.
ANYBODY: Final = frozenset({"anybody"})
# A value for `permissions`: every account may write the event if its subject is the person who acts.
THEMSELVES: Final = frozenset({"themselves"})
# Every event has this field in the actor's group, beside those of its class: the actor's name at that moment.
ACTOR_LABEL = "actor_label"
# An event that results from a request also has this field: the request's name in the X-Request-ID header and in the
# logs.
ACTOR_REQUEST = "http_request_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventClass:
    """One class of events.

    action: dotted, `app.thing.verb_in_the_past`.
    fields: group -> names of the fields that its payload may hold.
    permissions: the writer's token must hold one of these (apps/tenants/roles.py), which the database checks
        (classes_table.py): nobody can write an event that vouches for a decision unless they could take that decision.
        Empty: only the platform's own token, which may write every class. ANYBODY: any token. THEMSELVES: the token of
        the person who is the event's subject. If all of them are permissions to approve, the second factor must also
        have been used recently.
    binding: for a class whose events trigger an action, such as a sweep, a trigger or a verifier: what the database
        requires before it accepts one. tests/isolation/test_bindings.py names a class that lacks it.
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
        """Return the groups that an event of the class may have: those of its fields, and the actor's."""
        return frozenset(map(str, self.fields)) | {Group.ACTOR}

    @property
    def required(self) -> frozenset[str]:
        """Return the groups that every event of the class has: the actor's, and the core if the class has one."""
        return self.groups & {Group.ACTOR, Group.CORE}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGroup:
    """The state of a group that an event was written with, in words for the event's page, and its commitment."""

    group: str
    title: str
    state: str
    tone: str
    note: str
    commitment: str


# Returns a line for each group of an event, as templates/glassbox/event.html shows it. The package that implements
# holds on parts of events says who keeps each group, and how to place a hold on it.
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
    """Return the class of an action. Raises UnregisteredActionError."""
    try:
        return _classes[action]
    except KeyError:
        raise UnregisteredActionError(action=action) from None


def event_classes() -> tuple[EventClass, ...]:
    return tuple(_classes[action] for action in sorted(_classes))


def check_fields(event_class: EventClass, payload: Mapping[str, Mapping[str, object]]) -> None:
    """Raise LogError if the payload holds a group or field that the class does not name."""
    unknown = [
        f"{group}.{name}"
        for group, values in payload.items()
        for name in values
        if name not in event_class.fields.get(Group(group), frozenset())
    ]
    if unknown:
        raise LogError("audit.unregistered_field", action=event_class.action, fields=", ".join(sorted(unknown)))


def offer_to_webhooks(*actions: str) -> None:
    """Let webhooks send events of registered classes. Raises UnregisteredActionError.

    A delivery names the subject of the event. So a class whose subject is a person or an account is not offered: its
    deliveries would record who did what when, where no erasure could reach them.
    """
    for action in actions:
        event_class(action)
        _offered[action] = None


def offered_actions() -> tuple[str, ...]:
    return tuple(sorted(_offered))


def register_part_lines(lines: PartLines) -> None:
    """Set the function that makes the lines. Raises: ValueError: another package has set one."""
    if _part_lines and _part_lines != [lines]:
        raise ValueError("The lines of an event's parts are made by another room already")
    _part_lines[:] = [lines]


def part_lines(request: HttpRequest, event_id: UUID, groups: Sequence[KeptGroup]) -> Sequence[object]:
    [lines] = _part_lines
    return lines(request, event_id, groups)
