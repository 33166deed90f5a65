"""Documents: what there is, how far each has come, and everything known about one. Nothing of them is edited here:
a correction is a new version."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern
from django.views.decorators.http import require_POST

from apps.corpus.admin.document_batch import BatchViews
from apps.corpus.admin.document_correct import correct_view
from apps.corpus.admin.document_files import original_view, page_image_view
from apps.corpus.admin.document_filters import CompanyFilter, FiscalYearFilter, KindFilter, ScopeFilter
from apps.corpus.admin.document_move import ACTION as MOVE
from apps.corpus.admin.document_move import move_action
from apps.corpus.admin.document_record import shown_record
from apps.corpus.admin.document_refile import ACTION as REFILE
from apps.corpus.admin.document_refile import refile_action
from apps.corpus.admin.document_remove import remove_view
from apps.corpus.admin.document_suggest import suggest_view
from apps.corpus.admin.document_text import page_view
from apps.corpus.admin.document_upload import upload_view
from apps.corpus.admin.progress import progress_view, state_cell
from apps.corpus.description import InvalidFieldError
from apps.corpus.extraction import ExtractionError
from apps.corpus.kinds import Right
from apps.corpus.models import Chunk, Document, DocumentStatus, IngestJob, JobState
from apps.corpus.progress import progress_of_documents
from apps.corpus.registry import kind_names, name_of
from apps.corpus.reservations import reservations
from apps.corpus.services.documents import may_discard
from apps.corpus.services.ingest.errors import (
    EmptyUploadError,
    ErasedDocumentError,
    RestrictedContentError,
    UploadTooLargeError,
)
from apps.corpus.services.ingest.kind import has_right
from apps.corpus.services.ingest.restart import job_restart
from apps.corpus.services.ingest.suggest import looks_otherwise
from apps.corpus.services.removals import proposal_of
from apps.erasure.admin.holds.links import hold_url, restriction_notice
from apps.erasure.contracts import Target, TargetType
from apps.errors import ApplicationError
from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.kit import ChoicesDropdownFilter
from apps.tenants.admin.pages import page
from apps.tenants.display import EMPTY, moment
from apps.tenants.roles import Permission

_CHUNKS_PER_PAGE = 50
_ABOUT_THE_FILE = (
    ExtractionError,
    EmptyUploadError,
    UploadTooLargeError,
    RestrictedContentError,
    ErasedDocumentError,
)


def period_of(document: Document) -> str:
    """FY2023, Q4 2023, or nothing."""
    if document.fiscal_year is None:
        return EMPTY
    return (
        f"Q{document.fiscal_quarter} {document.fiscal_year}" if document.fiscal_quarter else f"FY{document.fiscal_year}"
    )


@admin.register(Document)
class DocumentAdmin(TenantModelAdmin):
    title_plural = "Documents"
    add_label = "Upload documents"
    empty_text = (
        "No documents yet. Upload files here, send them to POST /api/v1/documents/, or run “manage.py ingest” with a "
        "folder of them. Structured records come by PUT /api/v1/records/ or “manage.py records watch”."
    )

    list_display = ("title", "of_kind", "scope", "period", "state", "version", "pages", "passages", "received")
    list_display_links = ("title",)
    list_filter = (
        ("status", ChoicesDropdownFilter),
        KindFilter,
        ScopeFilter,
        ("document_type", ChoicesDropdownFilter),
        ("source_type", ChoicesDropdownFilter),
        CompanyFilter,
        FiscalYearFilter,
    )
    search_fields = ("title", "company", "ticker", "filename", "external_id")
    search_help_text = "Title, company, ticker, file name, or the id in its source system"

    actions = (REFILE, MOVE)
    view_permission = Permission.DOCUMENT_VIEW
    add_permission = Permission.DOCUMENT_ADD
    error_fields = {
        "corpus.unknown_kind": "kind",
        "corpus.retired_kind": "kind",
        "corpus.kind_not_yours": "kind",
        "tenants.scope_not_granted": "scope",
        "corpus.external_id_taken": "external_id",
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        return super().get_queryset(request).select_related("scope")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list, with the progress of its rows: one query for all of them. A ready one may be embedded again."""
        changelist: Any = super().get_changelist_instance(request)
        found = progress_of_documents([document.id for document in changelist.result_list])
        names = kind_names()
        for document in changelist.result_list:
            document.kind_name = name_of(document.kind, names)
            document.progress = found.get(document.id)
        return changelist

    def error_field(self, error: ApplicationError | ValidationError, form: forms.BaseForm) -> str | None:
        """What is wrong with a file stands beside it; a value that can't be understood, beside its own field."""
        if isinstance(error, InvalidFieldError):
            return str(error.data["field"])
        if isinstance(error, _ABOUT_THE_FILE):
            return "uploads"
        return super().error_field(error, form)

    @admin.action(description="File as another kind…", permissions=["add"])
    def refile(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return refile_action(self, request, queryset)

    @admin.action(description="Move to another scope…", permissions=["move"])
    def move(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        return move_action(self, request, queryset)

    def has_move_permission(self, request: HttpRequest) -> bool:
        return self.has_add_permission(request) and may(request, Permission.DOCUMENT_DELETE)

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Kind", ordering="kind")
    def of_kind(self, document: Document) -> str:
        return str(getattr(document, "kind_name", None) or name_of(document.kind))

    @admin.display(description="Period", ordering="fiscal_year")
    def period(self, document: Document) -> str:
        return period_of(document)

    @admin.display(description="State", ordering="status")
    def state(self, document: Document) -> str:
        return state_cell(document, getattr(document, "progress", None), self.url("progress"))

    @admin.display(description="Pages", ordering="page_count")
    def pages(self, document: Document) -> str:
        return f"{document.page_count:,}"

    @admin.display(description="Passages", ordering="chunk_count")
    def passages(self, document: Document) -> str:
        return f"{document.chunk_count:,}"

    @admin.display(description="Received", ordering="created_at")
    def received(self, document: Document) -> str:
        return moment(document.created_at)

    def palette_note(self, document: Document) -> str:
        about = [str(document.scope), period_of(document), f"version {document.version}", document.get_status_display()]
        return ", ".join(each for each in about if each != EMPTY)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        batch = BatchViews(self)
        return [
            self.page("progress/", progress_view, name="progress"),
            self.page("suggest/", suggest_view, name="suggest"),
            self.page("batch/<uuid:batch_id>/", batch.show, name="batch"),
            self.page("batch/<uuid:batch_id>/files/", batch.files, name="batch_files"),
            self.page("batch/<uuid:batch_id>/retry/", require_POST(batch.retry), name="batch_retry"),
            self.page("<uuid:object_id>/page/", page_view(self), name="page"),
            self.page("<uuid:object_id>/page/<int:number>/image/", page_image_view(self), name="page_image"),
            self.page("<uuid:object_id>/original/", original_view(self), name="original"),
            self.page("<uuid:object_id>/remove/", remove_view(self), name="remove"),
            self.page("<uuid:object_id>/correct/", correct_view(self), name="correct"),
            self.page("<uuid:object_id>/retry/", require_POST(self.retry_view), name="retry"),
        ]

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        if object_id is None:
            return upload_view(self, request)
        require(request, self.view_permission)
        document = self.find(request, object_id)
        job = IngestJob.objects.filter(document=document).order_by("-requested_at", "-id").first()
        chunks = Chunk.objects.filter(document=document, is_parent=False).order_by("number")
        discards = may_discard(document)
        return page(
            self,
            request,
            "glassbox/document.html",
            title=document.title,
            crumbs=[document.title],
            document=document,
            kind_name=name_of(document.kind),
            record=shown_record(document),
            period=period_of(document),
            state=state_cell(document, progress_of_documents([document.id]).get(document.id), self.url("progress")),
            job=job,
            reservations=reservations(document),
            looks_otherwise=looks_otherwise(document),
            failed=document.status == DocumentStatus.FAILED,
            retryable=job is not None and job.state in (JobState.FAILED, JobState.RETRY),
            may_retry=may(request, Permission.JOB_RETRY),
            restricted=restriction_notice(document.id),
            hold_url=hold_url(request, Target(type=TargetType.DOCUMENT, id=document.id)),
            may_remove=may(request, Permission.DOCUMENT_DELETE),
            may_propose=may(request, Permission.DOCUMENT_DELETE)
            and (discards or has_right(document.kind, Right.REMOVE)),
            may_discard=discards,
            removal=proposal_of(document.id),
            may_correct=document.status != DocumentStatus.SUPERSEDED
            and self.has_add_permission(request)
            and has_right(document.kind, Right.CORRECT),
            may_add=self.has_add_permission(request),
            may_move=document.status != DocumentStatus.SUPERSEDED and self.has_move_permission(request),
            may_see_events=may(request, Permission.AUDIT_VIEW),
            versions=list(Document.objects.filter(series_id=document.series_id).order_by("-version")),
            pages=list(document.pages.order_by("number").defer("text", "ocr_words")),
            chunks=Paginator(chunks, _CHUNKS_PER_PAGE).get_page(request.GET.get("chunks")),
        )

    def retry_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Start the newest job again. The service checks the permission, and that there is something to start."""
        document = self.find(request, str(object_id))
        job_restart(job=IngestJob.objects.filter(document=document).latest("requested_at"))
        messages.success(request, f"{document.title} is being read again. You can leave this page.")
        return HttpResponseRedirect(self.url("change", document.pk))
