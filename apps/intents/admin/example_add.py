"""Make a question a golden example of a draft: the question comes by POST, so that it stands in no address."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from apps.errors import ApplicationError
from apps.intents.admin.desk.filters import examples_address, intent_key
from apps.intents.admin.desk.versions import own_drafts, version_address
from apps.intents.admin.desk.words import verdict
from apps.intents.contracts import FALLBACK_NAME, UNRECOGNISED, PolicySnapshot
from apps.intents.desk import Examination, cannot_classify, changed_outcomes, examine, without_example
from apps.intents.errors import (
    DraftChangedError,
    DuplicateExampleError,
    EmptyExampleError,
    NotADraftError,
    NotTheAuthorError,
    ReasonMissingError,
    UnknownExampleIntentError,
)
from apps.intents.models import GoldenExample, PolicyVersion
from apps.intents.policy_file.limits import LONGEST_EXAMPLE
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.desk import Tried, desk_vectors, question_try
from apps.intents.services.examples import golden_example_add
from apps.tenants.admin.base import add_error, require
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

_NEW: Final = "new"
_TITLE: Final = "Make a question a review example"
# What the form sends, and the button on another page does not.
_STEP: Final = "add"
_ERROR_FIELDS: Final = {
    EmptyExampleError.code: "text",
    DuplicateExampleError.code: "text",
    UnknownExampleIntentError.code: "intent",
    ReasonMissingError.code: "reason",
    NotADraftError.code: "draft",
    NotTheAuthorError.code: "draft",
    DraftChangedError.code: "draft",
}


class ExampleForm(forms.Form):
    """Args: drafts: the person's own, newest first. in_force: what a new draft would copy."""

    text = forms.CharField(
        label="Question",
        max_length=LONGEST_EXAMPLE,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "autocomplete": "off"}),
        help_text="Do not include names of people or clients: an example is kept with the policy and read by others.",
        error_messages={"required": "Enter the question for the example."},
    )
    intent = forms.ChoiceField(
        label="Intent that it must get",
        widget=UnfoldAdminSelectWidget,
        error_messages={"required": "Choose the intent, or that no intent recognises it."},
    )
    draft = forms.ChoiceField(label="Put it into", widget=UnfoldAdminSelectWidget)
    reason = forms.CharField(
        label="Why the new draft is wanted",
        required=False,
        max_length=1000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        help_text="For the reviewer and the audit log. An existing draft keeps its own reason.",
    )

    def __init__(
        self, data: Any = None, *, drafts: list[PolicyVersion], in_force: PolicySnapshot, text: str = ""
    ) -> None:
        initial = {"text": text, "draft": str(drafts[0].id) if drafts else _NEW}
        super().__init__(data, initial=initial)
        self._choose("intent", [("", "Choose an intent"), *_intents(in_force, drafts)])
        new = (_NEW, f"a new draft, a copy of version {in_force.number}")
        self._choose("draft", [*((str(each.id), _named(each)) for each in drafts), new])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("draft") == _NEW and not cleaned.get("reason"):
            self.add_error("reason", ReasonMissingError().detail)
        return cleaned

    def save(self) -> GoldenExample:
        """Raises what golden_example_add does."""
        chosen, intent = self.cleaned_data["draft"], self.cleaned_data["intent"]
        return golden_example_add(
            text=self.cleaned_data["text"],
            intent=UNRECOGNISED if intent == FALLBACK_NAME else intent,
            draft_id=None if chosen == _NEW else UUID(chosen),
            reason=self.cleaned_data["reason"],
        )

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices


@opens_own_scopes
@require_http_methods(["GET", "HEAD", "POST"])
def example_add_view(request: HttpRequest) -> HttpResponse:
    """The form; after it, what the example changes. The redirect between them names the example by its id.

    No transaction is open while the provider works.
    """
    require(request, Permission.POLICY_EDIT)
    principal = principal_of(request)
    acting = ShortScopes.all_of(principal)
    added = request.GET.get("added", "")
    with acting.open():
        example = _own_example(added, principal) if added else None
        snapshot = version_snapshot(example.intent.version) if example else policy_in_force()
    if example is not None:
        effect = _effect(snapshot, example.id, acting)
        with acting.open():
            return _result(request, example, snapshot, effect)
    text = request.POST.get("text", "")[: LONGEST_EXAMPLE * 8]
    with acting.open():
        made, form = _add(request, snapshot, text)
    if made is not None:
        return HttpResponseRedirect(f"{reverse('admin:policy_example_add')}?{urlencode({'added': str(made.id)})}")
    tried = _tried(text, snapshot, acting)
    with acting.open():
        return _page(
            request,
            "glassbox/example_add.html",
            status=422 if form.errors else 200,
            form=form,
            step=_STEP,
            stale=bool(added),
            in_force=snapshot,
            tried=tried,
        )


