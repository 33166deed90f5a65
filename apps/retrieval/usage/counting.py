"""Count requests to models from the log, newest first, up to a limit.

The ends of requests tell tokens and cost. The intent is told by the event of the question, which names its requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.reporting.contracts import Looked, Period
from apps.audit.selectors import readings_of
from apps.corpus.providers.base.receivers import Purpose
from apps.corpus.providers.recording import RETURNED
from apps.intents.contracts import UNRECOGNISED
from apps.retrieval.events import DECIDED
from apps.retrieval.services.unknown_ends import END_UNKNOWN
from apps.retrieval.usage.contracts import Figures, Sort, Usage
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import all_tenants, current_tenant
from apps.tenants.sweeping import each_that_can

# Of the ends of requests, and of the questions. A request's core is decrypted in a fraction of a millisecond.
LIMIT: Final = 10_000
LONGEST_DAYS: Final = 366
NAME_OF_UNRECOGNISED: Final = "unrecognised"
_BATCH: Final = 500
# A question is recorded after its requests, and not later than this.
_AFTERWARDS: Final = timedelta(hours=1)


def model_usage(period: Period, *, limit: int = LIMIT) -> Usage:
    """Return the figures of the requests to models that the open scope's principal may see.

    Args:    limit: the most ends of requests to decrypt, which are the newest of the period.
    Raises:  PermissionDeniedError.
    Costs:   a count, and two queries per batch of ends and of questions.
    """
    current_scope().principal.require(Permission.AUDIT_VIEW)
    tenant = str(current_tenant().slug)
    ends = _between(period.start, period.end, RETURNED)
    total, intents = ends.count(), _intents(period, limit)
    lines: dict[Sort, Figures] = {}
    looked_at = removed = damaged = 0
    ended: set[UUID | None] = set()
    oldest: datetime | None = None
    for batch in _batches(ends, limit):
        readings = readings_of(batch, groups=(Group.CORE,))
        for event in batch:
            damaged += bool(readings[event.id].problems)
            core = readings[event.id].payload.get(Group.CORE)
            if core is None:
                removed += not readings[event.id].problems
                continue
            if event.subject_id in ended and core.get("code") == END_UNKNOWN:
                # Its process could record the end after all.
                continue
            ended.add(event.subject_id)
            sort = Sort(
                day=event.occurred_at.astimezone(UTC).date(),
                tenant=tenant,
                intent=intents.get(str(event.subject_id), ""),
                of_documents=core.get("purpose") == Purpose.EMBED_PASSAGES,
                profile=str(core.get("profile", "")),
                model=str(core.get("model", "")),
            )
            lines.setdefault(sort, Figures()).add(_figures(core))
        looked_at += len(batch)
        oldest = batch[-1].occurred_at
    looked = Looked(
        total=total,
        looked_at=looked_at,
        since=oldest if looked_at < total else None,
        removed=removed,
        damaged=damaged,
    )
    return Usage(period=period, looked=looked, lines=_newest_first(lines))


def model_usage_of_all(period: Period) -> Usage:
    """Return the same over every tenant, for an operator: counts, by tenant, and nothing of a question.

    Costs: as model_usage, for each tenant.
    """

    def counted(tenant_id: TenantId) -> Usage:
        with open_scope(tenant=tenant_id, reason="count requests to models for the platform"):
            return model_usage(period)

    tenants = [TenantId(each.id) for each in all_tenants()]
    found = each_that_can(tenants, counted, doing="count requests to models")
    lines = {sort: figures for usage in found for sort, figures in usage.lines}
    since = [usage.looked.since for usage in found if usage.looked.since]
    looked = Looked(
        total=sum(usage.looked.total for usage in found),
        looked_at=sum(usage.looked.looked_at for usage in found),
        since=max(since) if since else None,
        removed=sum(usage.looked.removed for usage in found),
        damaged=sum(usage.looked.damaged for usage in found),
    )
    return Usage(period=period, looked=looked, lines=_newest_first(lines))


def _newest_first(lines: Mapping[Sort, Figures]) -> tuple[tuple[Sort, Figures], ...]:
    by_name = sorted(
        lines.items(),
        key=lambda line: (line[0].tenant, line[0].intent, line[0].of_documents, line[0].profile, line[0].model),
    )
    return tuple(sorted(by_name, key=lambda line: line[0].day, reverse=True))


def _figures(core: Mapping[str, Any]) -> Figures:
    """Return the figures of one request."""
    read, written, first = (_number(core.get(name)) for name in ("input_tokens", "output_tokens", "first_byte_ms"))
    cost, currency = _cost(core), str(core.get("currency", ""))
    known = cost is not None and bool(currency)
    return Figures(
        requests=1,
        failed=int(bool(core.get("code"))),
        unknown_ends=int(core.get("code") == END_UNKNOWN),
        repeated=int((_number(core.get("attempt")) or 1) > 1),
        input_tokens=int(read or 0),
        output_tokens=int(written or 0),
        unstated=int(read is None and written is None),
        # An unknown end names no price, whether one was set or not.
        unpriced=int(not core.get("price") and core.get("code") != END_UNKNOWN),
        costed=int(known),
        costs={currency: cost} if known and cost is not None else {},
        answered=int(first is not None),
        first_bytes_ms=float(first or 0),
    )


def _intents(period: Period, limit: int) -> dict[str, str]:
    """Return the intent of the question that each request was made for, by the id of the request's first event."""
    found: dict[str, str] = {}
    for batch in _batches(_between(period.start, period.end + _AFTERWARDS, *DECIDED), limit):
        readings = readings_of(batch, groups=(Group.CORE,))
        for event in batch:
            core = readings[event.id].payload.get(Group.CORE, {})
            intent = core.get("intent", "")
            name = NAME_OF_UNRECOGNISED if intent == UNRECOGNISED else str(intent)
            found |= dict.fromkeys(map(str, core.get("calls", ())), name)
    return found


def _between(start: datetime, end: datetime, *actions: str) -> QuerySet[Event]:
    found: QuerySet[Event] = Event.objects.filter(action__in=actions, occurred_at__gte=start, occurred_at__lt=end)
    return found


def _batches(events: QuerySet[Event], limit: int) -> Iterator[list[Event]]:
    """Yield batches, newest first, each beginning where the previous one ended."""
    newest, beyond, left = events.order_by("-occurred_at", "-id"), Q(), limit
    while left > 0:
        batch = list(newest.filter(beyond)[: min(_BATCH, left)])
        if not batch:
            return
        yield batch
        left -= len(batch)
        last: tuple[datetime, UUID] = (batch[-1].occurred_at, batch[-1].id)
        beyond = Q(occurred_at__lt=last[0]) | Q(occurred_at=last[0], id__lt=last[1])


def _number(value: object) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _cost(core: Mapping[str, Any]) -> Decimal | None:
    try:
        return Decimal(core["cost"]) if isinstance(core.get("cost"), str) else None
    except InvalidOperation:
        return None
