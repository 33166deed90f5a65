"""The report on a period's questions, read from the sealed records in batches, newest first, up to a limit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.reporting.contracts import DECIDED, FAILED, REJECTED, Looked, Period, Report
from apps.audit.reporting.tally import Tally, readable
from apps.audit.selectors import GroupState, readings_of
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

# Measured on two busy cores: 3,000 questions of twenty passages each in 3.1 s, almost all of it decryption.
LIMIT: Final = 3_000
BATCH: Final = 500
LONGEST_DAYS: Final = 366


def question_report(period: Period, *, scope_id: UUID | None = None, limit: int = LIMIT) -> Report:
    """Return the figures of the questions that the open scope's principal may see.

    Args:    scope_id: only questions that could reach this scope; None for all.
             limit: the most questions to decrypt, which are the newest of the period.
    Raises:  PermissionDeniedError.
    Costs:   a count, and two queries per batch; about 1 ms per question.
    """
    current_scope().principal.require(Permission.AUDIT_VIEW)
    events = _events(period, scope_id)
    total, tally = events.count(), Tally(period)
    looked_at = removed = damaged = 0
    oldest: datetime | None = None
    for batch in _batches(events, limit):
        readings = readings_of(batch, groups=(Group.CORE, Group.PASSAGES))
        for event in batch:
            reading = readings[event.id]
            removed += event.action in DECIDED and GroupState.REMOVED in reading.states.values()
            damaged += bool(reading.problems)
            core, hits = readable(reading.payload)
            tally.add(action=event.action, outcome=event.outcome, at=event.occurred_at, core=core, hits=hits)
        looked_at += len(batch)
        oldest = batch[-1].occurred_at
    looked = Looked(
        total=total,
        looked_at=looked_at,
        since=oldest if looked_at < total else None,
        removed=removed,
        damaged=damaged,
    )
    return Report(period=period, looked=looked, tables=tally.tables())


def _events(period: Period, scope_id: UUID | None) -> QuerySet[Event]:
    events: QuerySet[Event] = Event.objects.filter(
        action__in=(*DECIDED, REJECTED, FAILED), occurred_at__gte=period.start, occurred_at__lt=period.end
    )
    return events if scope_id is None else events.filter(scope_ids__contains=[scope_id])


def _batches(events: QuerySet[Event], limit: int) -> Iterator[list[Event]]:
    """Yield batches, newest first, each beginning where the previous one ended."""
    newest = events.order_by("-occurred_at", "-id")
    left, beyond = limit, Q()
    while left > 0:
        batch = list(newest.filter(beyond)[: min(BATCH, left)])
        if not batch:
            return
        yield batch
        left -= len(batch)
        beyond = before(batch[-1])


def before(event: Event) -> Q:
    """Return the condition for events that come after this one in a list that is ordered newest first.

    The condition lets the query begin at the event's place in the index.
    """
    return Q(occurred_at__lte=event.occurred_at) & (Q(occurred_at__lt=event.occurred_at) | Q(id__lt=event.id))
