"""Correcting what is known about a document: the fields that an upload states, and its kind, but not its scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleDateWidget,
    UnfoldAdminTextInputWidget,
)

from apps.corpus.admin.document_refile import moves
from apps.corpus.kinds import DocumentType, Right, SourceType
from apps.corpus.models import PUBLISHED, Document
from apps.corpus.registry import name_of
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.kind import usable_kinds
from apps.corpus.services.ingest.metadata import CORRECTABLE, metadata_of
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import form_page
from apps.tenants.roles import Permission


class CorrectionForm(forms.Form):
    title = forms.CharField(max_length=300, widget=UnfoldAdminTextInputWidget)
    kind = forms.ChoiceField(
        choices=[],
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text="Decides which questions may reach it. You read what changes before it is filed so.",
    )
    document_type = forms.ChoiceField(choices=DocumentType.choices, widget=UnfoldAdminSelectWidget)
    source_type = forms.ChoiceField(label="Source", choices=SourceType.choices, widget=UnfoldAdminSelectWidget)
    company = forms.CharField(max_length=200, required=False, widget=UnfoldAdminTextInputWidget)
    ticker = forms.CharField(max_length=16, required=False, widget=UnfoldAdminTextInputWidget)
    fiscal_year = forms.IntegerField(
        min_value=1900, max_value=2100, required=False, widget=UnfoldAdminIntegerFieldWidget
    )
    fiscal_quarter = forms.IntegerField(min_value=1, max_value=4, required=False, widget=UnfoldAdminIntegerFieldWidget)
    published_on = forms.DateField(required=False, widget=UnfoldAdminSingleDateWidget)
    language = forms.CharField(
        max_length=8, required=False, widget=UnfoldAdminTextInputWidget, help_text="For example en or de."
    )
    jurisdictions = forms.CharField(
        max_length=200,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="For example EU, CH. Separate them with commas.",
    )
    external_id = forms.CharField(
        label="Id in its source",
        max_length=200,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="An upload with the same id becomes the next version.",
    )
    # The kind whose effects were shown: another one is shown first.
    shown = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, document: Document, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.document = document
        kinds = {document.kind: name_of(document.kind)}
        kinds |= {each.kind.value: each.name for each in usable_kinds(Right.CORRECT)}
        cast(forms.ChoiceField, self.fields["kind"]).choices = list(kinds.items())

    @property
    def other_kind(self) -> str | None:
        """Return the kind that it is to be filed as, if that is another one than its own."""
        kind: str = self.cleaned_data.get("kind", "")
        return kind if kind not in ("", self.document.kind) else None

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        kind = self.other_kind
        if kind is not None and typed.get("shown") != kind:
            self.add_error("kind", _effect(self.document, kind))
            self.data = {**{name: self.data[name] for name in self.data}, "shown": kind}
        return typed


def _effect(document: Document, kind: str) -> str:
    """Return who reaches the document as another kind, in words, and how to file it so."""
    (move,) = moves([document], kind)
    gain, lose = ", ".join(move.gain), ", ".join(move.lose)
    return (
        f"Filed as {name_of(kind)}, it is reached by {f'questions of {gain}' if gain else 'no questions'} that do not "
        f"reach it now, and no longer by {f'questions of {lose}' if lose else 'none of those that do'}. Nothing was "
        "changed yet: press the button again to file it so."
    )


def correct_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.DOCUMENT_ADD)
        document: Document = model_admin.find(request, str(object_id))
        form = CorrectionForm(request.POST or None, initial=_initial(document), document=document)
        here = model_admin.url("change", document.pk)

        def act() -> HttpResponse:
            # What was left as it was shown says nothing: it may have been read or corrected meanwhile.
            changes = {name: form.cleaned_data[name] for name in CORRECTABLE if name in form.changed_data}
            made = document_correct(document_id=document.id, changes=changes, kind=form.other_kind)
            messages.success(request, _said(document, made))
            return HttpResponseRedirect(model_admin.url("change", made.pk))

        return form_page(
            model_admin,
            request,
            form,
            act,
            title=f"Correct the details of {document.title}",
            intro=_intro(document),
            action="Correct the details",
            crumbs=[(document.title, here), "Correct its details"],
            back=here,
            optional_from="document_type",
            optional_title="What it is about",
        )

    return view


def _initial(document: Document) -> dict[str, Any]:
    return {
        **{name: getattr(document, name) for name in ("kind", *CORRECTABLE)},
        "jurisdictions": ", ".join(document.jurisdictions),
    }


def _said(document: Document, made: Document) -> str:
    if made.id != document.id:
        return (
            f"Version {made.version} contains your corrections, and is being read. It replaces the current one "
            "when it is ready."
        )
    is_so = (made.kind, metadata_of(made)) == (document.kind, metadata_of(document))
    return "Nothing was changed: all details already have these values." if is_so else "The document was corrected."


def _intro(document: Document) -> str:
    scope = " Its scope does not change here: Move to another scope is on the document's page and in the list."
    if document.status not in PUBLISHED:
        return (
            "It is not searchable yet, so it is corrected in place, and read with what you enter here. Fields "
            f"that you empty stay empty. The file name does not change.{scope}"
        )
    return (
        f"A searchable version is kept as it is: the same file becomes version {document.version + 1}, with what "
        "you enter here. Fields that you empty stay empty. The new version is read, and replaces the current one "
        f"in search and citations when it is ready. Version {document.version} stays as it is, for questions as of "
        f"an earlier date and for answers that cited it.{scope}"
    )
