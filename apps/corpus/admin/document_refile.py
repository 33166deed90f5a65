"""Documents of the list, filed as another kind: a page that says who gains and who loses before anything happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.widgets import UnfoldAdminSelectWidget

from apps.corpus.kinds import Right
from apps.corpus.models import Document
from apps.corpus.registry import KindInForce, kinds_in_force, name_of
from apps.corpus.services.ingest.kind import usable_kinds
from apps.corpus.services.refile import documents_refile
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import page
from apps.tenants.roles import Permission

ACTION = "refile"
_MOST = 200


class RefileForm(forms.Form):
    kind = forms.ChoiceField(
        label="File them as",
        choices=[],
        widget=UnfoldAdminSelectWidget,
        help_text="Those kinds whose documents you may correct.",
        error_messages={"required": "Choose a kind."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(each.kind.value, each.name) for each in usable_kinds(Right.CORRECT)]
        cast(forms.ChoiceField, self.fields["kind"]).choices = [("", "Choose a kind"), *kinds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What filing the documents of one kind as another changes: which questions reach them then, and no longer."""

    name: str
    documents: int
    gain: Sequence[str]
    lose: Sequence[str]


def refile_action(model_admin: TenantModelAdmin, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
    """Choose a kind for the selected documents; read what it changes; then file them."""
    require(request, Permission.DOCUMENT_ADD)
    if queryset.count() > _MOST:
        messages.error(request, f"At most {_MOST} documents are re-filed at once. Filter the list, and go on then.")
        return HttpResponseRedirect(request.get_full_path())
    documents = list(queryset.order_by("title", "id"))
    form = RefileForm(request.POST if "kind" in request.POST else None)
    kind = form.cleaned_data["kind"] if form.is_bound and form.is_valid() else ""
    # What was read is what is done: another kind than the one whose effects were shown is shown first.
    if kind and request.POST.get("confirmed") == kind:
        return _file(model_admin, request, documents, kind)
    return page(
        model_admin,
        request,
        "glassbox/documents_refile.html",
        title="File documents as another kind",
        crumbs=["File as another kind"],
        form=form,
        documents=documents,
        moves=moves(documents, kind) if kind else (),
        chosen=kind,
        chosen_name=name_of(kind) if kind else "",
        action=ACTION,
        checkbox=ACTION_CHECKBOX_NAME,
    )


def moves(documents: Sequence[Document], kind: str) -> list[Move]:
    """Return for each present kind of the documents what changes when they are filed as `kind`, by name."""
    known: dict[str, KindInForce] = {each.kind.value: each for each in kinds_in_force()}
    after = known[kind].readers
    found = []
    for key, count in Counter(document.kind for document in documents if document.kind != kind).items():
        before = known[key].readers if key in known else ()
        found.append(
            Move(
                name=name_of(key),
                documents=count,
                gain=[reader for reader in after if reader not in before],
                lose=[reader for reader in before if reader not in after],
            )
        )
    return sorted(found, key=lambda move: move.name)


def _file(
    model_admin: TenantModelAdmin, request: HttpRequest, documents: Sequence[Document], kind: str
) -> HttpResponse:
    outcomes = documents_refile(documents, kind=kind)
    made = sum(each.made is not None for each in outcomes)
    if made:
        words = "1 document is" if made == 1 else f"{made} documents are"
        messages.success(
            request, f"{words} being read anew as {name_of(kind)}. The present version answers until that is done."
        )
    same = sum(each.made is None and not each.refusal for each in outcomes)
    if same:
        messages.info(request, f"{same} of them {'is' if same == 1 else 'are'} of this kind already.")
    for each in outcomes:
        if each.refusal:
            messages.warning(request, f"{each.document.title}: {each.refusal}")
    return HttpResponseRedirect(model_admin.url("changelist"))
