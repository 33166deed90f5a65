"""Uploading: many files at once, each taken in or refused by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleDateWidget,
    UnfoldAdminTextInputWidget,
)

from apps.corpus.admin.document_batch import batch_page, keep_batch, not_taken_over, refused_rows
from apps.corpus.admin.document_suggest import in_words
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Document
from apps.corpus.services.ingest.each import FileOutcome, Upload, upload_ingest, uploads_ingest
from apps.corpus.services.ingest.kind import usable_kinds
from apps.corpus.services.ingest.suggest import kind_suggest
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import form_page
from apps.tenants.admin.scope_field import ScopeField
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

_FIRST_BYTES = 65_536
_FORMATS = "PDF, HTML, Word (.docx), Markdown, CSV, JSON or plain text"


class _Files(forms.FileInput):
    """Many files. Unfold's script writes the chosen name into the nearest text input, so it gets one of its own."""

    allow_multiple_selected = True

    def render(self, *args: Any, **kwargs: Any) -> SafeString:
        shown = '<div><div>{}</div><input type="text" class="gb-sr" tabindex="-1" aria-hidden="true" readonly></div>'
        return format_html(f"<div>{shown}</div>", super().render(*args, **kwargs))


class FilesField(forms.FileField):
    """One file or many; cleans to a list."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=_Files(attrs={"class": "gb-files"}), allow_empty_file=True, **kwargs)

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list | tuple) and data else [None]
        return [super(FilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    uploads = FilesField(
        label="Files", help_text=f"{_FORMATS}. You can upload several at once; each is handled separately."
    )
    kind = forms.ChoiceField(
        choices=[],
        widget=UnfoldAdminSelectWidget,
        help_text="Decides which questions may reach it (see Policy, In force).",
    )
    scope = ScopeField(empty_label="Choose where it belongs", help_text="Who reaches this scope can find the document.")
    title = forms.CharField(
        max_length=300,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="If empty, taken from the file's name, or from the document itself if the name has no words.",
    )
    document_type = forms.ChoiceField(
        choices=DocumentType.choices, initial=DocumentType.OTHER, widget=UnfoldAdminSelectWidget
    )
    source_type = forms.ChoiceField(
        label="Source",
        choices=[("", "By its kind, or else by the document type"), *SourceType.choices],
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
    company = forms.CharField(max_length=200, required=False, widget=UnfoldAdminTextInputWidget)
    ticker = forms.CharField(max_length=16, required=False, widget=UnfoldAdminTextInputWidget)
    fiscal_year = forms.IntegerField(
        min_value=1900,
        max_value=2200,
        required=False,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="If empty, read from the file's name, such as ACME_2023Q4_10Q.pdf.",
    )
    fiscal_quarter = forms.IntegerField(min_value=1, max_value=4, required=False, widget=UnfoldAdminIntegerFieldWidget)
    published_on = forms.DateField(required=False, widget=UnfoldAdminSingleDateWidget)
    language = forms.CharField(
        max_length=8,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="For example en or de. If empty, detected from the text.",
    )
    jurisdictions = forms.CharField(
        max_length=200,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="For example EU, CH. Separate them with commas.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(each.kind.value, each.name) for each in usable_kinds()]
        cast(forms.ChoiceField, self.fields["kind"]).choices = [("", "Choose what it is for"), *kinds]

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        if typed.get("title") and len(typed.get("uploads") or ()) > 1:
            self.add_error("title", "One title can't name several files. Leave it empty, or upload them one by one.")
        for file in typed.get("uploads") or () if "kind" in self.errors else ():
            if looks := in_words(kind_suggest(filename=file.name, content=file.read(_FIRST_BYTES))):
                self.add_error("kind", f"{file.name}: {looks}")
            file.seek(0)
        return typed


def upload_view(model_admin: TenantModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form; then, for one good file its page, for several what became of each."""
    require(request, Permission.DOCUMENT_ADD)
    replaced = _replaced(model_admin, request)
    form = UploadForm(request.POST or None, request.FILES or None, initial=_initial(replaced))

    def act() -> HttpResponse:
        uploads = [_upload(file, form.cleaned_data) for file in form.cleaned_data["uploads"]]
        scope_id = ScopeId(form.cleaned_data["scope"].id)
        replaces = UUID(str(replaced.id)) if replaced else None
        if len(uploads) == 1:
            # What is wrong with it comes back beside its field, with all that was typed.
            outcomes = [upload_ingest(uploads[0], scope_id=scope_id, replaces=replaces)]
        else:
            outcomes = uploads_ingest(uploads, scope_id=scope_id, replaces=replaces)
        return _answer(model_admin, request, outcomes)

    return form_page(
        model_admin,
        request,
        form,
        act,
        title=f"New version of {replaced.title}" if replaced else "Upload documents",
        intro=(
            f"The new file replaces version {replaced.version} when it is ready; the old one is kept for questions "
            "as of an earlier date."
        )
        if replaced
        else (
            "Each file is stored unchanged, read, split into passages and embedded. You can leave the page in the "
            "meantime."
        ),
        action="Upload",
        template="glassbox/upload.html",
        suggest_url=model_admin.url("suggest"),
        multipart=True,
        optional_from="title",
        optional_title="What is known about it (optional)",
    )


def _replaced(model_admin: TenantModelAdmin, request: HttpRequest) -> Document | None:
    wanted = request.GET.get("replaces")
    return model_admin.find(request, wanted) if wanted else None


def _initial(replaced: Document | None) -> dict[str, Any]:
    if replaced is None:
        return {}
    names = ("kind", "title", "document_type", "source_type", "company", "ticker", "language")
    return {
        **{name: getattr(replaced, name) for name in names},
        "scope": str(replaced.scope_id),
        "fiscal_year": replaced.fiscal_year,
        "fiscal_quarter": replaced.fiscal_quarter,
        "jurisdictions": ", ".join(replaced.jurisdictions),
    }


def _upload(file: UploadedFile[Any], typed: dict[str, Any]) -> Upload:
    return Upload(filename=file.name or "unnamed", read=file.read, kind=typed["kind"], fields=_fields(typed))


def _fields(typed: dict[str, Any]) -> dict[str, object]:
    names = (
        "title",
        "document_type",
        "source_type",
        "company",
        "ticker",
        "fiscal_year",
        "fiscal_quarter",
        "language",
        "jurisdictions",
    )
    row: dict[str, object] = {name: typed[name] for name in names if typed.get(name)}
    if typed.get("published_on"):
        row["published_on"] = typed["published_on"].isoformat()
    return row


def _answer(model_admin: TenantModelAdmin, request: HttpRequest, outcomes: Sequence[FileOutcome]) -> HttpResponse:
    """One good file leads to its page, several to the page of their batch. Where none is good, nothing was stored."""
    first = outcomes[0]
    if len(outcomes) == 1 and first.result is not None:
        said = "is received" if first.result.created else "already exists here, with the same bytes"
        messages.success(request, f"{first.filename} {said}.")
        if first.differs:
            messages.warning(request, not_taken_over(first.differs))
        return HttpResponseRedirect(model_admin.url("change", first.result.document.pk))
    if all(outcome.result is None for outcome in outcomes):
        return batch_page(model_admin, request, refused_rows(outcomes), status=422)
    return HttpResponseRedirect(model_admin.url("batch", keep_batch(request, outcomes)))