def _add(request: HttpRequest, in_force: PolicySnapshot, text: str) -> tuple[GoldenExample | None, ExampleForm]:
    """Add the example that was sent. Returns: it, or None and the form to show."""
    sent = request.method == "POST" and request.POST.get("step") == _STEP
    drafts = list(own_drafts(principal_of(request)))
    form = ExampleForm(request.POST if sent else None, drafts=drafts, in_force=in_force, text=text)
    if sent and form.is_valid():
        try:
            with transaction.atomic():
                return form.save(), form
        except ApplicationError as error:
            add_error(form, error, _ERROR_FIELDS.get(error.code))
    return None, form


def _result(
    request: HttpRequest, example: GoldenExample, snapshot: PolicySnapshot, effect: dict[str, Any]
) -> HttpResponse:
    version = example.intent.version
    intent = UNRECOGNISED if example.intent.is_fallback else example.intent.name
    return _page(
        request,
        "glassbox/desk_added.html",
        example=example,
        version=version,
        label=snapshot.label_of(intent),
        version_url=version_address(version.id, version.status),
        desk_url=examples_address(version.number, expected=intent),
        problem=cannot_classify(snapshot),
        **effect,
    )


def _effect(snapshot: PolicySnapshot, example_id: UUID, acting: ShortScopes) -> dict[str, Any]:
    """What the draft recognises with the example and without it."""
    if cannot_classify(snapshot):
        return {}
    vectors, provider_problem = desk_vectors(snapshot, acting)
    after = examine(snapshot, vectors)
    own = next(each for each in after.outcomes if each.example.id == example_id)
    rest, rest_vectors = without_example(snapshot, vectors, example_id)
    before: Examination | None = None if cannot_classify(rest) else examine(rest, rest_vectors)
    return {
        "provider_problem": provider_problem,
        "verdict": verdict(after),
        "before": before,
        "own": own,
        "own_given": snapshot.label_of(own.decision.intent),
        "changed": [
            (each, snapshot.label_of(each.before), snapshot.label_of(each.after))
            for each in (changed_outcomes(before, after) if before else ())
        ],
    }


def _own_example(text: str, principal: Principal) -> GoldenExample | None:
    """None where it is not in a draft of the principal's, or was saved anew since."""
    try:
        wanted = UUID(text)
    except ValueError:
        return None
    found: GoldenExample | None = (
        GoldenExample.objects.filter(id=wanted, intent__version__in=own_drafts(principal))
        .select_related("intent__version")
        .first()
    )
    return found


def _tried(text: str, in_force: PolicySnapshot, acting: ShortScopes) -> Tried | None:
    """What the version in force gives it, as a help for the choice."""
    if not text.strip() or cannot_classify(in_force):
        return None
    return question_try(question=text, snapshot=in_force, acting=acting)


def _intents(in_force: PolicySnapshot, drafts: list[PolicyVersion]) -> list[tuple[str, str]]:
    """Those of the version in force and of the drafts; whether the chosen draft has it, the service says."""
    known: dict[str, str] = {}
    for snapshot in (in_force, *(version_snapshot(draft) for draft in drafts)):
        known.update({rule.name: rule.label for rule in snapshot.intents if rule.name not in known})
    return [*known.items(), (intent_key(UNRECOGNISED), f"{in_force.fallback.label}: no intent may recognise it")]


def _named(draft: PolicyVersion) -> str:
    return f"your draft, version {draft.number}: {Truncator(draft.reason).chars(60)}"


def _page(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    request.__dict__["current_app"] = admin.site.name
    crumbs = [("Classifier's desk", reverse("admin:policy_desk")), (_TITLE, "")]
    return TemplateResponse(
        request,
        template,
        {**admin.site.each_context(request), "title": _TITLE, "crumbs": crumbs, **context},
        status=status,
        headers={"Cache-Control": "no-store"},
    )
