"""The page of one request: what it is, by when, what was done, and the one thing to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.erasure.admin.removals.restored import restored_of_run
from apps.erasure.admin.removals.words import UNPROVEN, came_since_in_words
from apps.erasure.certificate.selectors import certificates_of
from apps.erasure.contracts import Proof
from apps.erasure.models import Certificate, RemovalRun
from apps.erasure.runs.selectors import StepProgress, progress_of
from apps.errors import ApplicationError
from apps.privacy.access_packages.packages import package_of
from apps.privacy.admin.requests.acts import ACTS, Act
from apps.privacy.admin.requests.forms import AssessForm, PlainForm, SendBackForm, WordsForm
from apps.privacy.admin.requests.words import about, state_pill, story, time_left
from apps.privacy.codes.life import ANSWERED, RequestState, can_end
from apps.privacy.codes.requests import LetterKind, LetterState, SubjectType
from apps.privacy.models import ErasureRequest, Letter
from apps.privacy.proposals.prospect import counts_by_store
from apps.privacy.requests.deadlines import extended_deadline, may_extend_on
from apps.privacy.requests.details import Details, LetterText, details_of, letter_text
from apps.privacy.requests.errors import RequestPersonNeededError
from apps.privacy.requests.selectors import erasure_request, legal_today, may_read_details, proposal_of, run_of_request
from apps.privacy.requests.services.forgetting import may_be_forgotten
from apps.privacy.requests.services.letters import may_be_written
from apps.privacy.requests.services.sending import NO_SERVER, can_send
from apps.privacy.requests.services.stepping import steps_of
from apps.privacy.requests.subjects import subject_name
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import may, require
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.selectors.people import names_of

_S = RequestState


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLetter:
    letter: Letter
    text: LetterText | None
    state: str
    tone: str
    note: str
    may_retry: bool
    may_settle: bool


@require_http_methods(["GET", "HEAD", "POST"])
def request_view(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """For who reads the log: that it is there. Whom it is about, for who works on it or decides."""
    require(request, Permission.AUDIT_VIEW)
    found = erasure_request(request_id)
    if request.method != "POST":
        return _show(request, found)
    name = request.POST.get("act", "")
    if name not in ACTS:
        return _show(request, found, refusal="Nothing was done: choose one of the options below.", status=400)
    require(request, ACTS[name].permission)
    return _act(request, found, name, ACTS[name])


def _act(request: HttpRequest, found: ErasureRequest, name: str, act: Act) -> HttpResponse:
    form = act.form(request.POST, prefix=name) if act.form else None
    if form is not None and not form.is_valid():
        return _show(request, found, forms={name: form}, status=422)
    try:
        with transaction.atomic():
            act.run(found.id, form.cleaned_data if form else {}, request.POST)
    except (PermissionDeniedError, RequestPersonNeededError):
        raise
    except ApplicationError as error:
        found.refresh_from_db()
        return _show(request, found, forms={name: form} if form else {}, refusal=error.detail, status=error.status)
    messages.success(request, act.done.format(reference=found.reference))
    return HttpResponseRedirect(reverse("admin:erasure_request", args=[found.id]))


def _show(
    request: HttpRequest,
    found: ErasureRequest,
    *,
    forms: dict[str, PlainForm] | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    state, today = RequestState(found.state), legal_today()
    reads, manages = may_read_details(principal_of(request)), may(request, Permission.PRIVACY_MANAGE)
    details = details_of(found) if reads else None
    letters = _letters(found, reads=reads, manages=manages)
    names = names_of([found.received_by_id, found.proposed_by_id, found.approved_by_id])
    context = {
        **admin.site.each_context(request),
        "title": f"{found.reference}",
        "crumbs": [("Access and erasure requests", reverse("admin:erasure_requests")), (found.reference, "")],
        "found": found,
        "state": state_pill(state, is_access=found.is_access),
        "is": {each.name.lower(): each is state for each in RequestState},
        "is_answered": state in ANSWERED,
        "about": about(found),
        "is_person": found.subject_type == SubjectType.DATA_SUBJECT,
        "subject_url": _subject_url(found),
        "time": time_left(found, today),
        "extended": extended_deadline(found.received_on),
        "identity_days": _identity_days(found),
        "reads": reads,
        "manages": manages,
        "details": details,
        "lines": _lines(details) if details else (),
        "letters": letters,
        "unsettled": [each for each in letters if each.may_retry or each.may_settle],
        "letters_wait_for_server": not can_send() and any(each.letter.problem == NO_SERVER for each in letters),
        "received_by": names.get(found.received_by_id, ""),
        "proposed_by": names.get(found.proposed_by_id, "") if found.proposed_by_id else "",
        "approved_by": names.get(found.approved_by_id, "") if found.approved_by_id else "",
        "own": found.proposed_by_id is not None and found.proposed_by_id == principal_of(request).id,
        "offered": steps_of(found, principal_of(request)),
        "inventory": counts_by_store(found) if reads else (),
        "since": came_since_in_words(run) if (run := proposal_of(found)) else "",
        "without_proof": _without_proof(found),
        "closes": found.subject_type in (SubjectType.SCOPE, SubjectType.TENANT),
        "has_inventory": found.subject_type == SubjectType.DATA_SUBJECT and reads,
        **_gone(found),
        "restored": restored_of_run(found.run_id, found.id),
        "package": package_of(found) if manages and found.is_access else None,
        "may_forget": manages and may_be_forgotten(found),
        "run_url": address("removal_run", found.run_id) if found.run_id else "",
        "story": story(found),
        "sees_events": may(request, Permission.AUDIT_VIEW),
        "refusal": refusal,
        "forms": _forms(forms or {}),
        "refused_form": next(iter(forms), "") if forms else "",
        **_ways(found, state, manages=manages, letters=letters),
    }
    request.__dict__["current_app"] = admin.site.name
    headers = {"Cache-Control": "no-store"}
    return TemplateResponse(request, "glassbox/request.html", context, status=status, headers=headers)


def _without_proof(found: ErasureRequest) -> dict[str, object]:
    """What was said of doing without a physical proof; empty where nothing was."""
    run = run_of_request(found)
    if run is None or not run.unproven_code:
        return {}
    return {"why": UNPROVEN.get(run.unproven_code, run.unproven_code), "agreed": run.is_unproven}


def _gone(found: ErasureRequest) -> dict[str, Any]:
    """What went out of each store that held something, once the run has begun; and what certifies it."""
    run = RemovalRun.objects.filter(id=found.run_id).first() if found.run_id else None
    steps: Sequence[StepProgress] = [each for each in progress_of(run).steps if each.before] if run is not None else ()
    certificates: Sequence[Certificate] = certificates_of(run) if run is not None else ()
    waits = run is not None and run.proof == Proof.PHYSICAL and len(certificates) < len(run.end_events)
    unproven = run is not None and run.proof == Proof.COUNTS
    return {"steps": steps, "certificates": certificates, "awaits_certificate": waits, "by_counts_alone": unproven}


def _ways(
    found: ErasureRequest, state: RequestState, *, manages: bool, letters: Sequence[ShownLetter]
) -> dict[str, Any]:
    """What can be done with it now, for whoever may."""
    sent = {each.letter.kind for each in letters}
    return {
        "can_extend": manages
        and state not in ANSWERED
        and found.extended_at is None
        and may_extend_on(found.received_on, legal_today()),
        "can_describe": manages
        and can_end(state)
        and state is not _S.AWAITING_APPROVAL
        and not (found.is_access and state is _S.INVENTORY_READY),
        "can_confirm_receipt": manages
        and may_be_written(found, LetterKind.RECEIVED)
        and LetterKind.RECEIVED not in sent,
        "can_tell_done": manages and may_be_written(found, LetterKind.DONE),
        "told_done": LetterKind.DONE in sent,
    }


def _forms(refused: dict[str, PlainForm]) -> dict[str, PlainForm]:
    return {
        "assess": AssessForm(prefix="assess"),
        "withdraw": WordsForm(prefix="withdraw"),
        "send_back": SendBackForm(prefix="send_back"),
        **refused,
    }


def _identity_days(found: ErasureRequest) -> int | None:
    """How long the question of identity was open: what may be argued not to count (see deadlines.py)."""
    if found.identity_asked_at is None or found.identity_confirmed_at is None:
        return None
    return (found.identity_confirmed_at - found.identity_asked_at).days


def _subject_url(found: ErasureRequest) -> str:
    """Empty where there is no page of it, and where it is gone."""
    type, id = SubjectType(found.subject_type), found.subject_id
    page = _SUBJECT_PAGES.get(type)
    return address(page, id) if page and id and subject_name(type, id) else ""


def _lines(details: Details) -> Sequence[tuple[str, Sequence[str]]]:
    """What is known, by name; only what there is."""
    every: Sequence[tuple[str, Sequence[str]]] = (
        ("Names", details.names),
        ("Other names", details.aliases),
        ("E-mail addresses", details.emails),
        ("Phone numbers", details.phones),
        ("Numbers", details.identifiers),
        ("What else is known", (details.description,)),
        ("Who asks", (details.requester_name,)),
        ("Their e-mail address", (details.requester_email,)),
        ("Their postal address", (details.requester_address,)),
        ("Notes", (details.notes,)),
        ("Asked to prove who they are", (details.identity_words,)),
        ("Reasons for the extension", (details.extension_words,)),
        ("Reasons for the refusal", (details.refusal_words,)),
        ("Why it was withdrawn", (details.withdrawal_words,)),
    )
    return tuple((label, tuple(each for each in values if each)) for label, values in every if any(values))


_SUBJECT_PAGES: Final[Mapping[SubjectType, str]] = {
    SubjectType.DOCUMENT: "corpus_document_change",
    SubjectType.SCOPE: "tenants_scope_change",
}
_TONES = {
    LetterState.WAITING: "busy",
    LetterState.SENDING: "busy",
    LetterState.SENT: "good",
    LetterState.FAILED: "bad",
    LetterState.UNCERTAIN: "warn",
    LetterState.TO_POST: "warn",
}
_NOTES = {
    LetterState.FAILED: (
        "The mail server did not accept it. Correct the address or the server, then send it again, or post it."
    ),
    LetterState.UNCERTAIN: "The connection broke while it was being sent. Check the mail server's log before you "
    "send it again: it may have arrived.",
    LetterState.TO_POST: "Print it, post it, then mark it as sent here.",
}


def _letters(found: ErasureRequest, *, reads: bool, manages: bool) -> Sequence[ShownLetter]:
    shown = []
    for letter in found.letters.select_related("request"):
        state = LetterState(letter.state)
        waits = state is LetterState.WAITING and letter.problem == NO_SERVER
        shown.append(
            ShownLetter(
                letter=letter,
                text=letter_text(letter) if reads else None,
                state=state.label,
                tone="warn" if waits else _TONES[state],
                note=(
                    "No mail server is set up (GLASSBOX_EMAIL_HOST). The letter is sent once there is one. Or post "
                    "it by hand."
                )
                if waits
                else _NOTES.get(state, ""),
                may_retry=manages and state in (LetterState.FAILED, LetterState.UNCERTAIN),
                may_settle=manages and (waits or state in _NOTES),
            )
        )
    return shown
