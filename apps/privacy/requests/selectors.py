"""Read requests: the work list ordered by the time left, a single request, its run and its history."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from apps.audit.models import Event
from apps.erasure.models import RemovalRun
from apps.privacy.codes.life import OPEN, RequestState
from apps.privacy.codes.requests import LetterState
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.requests.deadlines import received_date
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.events import SUBJECT
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission

_REFERENCE: Final = re.compile(r"(?:[EA]R-)?(?:(?P<year>\d{4})-)?(?P<number>\d{1,6})", re.IGNORECASE)
# Letters in these states wait for a person to say what happens to them.
UNSETTLED: Final = (LetterState.FAILED, LetterState.UNCERTAIN, LetterState.TO_POST)


class Which(StrEnum):
    """The views of the work list."""

    OPEN = "open"
    OVERDUE = "overdue"
    APPROVAL = "approval"
    LETTERS = "letters"
    FINISHED = "finished"
    ALL = "all"


def legal_today() -> date:
    """Return today's date in the time zone that deadlines are counted in."""
    return received_date(timezone.now(), settings.GLASSBOX_LEGAL_TIME_ZONE)


def erasure_requests(
    *, which: Which = Which.ALL, purpose: str = "", state: str = "", subject_type: str = "", reference: str = ""
) -> QuerySet[ErasureRequest]:
    """Return the matching requests: first the open ones by the time left, then the answered ones, newest first."""
    found = ErasureRequest.objects.filter(_of(which))
    if purpose:
        found = found.filter(purpose=purpose)
    if state:
        found = found.filter(state=state)
    if subject_type:
        found = found.filter(subject_type=subject_type)
    if reference.strip():
        found = found.filter(_named(reference.strip()))
    answered = Case(When(state__in=OPEN, then=Value(0)), default=Value(1), output_field=IntegerField())
    ordered: QuerySet[ErasureRequest] = found.annotate(answered=answered).order_by(
        "answered", Case(When(state__in=OPEN, then=F("due_on"))), "-finished_at", "-year", "-number"
    )
    return ordered


def _of(which: Which) -> Q:
    match which:
        case Which.OPEN:
            return Q(state__in=OPEN)
        case Which.OVERDUE:
            return Q(state__in=OPEN, due_on__lt=legal_today())
        case Which.APPROVAL:
            return Q(state=RequestState.AWAITING_APPROVAL)
        case Which.LETTERS:
            return Q(id__in=Letter.objects.filter(state__in=UNSETTLED).values("request_id"))
        case Which.FINISHED:
            return ~Q(state__in=OPEN)
        case Which.ALL:
            return Q()


def _named(reference: str) -> Q:
    """Match a request by its number. Names are sealed and can't be searched."""
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return Q(pk__in=[])
    named = Q(number=int(match["number"]))
    return named & Q(year=int(match["year"])) if match["year"] else named


def erasure_request(request_id: UUID) -> ErasureRequest:
    """Return the request with this id. Raises: RequestError."""
    found: ErasureRequest | None = ErasureRequest.objects.filter(id=request_id).first()
    if found is None:
        raise RequestError("audit.request_not_found", request=request_id)
    return found


def proposal_of(request: ErasureRequest) -> RemovalRun | None:
    """Return the request's run while the request waits for approval, otherwise None."""
    return run_of_request(request) if request.state == RequestState.AWAITING_APPROVAL else None


def run_of_request(request: ErasureRequest) -> RemovalRun | None:
    """Return the removal run that was proposed for the request, or None."""
    return RemovalRun.objects.filter(id=request.run_id).first() if request.run_id is not None else None


def may_read_details(principal: Principal) -> bool:
    """Return whether the principal may see whom a request is about.

    People who work on requests or decide on them may. Readers of the log see only that a request exists.
    """
    return principal.may(Permission.PRIVACY_MANAGE) or principal.may(Permission.PRIVACY_APPROVE)


def history(request: ErasureRequest) -> QuerySet[Event]:
    """Return the request's events, oldest first."""
    events: QuerySet[Event] = Event.objects.filter(subject_type=SUBJECT, subject_id=request.id)
    return events.order_by("occurred_at", "id")


def waiting_for(principal: Principal) -> Mapping[str, int]:
    """Return the counts for the start page. Costs: at most three queries; none for a principal with no privacy role."""
    counts = {"open": 0, "overdue": 0, "to_approve": 0, "letters": 0}
    if principal.may(Permission.PRIVACY_MANAGE):
        states = ErasureRequest.objects.filter(state__in=OPEN).values_list("due_on", flat=True)
        due, today = list(states), legal_today()
        counts["open"], counts["overdue"] = len(due), sum(each < today for each in due)
        counts["letters"] = Letter.objects.filter(state__in=UNSETTLED).count()
    if principal.may(Permission.PRIVACY_APPROVE):
        waiting = ErasureRequest.objects.filter(state=RequestState.AWAITING_APPROVAL)
        counts["to_approve"] = waiting.exclude(proposed_by_id=principal.id).count()
    return counts
