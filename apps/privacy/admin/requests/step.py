"""Steps that the person is told of: first the step's own words, then the letter, read and changed before it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.errors import ApplicationError
from apps.privacy.access_packages.packages import access_answer
from apps.privacy.admin.requests.forms import ExtendForm, IdentityForm, LetterForm, PlainForm, RefuseForm
from apps.privacy.admin.requests.words import time_left
from apps.privacy.codes.requests import Delivery, Extension, LetterKind, Refusal
from apps.privacy.models import ErasureRequest
from apps.privacy.proposals.ending import refuse
from apps.privacy.requests.deadlines import extended_deadline
from apps.privacy.requests.details import LetterText, known_details
from apps.privacy.requests.errors import LetterUnaddressedError, RequestPersonNeededError
from apps.privacy.requests.selectors import erasure_request
from apps.privacy.requests.services.letters import letter_draft, letter_write
from apps.privacy.requests.services.steps import extend, identity_ask
from apps.tenants.admin.base import add_error, require
from apps.tenants.admin.read import number_read
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Permission

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """title, effects: what happens; {due} is the new deadline. action: the button, named by its effect.

    run: does it, with the request's revision that was read.
    """

    kind: LetterKind
    title: str
    effects: tuple[str, ...]
    action: str
    done: str
    run: Callable[[UUID, int, Said, LetterText, Delivery], object]
    form: type[PlainForm] | None = None
    of_access: bool | None = None  # for requests for access alone, or for erasure alone
    irreversible: str = ""
    dangerous: bool = False


STEPS: Final[Mapping[str, Step]] = {
    "identity": Step(
        kind=LetterKind.IDENTITY,
        title="Ask for proof of identity",
        effects=(
            "The requester gets a letter that says what you need, and why.",
            "The request waits for their answer. The deadline does not move.",
        ),
        action="Ask for proof of identity and send the letter",
        done="{reference} waits for proof of identity. The letter is on its way, or waits to be posted.",
        form=IdentityForm,
        run=lambda id, seen, said, text, by: identity_ask(
            id, revision=seen, words=said["words"], letter=text, delivery=by
        ),
    ),
    "extend": Step(
        kind=LetterKind.EXTENDED,
        title="Extend by two months",
        effects=("The answer is due on {due} instead.", "The requester gets a letter with the reasons."),
        action="Extend by two months and send the letter",
        done="{reference} is extended by two months. The letter is on its way, or waits to be posted.",
        form=ExtendForm,
        irreversible="The law permits one extension: it can't be taken back or made longer.",
        run=lambda id, seen, said, text, by: extend(
            id, revision=seen, code=Extension(said["code"]), words=said["words"], letter=text, delivery=by
        ),
    ),
    "refuse": Step(
        kind=LetterKind.REFUSED,
        title="Refuse the request",
        effects=(
            "Nothing is erased, and nothing is disclosed.",
            "The requester gets a letter with the reasons and what they can do about it.",
        ),
        action="Refuse it for good and send the letter",
        done="{reference} is refused. The letter is on its way, or waits to be posted.",
        form=RefuseForm,
        irreversible="A refused request is closed for good. Anybody who still wants it makes a new request.",
        dangerous=True,
        run=lambda id, seen, said, text, by: refuse(
            id, revision=seen, code=Refusal(said["code"]), words=said["words"], letter=text, delivery=by
        ),
    ),
    "received": Step(
        kind=LetterKind.RECEIVED,
        title="Confirm the receipt",
        effects=("The requester gets a letter with the number of the request and the date by which it is answered.",),
        action="Send the letter",
        done="The letter for {reference} is on its way, or waits to be posted.",
        run=lambda id, seen, said, text, by: letter_write(id, LetterKind.RECEIVED, text=text, delivery=by),
    ),
    "answer": Step(
        kind=LetterKind.DONE,
        of_access=True,
        title="Answer the request",
        effects=(
            "The requester gets a letter that says whether data is held, and what they can do about it.",
            "The package is not in the letter: you hand it over in the way that was agreed. Download it first.",
            (
                "The request is closed. The package, the letters and what is known about the person are destroyed "
                "thirty days later."
            ),
        ),
        irreversible="An answered request can't be reopened. The package can be downloaded until it expires.",
        action="Answer the request and send the letter",
        done="{reference} is answered. The letter is on its way, or waits to be posted.",
        run=lambda id, seen, said, text, by: access_answer(id, revision=seen, letter=text, delivery=by),
    ),
    "done": Step(
        kind=LetterKind.DONE,
        of_access=False,
        title="Tell that it is done",
        effects=(
            "The requester gets a letter that says what was done, and what remains.",
            "Once it has gone out, and all has been erased, the key of this request is destroyed.",
        ),
        irreversible="From then on nobody can read what was known about the person, or any letter.",
        action="Send the letter",
        done="The letter for {reference} is on its way, or waits to be posted.",
        run=lambda id, seen, said, text, by: letter_write(id, LetterKind.DONE, text=text, delivery=by),
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
def step_view(request: HttpRequest, request_id: UUID, name: str) -> HttpResponse:
    """The step's words, then its letter: `phase` says which of the two was sent."""
    require(request, Permission.PRIVACY_MANAGE)
    found = erasure_request(request_id)
    step = STEPS.get(name)
    if step is None or step.of_access not in (None, found.is_access):
        raise Http404("There is no such step.")
    posted = request.POST if request.method == "POST" else None
    seen = found.revision if posted is None else number_read(posted)
    form = _form(found, step, posted)
    said = form.cleaned_data if form is not None and form.is_valid() else {}
    is_said = form is None or bool(said)
    if posted is None or posted.get("phase") != "send":
        letter = _filled_in(found, step, said) if is_said and (posted is not None or form is None) else None
        return _show(request, found, step, form, letter, seen=seen)
    letter = LetterForm(posted)
    if not (letter.is_valid() and is_said):
        return _show(request, found, step, form, letter, seen=seen, status=422)
    try:
        with transaction.atomic():
            step.run(found.id, seen, said, letter.text(), Delivery(letter.cleaned_data["delivery"]))
    except (PermissionDeniedError, RequestPersonNeededError):
        raise
    except LetterUnaddressedError as error:
        add_error(letter, error, "delivery")
        return _show(request, found, step, form, letter, seen=seen, status=422)
    except ApplicationError as error:
        # With the revision that stands there now: having read the refusal, they may go on.
        seen = erasure_request(found.id).revision
        return _show(request, found, step, form, letter, seen=seen, refusal=error.detail, status=error.status)
    messages.success(request, step.done.format(reference=found.reference))
    return HttpResponseRedirect(reverse("admin:erasure_request", args=[found.id]))


