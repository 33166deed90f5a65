"""Which documents are gone, and since when: deleted, or removed by an approved run. Their rows can't say so any more.

A deletion is an event of the document. A run names its documents as targets, and the log says when it had cleared them.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.corpus.events import DELETED
from apps.corpus.services.ingest.events import RECEIVED
from apps.erasure.contracts import TargetType
from apps.erasure.events import STEP_FINISHED
from apps.erasure.models import RemovalTarget, TargetOutcome
from apps.tenants.ids import ScopeId

# The store of the rows of documents: once a run has cleared it, nobody reaches what it removed.
_STORE: Final = "corpus.documents"


def removed_by_runs(document_ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Return when approved runs had removed these documents, by id; without those that no run removed.

    Costs: three queries.
    """
    named = RemovalTarget.objects.filter(type=TargetType.DOCUMENT, item_id__in=document_ids)
    targets = list(named.exclude(outcome=TargetOutcome.RETAINED).values_list("run_id", "item_id"))
    cleared: dict[UUID, datetime] = {}
    for run_id, cleared_at in _cleared(subject_id__in={run_id for run_id, _ in targets}):
        cleared.setdefault(run_id, cleared_at)
    found: dict[UUID, datetime] = {}
    for run_id, document_id in targets:
        if (at := cleared.get(run_id)) is not None:
            found[document_id] = min(at, found.get(document_id, at))
    return found


def removed_since(since: datetime, scope_ids: Collection[ScopeId]) -> set[UUID]:
    """Return the documents that were in these scopes at an instant, and have been removed since.

    Costs: seven queries.
    """
    runs = {run_id for run_id, _ in _cleared(occurred_at__gt=since)}
    named = RemovalTarget.objects.filter(type=TargetType.DOCUMENT, run_id__in=runs).values_list("item_id", flat=True)
    by_runs = {each for each, at in removed_by_runs(set(named)).items() if at > since}
    deleted = Event.objects.filter(action=DELETED, occurred_at__gt=since, scope_ids__overlap=list(scope_ids))
    gone = by_runs | set(deleted.values_list("subject_id", flat=True))
    # A target says in no way where its document was; the event of its receipt does, and when it came.
    received = Event.objects.filter(action=RECEIVED, subject_type="document", subject_id__in=gone)
    there = received.filter(occurred_at__lte=since, scope_ids__overlap=list(scope_ids))
    return set(there.values_list("subject_id", flat=True))


def _cleared(**condition: object) -> list[tuple[UUID, datetime]]:
    """Return the runs that had cleared the documents' rows, with the time, earliest first."""
    finished = Event.objects.filter(action=STEP_FINISHED, subject_type="removal_run", **condition)
    steps = list(finished.order_by("occurred_at", "id"))
    payloads = payloads_of(steps)
    return [
        (step.subject_id, step.occurred_at)
        for step in steps
        if step.subject_id is not None and payloads.get(step.id, {}).get("core", {}).get("store") == _STORE
    ]
