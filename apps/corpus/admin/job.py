"""Jobs: the work on each document, and why it stands still where it does."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern
from django.utils.text import Truncator
from django.views.decorators.http import require_POST

from apps.corpus.admin.progress import job_html
from apps.corpus.models import IngestJob, JobStage, JobState
from apps.corpus.progress import progress_of_job
from apps.corpus.services.ingest.restart import job_restart
from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.kit import ChoicesDropdownFilter
from apps.tenants.admin.pages import page
from apps.tenants.display import EMPTY, ago, pill
from apps.tenants.roles import Permission

_TONES = {
    JobState.PENDING: "busy",
    JobState.RUNNING: "busy",
    JobState.RETRY: "warn",
    JobState.SUCCEEDED: "good",
    JobState.FAILED: "bad",
}
_RETRYABLE = (JobState.FAILED, JobState.RETRY)


def duration(job: IngestJob) -> str:
    """From its first start to its end: 4.2 s, 3 min 12 s."""
    if job.started_at is None or job.finished_at is None:
        return "—"
    seconds = (job.finished_at - job.started_at).total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


@admin.register(IngestJob)
class IngestJobAdmin(TenantModelAdmin):
    title_plural = "Jobs"
    empty_text = "There are no jobs. One appears here for every document that is uploaded."

    list_display = ("document_title", "shown_state", "done", "attempts", "reason", "brought_by", "begun", "took")
    list_display_links = ("document_title",)
    list_filter = (("state", ChoicesDropdownFilter), ("stage", ChoicesDropdownFilter))
    list_select_related = ("document",)
    search_fields = ("document__title", "document__filename", "actor_label")
    search_help_text = "Document, file name, or who uploaded it"

    view_permission = Permission.DOCUMENT_VIEW
    in_palette = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[IngestJob]:
        return super().get_queryset(request).select_related("document", "scope")

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Document", ordering="document__title")
    def document_title(self, job: IngestJob) -> str:
        return str(job.document)

    @admin.display(description="State", ordering="state")
    def shown_state(self, job: IngestJob) -> str:
        return pill(job.get_state_display(), _TONES[JobState(job.state)])

    @admin.display(description="Progress")
    def done(self, job: IngestJob) -> str:
        found = progress_of_job(job)
        if not found.is_finished:
            return job_html(found)
        return f"{job.chunks_embedded:,} passages" if job.stage == JobStage.DONE else JobStage(job.stage).label

    @admin.display(description="Why")
    def reason(self, job: IngestJob) -> str:
        return Truncator(job.error_detail).chars(90) or EMPTY

    @admin.display(description="Uploaded by", ordering="actor_label")
    def brought_by(self, job: IngestJob) -> str:
        return job.actor_label

    @admin.display(description="Received", ordering="requested_at")
    def begun(self, job: IngestJob) -> str:
        return ago(job.requested_at)

    @admin.display(description="Took")
    def took(self, job: IngestJob) -> str:
        return duration(job)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [self.page("<uuid:object_id>/retry/", require_POST(self.retry_view), name="retry")]

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        require(request, self.add_permission if object_id is None else self.view_permission)
        job = self.find(request, str(object_id))
        return page(
            self,
            request,
            "glassbox/job.html",
            title=f"Job of {job.document.title}",
            crumbs=[job.document.title],
            job=job,
            state=self.shown_state(job),
            found=progress_of_job(job),
            took=duration(job),
            retryable=job.state in _RETRYABLE,
            may_retry=may(request, Permission.JOB_RETRY),
        )

    def retry_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        job = self.find(request, str(object_id))
        job_restart(job=job)
        messages.success(request, "The job has been started again, in your name.")
        return HttpResponseRedirect(self.url("change", job.pk))
