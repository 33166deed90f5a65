"""A draft from shipped packs: choose them, say what becomes of the documents that they have no kind for, and begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminSelectWidget

from apps.errors import ApplicationError
from apps.intents.admin.draft.links import crumbs, version_admin
from apps.intents.admin.draft.list import StartForm
from apps.intents.diff import policy_diff
from apps.intents.models import VersionOrigin
from apps.intents.pack_switch import (
    NOBODY,
    DocumentsOfKind,
    kinds_left,
    kinds_redefined,
    switch_packs,
    unreached_documents,
)
from apps.intents.packs.catalogue import PACKS, Pack, chosen_packs
from apps.intents.selectors import policy_in_force
from apps.intents.services.drafts import draft_of
from apps.intents.services.successor import documents_of_kinds, usage_problems
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import form_page, page
from apps.tenants.roles import Permission

_FIELD = "goes_with_"
_TEMPLATE = "glassbox/draft_packs.html"
_TITLE = "Begin a draft from packs"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackCard:
    """A pack as a choice: what it brings, and whether it is chosen."""

    pack: Pack
    intents: Sequence[str]
    kinds: Sequence[str]
    chosen: bool


class SwitchForm(StartForm):
    """The reason, and for each kind that the packs do not have what becomes of its documents."""

    def __init__(self, *args: Any, left: Sequence[DocumentsOfKind], packs: Sequence[Pack], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        like = [(_key(budget), f"reached like {_name(budget)}") for pack in packs for budget in pack.budgets]
        for each in left:
            self.fields[_FIELD + each.budget.kind] = forms.ChoiceField(
                label=f"{each.name}: {each.in_words}",
                choices=[("", "Choose what becomes of them"), (NOBODY, "reached by no question, and retired"), *like],
                widget=UnfoldAdminSelectWidget,
                help_text="The packs have no such kind. It stays in the policy as long as there are documents of it.",
                # Until somebody has chosen, the page shows what happens if nobody does.
                error_messages={"required": "Choose what becomes of these documents."},
            )

    def goes_with(self) -> dict[str, str]:
        typed = self.cleaned_data if self.is_bound else {}
        return {name.removeprefix(_FIELD): said for name, said in typed.items() if name.startswith(_FIELD) and said}


@require_http_methods(["GET", "HEAD", "POST"])
def packs_view(request: HttpRequest) -> HttpResponse:
    """Choose packs (?pack=<key>, several); then read what they change, and begin a draft of them."""
    require(request, Permission.POLICY_EDIT)
    keys = list(dict.fromkeys(request.GET.getlist("pack")))
    in_force = policy_in_force()
    try:
        packs = chosen_packs(keys) if keys else ()
    except ApplicationError as error:
        return _choose(request, keys, refusal=error.detail, status=422)
    if not packs:
        return _choose(request, keys)
    documents = documents_of_kinds()
    form = SwitchForm(request.POST or None, left=kinds_left(in_force, keys, documents), packs=packs)
    chosen = form.goes_with() if form.is_bound and form.is_valid() else _typed(request)
    content = switch_packs(in_force, keys, documents, chosen)
    diff = policy_diff(in_force, content)
    number = len(content.intents)

    def act() -> HttpResponse:
        draft = draft_of(content, origin=VersionOrigin.DRAFT, reason=form.cleaned_data["reason"])
        messages.success(
            request, f"Draft begun, version {draft.number}. Nothing in it takes effect until it is approved."
        )
        return HttpResponseRedirect(reverse("admin:policy_draft", args=[draft.id]))

    names = " and ".join(pack.name for pack in packs)
    return form_page(
        version_admin(),
        request,
        form,
        act,
        title=_TITLE,
        intro=(
            f"The draft has {number} intents and {len(content.budgets)} kinds in place of those of version "
            f"{in_force.number}. Version {in_force.number} stays in force until somebody else has approved your draft."
        ),
        action=f"Begin a draft of {names}",
        crumbs=crumbs(_TITLE),
        back=reverse("admin:policy_drafts"),
        template=_TEMPLATE,
        cards=_cards(keys),
        chosen=packs,
        in_force=in_force,
        sentences=diff.sentences,
        unreached=unreached_documents(content, documents),
        documents=sum(documents.values()),
        redefined=[_of(documents, budget) for budget in kinds_redefined(in_force, keys)],
        problems=usage_problems(content),
    )


def _choose(request: HttpRequest, keys: Sequence[str], *, refusal: str = "", status: int = 200) -> HttpResponse:
    return page(
        version_admin(),
        request,
        _TEMPLATE,
        title=_TITLE,
        crumbs=crumbs(_TITLE),
        status=status,
        cards=_cards(keys),
        refusal=refusal,
        back=reverse("admin:policy_drafts"),
    )


def _cards(keys: Sequence[str]) -> list[PackCard]:
    return [
        PackCard(
            pack=pack,
            intents=[intent["label"] for intent in pack.intents],
            kinds=[_name(budget) for budget in pack.budgets],
            chosen=pack.key in keys,
        )
        for pack in PACKS.values()
    ]


def _typed(request: HttpRequest) -> dict[str, str]:
    """What was chosen already, where the form comes back for something else."""
    return {name.removeprefix(_FIELD): str(said) for name, said in request.POST.items() if name.startswith(_FIELD)}


def _of(documents: Any, budget: Any) -> DocumentsOfKind:
    return DocumentsOfKind(budget=budget, documents=documents.get(budget.kind, 0))


def _key(budget: Any) -> str:
    return str(budget["kind"])


def _name(budget: Any) -> str:
    return str(budget.get("name") or budget["label"])
