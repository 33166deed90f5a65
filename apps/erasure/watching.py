"""Raise an alarm for approved removals that make no progress."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from apps.erasure.contracts import RunState
from apps.sql_files import read_statements
from apps.tenants.alarms import TELL
from apps.tenants.registry import Alarm, Rows, Watch, Watched, register_watch
from apps.tenants.waits import LONGEST_WAIT

_SQL: Final = read_statements(__file__)
# The eraser takes up an approved removal within seconds; the prover may examine the disk only once a night.
REMOVED_WITHIN: Final = timedelta(minutes=10)
PROVED_WITHIN: Final = timedelta(hours=26)
# Retries come after one, two and four minutes. After this many in a row the run will not recover by itself.
_MOST_ATTEMPTS: Final = 3

_UNDER_WAY: Final = _SQL["under_way"]


def register_watches() -> None:
    register_watch(Watch(watched=Watched.REMOVALS, sql=_UNDER_WAY, judge=_stuck))


def _stuck(rows: Rows, now: datetime) -> Iterator[Alarm]:
    """Yield one alarm for each tenant, however many of its removals are stuck."""
    found: dict[Any, int] = {}
    for row in rows:
        if not _moves(row, now):
            found[row[0]] = found.get(row[0], 0) + 1
    for tenant_id, count in found.items():
        runs = "An approved removal does" if count == 1 else f"{count} approved removals do"
        yield Alarm(
            watched=Watched.REMOVALS,
            tenant_id=tenant_id,
            what=f"{runs} not continue.",
            todo=f"See why on its page. {TELL}",
            operators="Check that the eraser and the prover are running, and read their logs.",
            page="erasure_requests",
        )


def _moves(row: tuple[Any, ...], now: datetime) -> bool:
    _, state, waits_for_proof, approved_at, prepared_at, verifying_at, lease_until, next_at, attempts = row
    if state == RunState.VERIFYING:
        return _within(verifying_at, PROVED_WITHIN, now)
    if state == RunState.FAILED:
        # Without a time of the next attempt, a person must have the run tried again.
        return next_at is not None and attempts < _MOST_ATTEMPTS and _within(next_at, REMOVED_WITHIN, now)
    if state == RunState.APPROVED:
        # A run that was taken up again may have an old approval; next_attempt_at says when it was taken up.
        since = max(filter(None, (approved_at, prepared_at, next_at)), default=None)
        return _within(since, PROVED_WITHIN if waits_for_proof else REMOVED_WITHIN, now)
    until = max(filter(None, (lease_until, next_at)), default=None)
    return _within(until, REMOVED_WITHIN, now)


def _within(moment: datetime | None, longest: timedelta, now: datetime) -> bool:
    """Return whether the moment is at most `longest` ago, and at most LONGEST_WAIT ahead."""
    return moment is not None and now - longest <= moment <= now + LONGEST_WAIT
