"""Documents of the list, moved to another scope: a page that says who gains and who loses before anything happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.corpus.models import Document
from apps.corpus.services.refile import documents_move
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import page
from apps.tenants.admin.scope_field import ScopeField
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.roles import Permission
from apps.tenants.selectors.holders import holders_of

ACTION = "move"
_MOST = 50


class MoveForm(forms.Form):
    scope = ScopeField(
        label="Move to",
        empty_label="Choose a scope",
        help_text="Whoever reaches this scope can read the documents then.",
        error_messages={"required": "Choose a scope."},
    )
    words = forms.CharField(
        label="Why",
        max_length=1000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        help_text="Whoever decides on the removal from the present scope reads this, and the audit log keeps it. Name "
        "nobody.",
        error_messages={"required": "Give the reason in a few words: whoever decides and the audit log need it."},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """What moving the documents of one scope changes. gain, lose: the names of who reads them then, and no longer.

    is_whole: whether both lists name everybody; scopes that the reader does not see may add to them.
    """

    scope: Scope
    documents: int
    gain: Sequence[str]
    lose: Sequence[str]
    is_whole: bool


def move_action(model_admin: TenantModelAdmin, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
    """Choose a scope for the selected documents; read who gains and loses them; then move them."""
    require(request, Permission.DOCUMENT_ADD)
    require(request, Permission.DOCUMENT_DELETE)
    if queryset.count() > _MOST:
        messages.error(request, f"At most {_MOST} documents are moved at once. Filter the list, and go on then.")
        return HttpResponseRedirect(request.get_full_path())
    documents = list(queryset.select_related("scope").order_by("title", "id"))
    form = MoveForm(request.POST if "scope" in request.POST else None)
    chosen: Scope | None = form.cleaned_data["scope"] if form.is_bound and form.is_valid() else None
    # What was read is what is done: another scope than the one whose effects were shown is shown first.
    if chosen is not None and request.POST.get("confirmed") == str(chosen.id):
        return _move(model_admin, request, documents, chosen, form.cleaned_data["words"])
    return page(
        model_admin,
        request,
        "glassbox/documents_move.html",
        title="Move documents to another scope",
        crumbs=["Move to another scope"],
        form=form,
        documents=documents,
        moves=moves(documents, chosen) if chosen is not None else (),
        chosen=chosen,
        action=ACTION,
        checkbox=ACTION_CHECKBOX_NAME,
    )


def moves(documents: Sequence[Document], to: Scope) -> list[Leaving]:
    """Return for each scope that documents leave who reads them then, and who no longer."""
    after = holders_of(to.id)
    found = []
    for scope, count in Counter(each.scope for each in documents if each.scope_id != to.id).items():
        before = holders_of(scope.id)
        found.append(
            Leaving(
                scope=scope,
                documents=count,
                gain=_names(after.names, before.names),
                lose=_names(before.names, after.names),
                is_whole=before.is_whole and after.is_whole,
            )
        )
    return sorted(found, key=lambda leaving: leaving.scope.key)


def _names(these: Any, those: Any) -> list[str]:
    return sorted(name for id, name in these.items() if id not in those)


def _move(
    model_admin: TenantModelAdmin, request: HttpRequest, documents: Sequence[Document], to: Scope, why: str
) -> HttpResponse:
    outcomes = documents_move(documents, scope_id=ScopeId(to.id), words=why)
    filed = [each for each in outcomes if each.made is not None]
    if filed:
        words = "1 document is" if len(filed) == 1 else f"{len(filed)} documents are"
        messages.success(
            request,
            f"{words} filed in {to.name} and being read there. "
            "What was searchable answers in its present scope, too, until somebody else approves its removal there.",
        )
    same = sum(each.made is None and not each.refusal for each in outcomes)
    if same:
        messages.info(request, f"{same} of them {'is' if same == 1 else 'are'} in this scope already.")
    for each in outcomes:
        if each.refusal:
            messages.warning(request, f"{each.document.title}: {each.refusal}")
    return HttpResponseRedirect(model_admin.url("changelist"))