def _form(found: ErasureRequest, step: Step, posted: QueryDict | None) -> PlainForm | None:
    if step.form is RefuseForm:
        return RefuseForm(posted, purpose=found.purpose)
    return step.form(posted) if step.form else None


def _filled_in(found: ErasureRequest, step: Step, said: Said) -> LetterForm:
    refusal = Refusal(said["code"]) if step.kind is LetterKind.REFUSED else None
    text = letter_draft(found, step.kind, words=said.get("words", ""), refusal=refusal)
    by = Delivery.EMAIL if known_details(found).requester_email else Delivery.POST
    return LetterForm(initial={"delivery": by.value, "subject": text.subject, "body": text.body})


def _show(
    request: HttpRequest,
    found: ErasureRequest,
    step: Step,
    form: PlainForm | None,
    letter: LetterForm | None,
    *,
    seen: int,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    details = known_details(found)
    due = f"{extended_deadline(found.received_on).due_on:%d %b %Y}"
    page = reverse("admin:erasure_request", args=[found.id])
    context = {
        **admin.site.each_context(request),
        "title": f"{found.reference}: {step.title}",
        "crumbs": [
            ("Access and erasure requests", reverse("admin:erasure_requests")),
            (found.reference, page),
            (step.title, ""),
        ],
        "found": found,
        "seen": seen,
        "step": step,
        "effects": [effect.format(due=due) for effect in step.effects],
        "form": form,
        "letter": letter,
        "email": details.requester_email,
        "time": time_left(found),
        "back": page,
        "refusal": refusal,
    }
    request.__dict__["current_app"] = admin.site.name
    headers = {"Cache-Control": "no-store"}
    status = 422 if form is not None and form.errors and status == 200 else status
    return TemplateResponse(request, "glassbox/request_step.html", context, status=status, headers=headers)
