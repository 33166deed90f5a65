"""Alarms about the log: logs that were not verified, and webhooks whose receivers accept nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from apps.audit.models import VerificationState
from apps.audit.verify.statements import CLOCKS_APART, OVERDUE_AFTER, Statement, newest
from apps.audit.verify.stating import exported_statements
from apps.sql_files import read_statements
from apps.tenants.alarms import TELL
from apps.tenants.registry import Alarm, Rows, Watch, Watched, register_watch
from apps.tenants.waits import LONGEST_WAIT

_SQL: Final = read_statements(__file__)
# How long an alarm is shown after an event was given up.
_GIVEN_UP_TOLD_FOR: Final = timedelta(days=1)

_VERIFIED: Final = _SQL["verified"]
_WEBHOOKS: Final = """
    SELECT w.tenant_id, w.pause_reason, w.given_up_at FROM audit_webhook w
     WHERE w.pause_reason IN ('failing', 'gone') OR w.given_up_at IS NOT NULL
     ORDER BY w.tenant_id, w.id
"""


def register_watches() -> None:
    register_watch(Watch(watched=Watched.VERIFICATION, sql=_VERIFIED, judge=_unverified, age=_oldest))
    register_watch(Watch(watched=Watched.WEBHOOKS, sql=_WEBHOOKS, judge=_not_taken))


def _statements(rows: Rows, now: datetime) -> Mapping[UUID, Statement | None]:
    """Return what the last verification of each tenant found. Raises: CheckpointExportError."""
    exported = exported_statements([row[0] for row in rows])
    return {
        id: newest(
            notes if isinstance(notes, list) else json.loads(notes), tenant_id=id, now=now, exported=exported.get(id)
        )
        for id, _, notes in rows
    }


def _oldest(rows: Rows, now: datetime) -> int | None:
    ages = [int((now - said.at).total_seconds()) for said in _statements(rows, now).values() if said is not None]
    return max(0, *ages) if ages else None


def _unverified(rows: Rows, now: datetime) -> Iterator[Alarm]:
    statements = _statements(rows, now)
    for tenant_id, created_at, _ in rows:
        said = statements[tenant_id]
        if said is None and now - OVERDUE_AFTER < created_at <= now + CLOCKS_APART:
            continue
        if said is None or now - said.at > OVERDUE_AFTER:
            last = "" if said is None else f" The last time was {said.at:%Y-%m-%d %H:%M} UTC."
            what = f"The log was not verified in the last 26 hours.{last}"
            todo = f"Verify it now. If the verification does not end: {TELL[0].lower()}{TELL[1:]}"
        elif said.state is VerificationState.FINDINGS:
            what, todo = "The log does not verify.", "See what was found, and what to do now."
        elif said.state is VerificationState.FAILED:
            what, todo = "The log could not be verified: nothing is proved until it is.", "See why, and what to do now."
        else:
            continue
        yield Alarm(
            watched=Watched.VERIFICATION,
            tenant_id=tenant_id,
            what=what,
            todo=todo,
            operators="See the worker and its log, GLASSBOX_LOG_SIGNING_KEY there and GLASSBOX_LOG_VERIFY_KEYS here.",
            page="audit_verification",
        )


def _not_taken(rows: Rows, now: datetime) -> Iterator[Alarm]:
    """Yield an alarm for each tenant with endpoints that were paused by the platform, or events that were given up."""
    paused: dict[Any, int] = {}
    given_up: dict[Any, int] = {}
    for tenant_id, reason, given_up_at in rows:
        if reason:
            paused[tenant_id] = paused.get(tenant_id, 0) + 1
        elif now - _GIVEN_UP_TOLD_FOR <= given_up_at <= now + LONGEST_WAIT:
            given_up[tenant_id] = given_up.get(tenant_id, 0) + 1
    for tenant_id in sorted(paused.keys() | given_up.keys()):
        if tenant_id in paused:
            one = paused[tenant_id] == 1
            what = f"{'A webhook was' if one else f'{paused[tenant_id]} webhooks were'} paused: nothing sent was taken."
        else:
            what = "A webhook did not accept an event for three days, and Glassbox gave up."
        yield Alarm(
            watched=Watched.WEBHOOKS,
            tenant_id=tenant_id,
            what=what,
            todo="See what the receiver answered, fix it, then resume the webhook or send the event again.",
            operators="It is the tenant's receiver; check that this installation can reach it.",
            page="webhooks",
        )
