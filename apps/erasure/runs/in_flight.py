"""What goes on beside a run for a request: nobody reads on, and what was recorded meanwhile goes too.

A question that is being answered from a document while its erasure is approved has read it, and would record that. So
the documents are restricted in the approval's own transaction, and whoever records what they found in documents looks
once more whether it may still be read, and keeps runs waiting until that is committed (keep_removals_waiting). The
eraser waits for those before it looks at anything; from then on nothing new names the documents. What the log holds of
them is found then, and once more at the end, and joins the run. Of people and scopes, what was recorded since the run
was proposed joins it: what was there before, somebody looked at.

Of a purge nothing joins: how long the log keeps what it holds is for the rules about the log to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.models import Event
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because, RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.runs.concerning import event_groups_of
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import TenantId

# A tenant's own end closes its log as a whole (apps/erasure/stores/declared.py).
_SINCE_PROPOSED: Final = frozenset({TargetType.USER, TargetType.SCOPE})
# An event is written no later than its scope token ends.
_LONGEST_WRITE: Final = timedelta(minutes=1)


def restrict_documents(run: RemovalRun) -> None:
    """Take the documents of a run for a request out of everybody's sight, in the open transaction, in all scopes."""
    if run.origin != Origin.REQUEST:
        return
    ids = RemovalTarget.objects.filter(run=run, type=TargetType.DOCUMENT).values_list("item_id", flat=True)
    documents = [Target(type=TargetType.DOCUMENT, id=id) for id in ids]
    if documents:
        with open_scope(tenant=TenantId(run.tenant_id), reason="restrict what is to be removed"):
            restrict(documents, Because.REQUEST, run.origin_id)


def keep_removals_waiting() -> None:
    """Before documents that a record names are looked at once more: no run begins until the open transaction ends.

    Whoever looks after this sees every restriction of a run that has begun, and a run that begins later finds what
    they recorded. Costs: one query.
    """
    _lock("pg_advisory_xact_lock_shared")


def keep_records_out() -> None:
    """Wait for what is being recorded or taken in, and let nothing be before the open transaction ends."""
    _lock("pg_advisory_xact_lock")


def await_records(tenant_id: TenantId, run_id: UUID) -> None:
    """Before a run is begun: wait for what is being recorded of documents. Not in a transaction.

    Recording takes milliseconds, however long the question took; what comes after waits no longer than that either.
    """
    with open_scope(tenant=tenant_id, reason="wait for records before a removal"):
        if not RemovalStep.objects.filter(run_id=run_id).exists():
            keep_records_out()


def taken_along(run: RemovalRun, going: Iterable[Target], known: Iterable[Target]) -> list[RemovalTarget]:
    """Add to the run the parts of events that concern what goes and that it does not name yet. Returns: the rows added.

    The database adds no others (removal_targets.sql). Costs: a query for each type of target, and one for every
    5,000 parts.
    """
    if run.origin != Origin.REQUEST:
        return []
    by_type = sorted(going)
    new = {*event_groups_of([target for target in by_type if target.type is TargetType.DOCUMENT])}
    new |= _since_proposed(run, event_groups_of([target for target in by_type if target.type in _SINCE_PROPOSED]))
    new -= set(known)
    RemovalTarget.objects.bulk_create(
        (
            RemovalTarget(tenant_id=run.tenant_id, run=run, type=target.type, item_id=target.id, part=target.part)
            for target in sorted(new)
        ),
        batch_size=5_000,
    )
    return list(RemovalTarget.objects.filter(run=run, type=TargetType.EVENT_GROUP)) if new else []


def being_removed(document_ids: Iterable[UUID]) -> bool:
    """Whether a run for a request that was approved has removed, or removes, one of these documents. One query.

    For what was computed of documents in many transactions, and is about to be stored.
    """
    named = RemovalTarget.objects.filter(
        type=TargetType.DOCUMENT, item_id__in=list(document_ids), run__origin=Origin.REQUEST
    )
    decided = named.exclude(run__state__in=(RunState.PROPOSED, RunState.REJECTED))
    return bool(decided.exclude(outcome=TargetOutcome.RETAINED).exists())


def _since_proposed(run: RemovalRun, groups: Iterable[Target]) -> set[Target]:
    recent = Event.objects.filter(occurred_at__gte=run.proposed_at - _LONGEST_WRITE).values_list("id", flat=True)
    found = set(groups)
    ids = set(recent) if found else set()
    return {target for target in found if target.id in ids}


def _lock(function: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [advisory_key("records", current_scope().tenant_id)])
