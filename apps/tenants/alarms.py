"""Alarms: shown red on /health/ and on the start page of the people concerned, and mailed to the operators.

Each room registers what it watches (registry.Watch): an SQL statement that runs over all tenants, and a function that
judges its rows. That function judges by the clock of the asking process, so that a row with a time in the future
can't hide a problem.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import psycopg
from django.db import DatabaseError
from django.utils import timezone

from apps.errors import ApplicationError
from apps.tenants.clock import lasting, late_tasks
from apps.tenants.principals import Principal
from apps.tenants.registry import Alarm, Rows, Watched, watches
from apps.tenants.roles import Permission
from apps.tenants.sweeping import failing
from apps.tenants.waiting import LONG_S, waiting_now
from apps.tenants.watchdog import lately

logger = logging.getLogger("glassbox.alarms")

Ask = Callable[[str], Rows]


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
class Seen:
    """Everything that is wrong, and the ages that the watches report."""

    alarms: tuple[Alarm, ...]
    ages_s: Mapping[Watched, int | None]

    def of(self, tenant_id: UUID) -> tuple[Alarm, ...]:
        """Return the alarms of the tenant and those of the platform."""
        return tuple(alarm for alarm in self.alarms if alarm.tenant_id in (None, tenant_id))


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
    for watch in watches():
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
        what=f"The state of {watched.value} is unknown: its source can't be read.",
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
            operators=f"{there.count} wait. Check that `manage.py serve {kind.process}` is running, and read its "
            "log. If it is always busy, give it more --processes.",
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
                what="Scheduled tasks are not running.",
                todo=TELL,
                operators=(
                    f"Late: {names}{more}. Check that beat, clock and the other workers are running, and read their "
                    "logs."
                ),
            )
        )
    for doing, ids in failing().items():
        found += [
            Alarm(
                watched=Watched.SCHEDULE,
                tenant_id=UUID(each),
                what=f"A scheduled task fails for this tenant: {doing}.",
                todo=TELL,
                operators="The worker's log says for which item, and why.",
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
            what="A database session exceeded its time limit and was ended.",
            todo=TELL,
            operators=f"It belonged to {', '.join(roles)}. Glassbox's own statements end by themselves, so somebody "
            "may have removed the limit. Read the logs of beat and PostgreSQL.",
        )
    ]
