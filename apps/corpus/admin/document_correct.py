"""Correcting what is known about a document: the fields that an upload states, but its kind and scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleDateWidget,
    UnfoldAdminTextInputWidget,
)

from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import PUBLISHED, Document
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.metadata import CORRECTABLE, metadata_of
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import form_page
from apps.tenants.roles import Permission


class CorrectionForm(forms.Form):
    title = forms.CharField(max_length=300, widget=UnfoldAdminTextInputWidget)
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


def correct_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.DOCUMENT_ADD)
        document: Document = model_admin.find(request, str(object_id))
        form = CorrectionForm(request.POST or None, initial=_initial(document))
        here = model_admin.url("change", document.pk)

        def act() -> HttpResponse:
            # What was left as it was shown says nothing: it may have been read or corrected meanwhile.
            changes = {name: form.cleaned_data[name] for name in CORRECTABLE if name in form.changed_data}
            made = document_correct(document_id=document.id, changes=changes)
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
        **{name: getattr(document, name) for name in CORRECTABLE},
        "jurisdictions": ", ".join(document.jurisdictions),
    }


def _said(document: Document, made: Document) -> str:
    if made.id != document.id:
        return (
            f"Version {made.version} contains your corrections, and is being read. It replaces the current one "
            "when it is ready."
        )
    is_so = metadata_of(made) == metadata_of(document)
    return "Nothing was changed: all details already have these values." if is_so else "The document was corrected."


def _intro(document: Document) -> str:
    kind = (
        " Its kind and scope decide who can read it. File it as another kind in the list of documents; into another "
        "scope upload it again, and propose the removal of this one."
    )
    if document.status not in PUBLISHED:
        return (
            "It is not searchable yet, so it is corrected in place, and read with what you enter here. Fields "
            f"that you empty stay empty. The file name does not change.{kind}"
        )
    return (
        f"A searchable version is kept as it is: the same file becomes version {document.version + 1}, with what "
        "you enter here. Fields that you empty stay empty. The new version is read, and replaces the current one "
        f"in search and citations when it is ready. Version {document.version} stays as it is, for questions as of "
        f"an earlier date and for answers that cited it.{kind}"
    )
