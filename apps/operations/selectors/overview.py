"""The figures of the start page, limited to what the reader may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Q
from django.utils import timezone

from apps.audit.models import Event, Outcome
from apps.audit.verify.standing import Standing, standing
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState
from apps.erasure.holds.selectors import due_for_review
from apps.erasure.retention.selectors import latest_count
from apps.erasure.retention.selectors import waiting_for as rules_waiting_for
from apps.erasure.runs.selectors import to_approve
from apps.intents.access.recertified import waiting_for_me
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force
from apps.privacy.requests.selectors import waiting_for
from apps.retrieval.events import ANSWERED, ASKED, FAILED, REJECTED, SEARCHED
from apps.tenants.alarms import concerns, look
from apps.tenants.principals import Principal
from apps.tenants.registry import Alarm
from apps.tenants.roles import Permission
from apps.tenants.selectors.keys import keys_expiring, own_keys_expiring


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCounts:
    """Questions since the day began (UTC). own: only those of the reader, who may not see the others'."""

    own: bool
    since: datetime
    answered: int
    searched: int
    degraded: int
    refused: int
    rejected: int
    failed: int

    @property
    def total(self) -> int:
        return self.answered + self.searched + self.degraded + self.refused + self.rejected + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waits for the reader to act; 0 if the reader's role has no part in it."""

    failed_jobs: int
    versions_to_review: int
    own_drafts: int
    keys_expiring: int
    own_keys_expiring: int
    grants_to_certify: int
    holds_to_review: int
    rules_to_review: int
    past_latest_date: int
    removals_to_approve: int
    requests: Mapping[str, int]

    @property
    def total(self) -> int:
        figures: list[int] = [getattr(self, each.name) for each in fields(self) if each.name != "requests"]
        return sum(figures) + sum(self.requests.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The start page's figures. None stands for what the reader's role does not show."""

    documents: Mapping[DocumentStatus, int] | None
    jobs: Mapping[JobState, int] | None
    questions: QuestionCounts | None
    policy: PolicySnapshot | None
    log: Standing | None
    waiting: Waiting
    alarms: tuple[Alarm, ...]


def overview(principal: Principal) -> Overview:
    """Return the figures within the open scope. Costs: at most twenty queries, whatever the size of the corpus."""
    sees_documents = principal.may(Permission.DOCUMENT_VIEW)
    jobs = _jobs() if sees_documents else None
    return Overview(
        documents=_documents() if sees_documents else None,
        jobs=jobs,
        questions=_questions(principal),
        policy=_policy() if principal.may(Permission.POLICY_VIEW) else None,
        log=standing() if principal.may(Permission.AUDIT_VIEW) else None,
        waiting=_count_waiting(principal, jobs or {}),
        alarms=look(_query, only=concerns(principal)).of(principal.tenant_id),
    )


def _query(statement: str) -> list[tuple[Any, ...]]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def _documents() -> Mapping[DocumentStatus, int]:
    counted = dict(Document.objects.order_by().values_list("status").annotate(count=Count("id")))
    return {status: counted.get(status.value, 0) for status in DocumentStatus}


def _jobs() -> Mapping[JobState, int]:
    counted = dict(IngestJob.objects.order_by().values_list("state").annotate(count=Count("id")))
    return {state: counted.get(state.value, 0) for state in JobState}


def _questions(principal: Principal) -> QuestionCounts | None:
    sees_all = principal.may(Permission.AUDIT_VIEW)
    if not sees_all and not principal.may(Permission.QUESTION_ASK):
        return None
    since = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    events = Event.objects.filter(occurred_at__gte=since, action__in=ASKED)
    if not sees_all:
        events = events.filter(actor_id=principal.id)
    answered = Q(action=ANSWERED)
    counted = events.order_by().aggregate(
        answered=Count("id", filter=answered & Q(outcome=Outcome.SUCCESS)),
        searched=Count("id", filter=Q(action=SEARCHED)),
        degraded=Count("id", filter=answered & Q(outcome=Outcome.DEGRADED)),
        refused=Count("id", filter=answered & Q(outcome=Outcome.REFUSED)),
        rejected=Count("id", filter=Q(action=REJECTED)),
        failed=Count("id", filter=Q(action=FAILED)),
    )
    return QuestionCounts(own=not sees_all, since=since, **counted)


def _policy() -> PolicySnapshot | None:
    try:
        return policy_in_force()
    except NoPolicyInForceError:
        return None


def _count_waiting(principal: Principal, jobs: Mapping[JobState, int]) -> Waiting:
    versions = PolicyVersion.objects.order_by()
    return Waiting(
        failed_jobs=jobs.get(JobState.FAILED, 0) if principal.may(Permission.JOB_RETRY) else 0,
        versions_to_review=versions.filter(status=VersionStatus.IN_REVIEW).exclude(author_id=principal.id).count()
        if principal.may(Permission.POLICY_APPROVE)
        else 0,
        own_drafts=versions.filter(status=VersionStatus.DRAFT, author_id=principal.id).count()
        if principal.may(Permission.POLICY_EDIT)
        else 0,
        # People's own keys are not counted here: nobody else can rotate them.
        keys_expiring=keys_expiring().count() if principal.may(Permission.KEY_MANAGE) else 0,
        own_keys_expiring=own_keys_expiring(principal).count(),
        grants_to_certify=waiting_for_me(),
        holds_to_review=due_for_review() if principal.may(Permission.PRIVACY_MANAGE) else 0,
        rules_to_review=rules_waiting_for(principal.id) if principal.may(Permission.PRIVACY_APPROVE) else 0,
        past_latest_date=_past_latest_date() if principal.may(Permission.PRIVACY_MANAGE) else 0,
        removals_to_approve=to_approve(principal),
        requests=waiting_for(principal),
    )


def _past_latest_date() -> int:
    """Return the number that the nightly task counted last."""
    counted = latest_count()
    return counted.must_remove if counted else 0
