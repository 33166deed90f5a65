"""Uploading: many files at once, each taken in or refused by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminSingleDateWidget,
    UnfoldAdminTextInputWidget,
)

from apps.corpus.kinds import DocumentType, Kind, SourceType
from apps.corpus.models import Document
from apps.corpus.services.ingest import IngestResult, document_ingest
from apps.corpus.services.ingest_metadata import DocumentMetadata, metadata_from_row
from apps.errors import ApplicationError
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import form_page, page
from apps.tenants.admin.scope_field import ScopeField
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

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
    uploads = FilesField(label="Files", help_text=f"{_FORMATS}. Several at once are fine; each is taken in by itself.")
    kind = forms.ChoiceField(
        choices=[("", "Choose what it is for"), *Kind.choices],
        widget=UnfoldAdminSelectWidget,
        help_text="Decides which questions may reach it (see Policy, In force).",
    )
    scope = ScopeField(empty_label="Choose where it belongs", help_text="Who reaches this scope can find the document.")
    title = forms.CharField(
        max_length=300,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Empty: taken from the file's name.",
    )
    document_type = forms.ChoiceField(
        choices=DocumentType.choices, initial=DocumentType.OTHER, widget=UnfoldAdminSelectWidget
    )
    source_type = forms.ChoiceField(
        label="Source",
        choices=[("", "By the document type"), *SourceType.choices],
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
        help_text="Empty: read from the file's name, such as ACME_2023Q4_10Q.pdf.",
    )
    fiscal_quarter = forms.IntegerField(min_value=1, max_value=4, required=False, widget=UnfoldAdminIntegerFieldWidget)
    published_on = forms.DateField(required=False, widget=UnfoldAdminSingleDateWidget)
    language = forms.CharField(
        max_length=8,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Such as en or de. Empty: recognised.",
    )
    jurisdictions = forms.CharField(
        max_length=200, required=False, widget=UnfoldAdminTextInputWidget, help_text="Such as EU, CH; comma between."
    )

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        if typed.get("title") and len(typed.get("uploads") or ()) > 1:
            self.add_error("title", "One title can't name several files. Leave it empty, or upload them one by one.")
        return typed


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """What became of one file: a document, or the reasons why not."""

    filename: str
    result: IngestResult | None = None
    reasons: tuple[str, ...] = ()


def upload_view(model_admin: TenantModelAdmin, request: HttpRequest) -> HttpResponse:
    """The form; then, for one good file its page, else what became of each."""
    require(request, Permission.DOCUMENT_ADD)
    replaced = _replaced(model_admin, request)
    form = UploadForm(request.POST or None, request.FILES or None, initial=_initial(replaced))

    def act() -> HttpResponse:
        outcomes = [_ingest(file, form.cleaned_data, replaced) for file in form.cleaned_data["uploads"]]
        return _answer(model_admin, request, outcomes)

    return form_page(
        model_admin,
        request,
        form,
        act,
        title=f"New version of {replaced.title}" if replaced else "Upload documents",
        intro=f"The new file takes over from version {replaced.version} when it is ready; the old one is kept for "
        "questions as of an earlier date."
        if replaced
        else "Each file is stored as it came, read, cut into passages and embedded. You can leave the page meanwhile.",
        action="Upload",
        multipart=True,
        optional_from="title",
        optional_title="What is known about it (as far as it is)",
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


def _ingest(file: UploadedFile[Any], typed: dict[str, Any], replaced: Document | None) -> FileOutcome:
    """Take one file in, or say why not; the others are not touched by it."""
    name = file.name or "unnamed"
    try:
        with transaction.atomic():
            result = document_ingest(
                content=file.read(),
                filename=name,
                scope_id=ScopeId(typed["scope"].id),
                kind=typed["kind"],
                metadata=_metadata(typed, name),
                replaces=UUID(str(replaced.id)) if replaced else None,
            )
    except ApplicationError as error:
        return FileOutcome(filename=name, reasons=(error.detail,))
    except ValidationError as error:
        return FileOutcome(filename=name, reasons=tuple(error.messages))
    return FileOutcome(filename=name, result=result)


def _metadata(typed: dict[str, Any], filename: str) -> DocumentMetadata:
    fields = (
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
    row = {name: typed[name] for name in fields if typed.get(name)}
    if typed.get("published_on"):
        row["published_on"] = typed["published_on"].isoformat()
    return metadata_from_row(row, filename=filename)


def _answer(model_admin: TenantModelAdmin, request: HttpRequest, outcomes: Iterable[FileOutcome]) -> HttpResponse:
    every = list(outcomes)
    taken = [outcome.result for outcome in every if outcome.result is not None]
    if len(every) == 1 and taken:
        said = "is received" if taken[0].created else "was here already, with the same bytes"
        messages.success(request, f"{every[0].filename} {said}.")
        return HttpResponseRedirect(model_admin.url("change", taken[0].document.pk))
    return page(
        model_admin,
        request,
        "glassbox/upload_result.html",
        title="What became of the files",
        crumbs=["Upload documents"],
        outcomes=every,
        taken=len(taken),
        refused=len(every) - len(taken),
        progress_url=model_admin.url("progress"),
        status=200 if taken else 422,
    )
