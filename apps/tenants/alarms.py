"""Alarms: shown red on /health/ and on the start page of the people concerned, and mailed to the operators.

Each layer of the platform registers what it watches: an SQL statement that runs over all tenants, and a function that
judges its rows. That function judges by the clock of the asking process, so that a row with a time in the future
can't hide a problem.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import psycopg
from django.db import DatabaseError
from django.utils import timezone

from apps.errors import ApplicationError
from apps.tenants.clock import lasting, late_tasks
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.sweeping import failing
from apps.tenants.waiting import LONG_S, waiting_now
from apps.tenants.watchdog import lately

logger = logging.getLogger("glassbox.alarms")

Rows = Sequence[tuple[Any, ...]]
Ask = Callable[[str], Rows]


class Watched(StrEnum):
    """What is watched. The parts of the platform's health have the same names."""

    VERIFICATION = "verification"
    REMOVALS = "removals"
    SCHEDULE = "schedule"
    SESSIONS = "sessions"
    QUEUES = "queues"
    WEBHOOKS = "webhooks"


TELL: Final = "Tell the operator."
# An alarm concerns the people of a tenant who have one of these permissions.
CONCERNS: Final = {
    Watched.VERIFICATION: (Permission.AUDIT_VIEW,),
    Watched.REMOVALS: (Permission.PRIVACY_MANAGE, Permission.PRIVACY_APPROVE),
    Watched.SCHEDULE: (Permission.AUDIT_VIEW, Permission.PRIVACY_MANAGE),
    # For the operators alone: a tenant may not look into the platform's database sessions.
    Watched.SESSIONS: (),
    Watched.QUEUES: (Permission.JOB_RETRY,),
    Watched.WEBHOOKS: (Permission.TENANT_MANAGE,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """One thing that is wrong.

    tenant_id: the tenant concerned; None for the platform.
    what: a sentence that says what is wrong.
    todo: what a reader in the tenant can do.
    operators: what the operators should look at.
    page: the name of the admin page that shows more.
    """

    watched: Watched
    tenant_id: UUID | None
    what: str
    todo: str
    operators: str
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A registered watch.

    sql: a statement that runs within one open tenant, or over all tenants.
    judge: makes the alarms from the statement's rows and the present time.
    age: returns how many seconds ago the watched thing last went well, for the tenant where that is longest ago; None
        if it never did.
    """

    watched: Watched
    sql: str
    judge: Callable[[Rows, datetime], Iterable[Alarm]]
    age: Callable[[Rows, datetime], int | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Everything that is wrong, and the ages that the watches report."""

    alarms: tuple[Alarm, ...]
    ages_s: Mapping[Watched, int | None]

    def of(self, tenant_id: UUID) -> tuple[Alarm, ...]:
        """Return the alarms of the tenant and those of the platform."""
        return tuple(alarm for alarm in self.alarms if alarm.tenant_id in (None, tenant_id))


_watches: list[Watch] = []


def register_watch(watch: Watch) -> None:
    _watches.append(watch)


def concerns(principal: Principal) -> frozenset[Watched]:
    """Return the kinds of alarm that concern a person of a tenant."""
    return frozenset(watched for watched, of in CONCERNS.items() if any(principal.may(permission) for permission in of))


def look(ask: Ask, only: Collection[Watched] = tuple(Watched)) -> Seen:
    """Return everything that is wrong now.

    A watch whose statement fails becomes an alarm itself, and does not keep the other watches from running.

    Args: ask: runs a statement with the scopes open of the tenants to look at.
          only: which kinds to look at; all by default.
    """
    found: list[Alarm] = []
    ages: dict[Watched, int | None] = {}
    for watch in _watches:
        if watch.watched not in only:
            continue
        try:
            rows, now = ask(watch.sql), timezone.now()
            found += watch.judge(rows, now)
            if watch.age is not None:
                ages[watch.watched] = watch.age(rows, now)
        except (psycopg.Error, DatabaseError, ApplicationError) as error:
            # Do not log the error's message: a database's message may quote a row.
            logger.error("%s can't be watched: %s", watch.watched, type(error).__name__)  # noqa: TRY400
            found.append(_unknown(watch.watched))
    if Watched.SCHEDULE in only:
        found += _of_the_clock()
    if Watched.SESSIONS in only:
        found += _of_the_watchdog()
    if Watched.QUEUES in only:
        found += _of_the_queues()
    return Seen(alarms=tuple(found), ages_s=ages)


def _unknown(watched: Watched) -> Alarm:
    return Alarm(
        watched=watched,
        tenant_id=None,
        what=f"Nobody can say how it stands with {watched.value}: what tells it can't be read.",
        todo=TELL,
        operators="See the log of the web process.",
    )


def _of_the_queues() -> list[Alarm]:
    return [
        Alarm(
            watched=Watched.QUEUES,
            tenant_id=None,
            what=f"Of the {kind.label} that wait, the oldest has waited for {lasting(there.oldest_s)}.",
            todo=TELL,
            operators=f"{there.count} wait. See that `manage.py serve {kind.process}` runs, and its log; where it "
            "is always busy, give it more --processes.",
        )
        for kind, there in waiting_now().items()
        if there.oldest_s > LONG_S
    ]


def _of_the_clock() -> list[Alarm]:
    found = []
    late = late_tasks()
    if late:
        names = "; ".join(each.sentence for each in late[:3])
        more = f"; and {len(late) - 3} more" if len(late) > 3 else ""
        found.append(
            Alarm(
                watched=Watched.SCHEDULE,
                tenant_id=None,
                what="What the platform does by itself, by the clock, stands still.",
                todo=TELL,
                operators=f"Late: {names}{more}. See that beat, clock and the other workers run, and their logs.",
            )
        )
    for doing, ids in failing().items():
        found += [
            Alarm(
                watched=Watched.SCHEDULE,
                tenant_id=UUID(each),
                what=f"Something that must be done by the clock fails for this tenant: {doing}.",
                todo=TELL,
                operators="The worker's log says for which thing, and why.",
            )
            for each in ids
        ]
    return found


def _of_the_watchdog() -> list[Alarm]:
    roles = lately()
    if not roles:
        return []
    return [
        Alarm(
            watched=Watched.SESSIONS,
            tenant_id=None,
            what="Something in the database took longer than its limit allows, and was ended.",
            todo=TELL,
            operators=f"Of {', '.join(roles)}. A statement of ours ends by itself: somebody may have lifted the limit. "
            "See the log of beat, and PostgreSQL's.",
        )
    ]
