"""What became of files that were uploaded together: each file's outcome and reason, until all have ended.

Who uploaded them sees that, for as long as they are signed in: which files were refused stands in their session alone,
since nothing of a refused file is stored. What was taken in has its own page, and its job, for everybody who may.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from apps.corpus.admin.progress import state_html
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState
from apps.corpus.progress import IngestProgress, progress_of_documents
from apps.corpus.reservations import reservations
from apps.corpus.services.ingest.each import FileOutcome
from apps.corpus.services.ingest.restart import job_restart
from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.pages import page
from apps.tenants.roles import Permission

_KEY: Final = "corpus_batches"
_KEPT: Final = 10  # of a session; an older one is forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """One file as the page shows it now. reasons: why it was refused, or failed."""

    filename: str
    document: Document | None = None
    created: bool = True
    state: str = ""
    reasons: Sequence[str] = ()
    reservations: Sequence[str] = ()
    is_moving: bool = False
    is_failed: bool = False


def keep_batch(request: HttpRequest, outcomes: Sequence[FileOutcome]) -> uuid.UUID:
    """Keep in the session what became of the files, for batch_view."""
    batch_id = uuid.uuid4()
    kept: dict[str, Any] = request.session.get(_KEY, {})
    kept[str(batch_id)] = [
        {
            "filename": outcome.filename,
            "document": str(outcome.result.document.id) if outcome.result else None,
            "created": bool(outcome.result and outcome.result.created),
            "differs": list(outcome.differs),
            "reasons": list(outcome.reasons),
        }
        for outcome in outcomes
    ]
    request.session[_KEY] = dict(list(kept.items())[-_KEPT:])
    return batch_id


def not_taken_over(names: Sequence[str]) -> str:
    """Of a file whose bytes were there: what was said about it, and is stored otherwise."""
    told = ", ".join(name.replace("_", " ") for name in names)
    return f"These details are stored with other values, which were not changed: {told}."


def refused_rows(outcomes: Sequence[FileOutcome]) -> list[BatchRow]:
    return [BatchRow(filename=outcome.filename, reasons=outcome.reasons) for outcome in outcomes]


def batch_page(
    model_admin: TenantModelAdmin, request: HttpRequest, rows: Sequence[BatchRow], *, status: int = 200, url: str = ""
) -> HttpResponse:
    return page(
        model_admin,
        request,
        "glassbox/upload_batch.html",
        title="Outcome of the upload",
        crumbs=["Upload documents"],
        status=status,
        **_shown(request, rows, url),
    )


class BatchViews:
    """The page of one batch, the part of it that moves, and starting again what failed."""

    def __init__(self, model_admin: TenantModelAdmin) -> None:
        self._admin = model_admin

    def show(self, request: HttpRequest, batch_id: uuid.UUID) -> HttpResponse:
        require(request, Permission.DOCUMENT_ADD)
        return batch_page(self._admin, request, self._rows(request, batch_id), url=self._url(batch_id))

    def files(self, request: HttpRequest, batch_id: uuid.UUID) -> HttpResponse:
        """The table alone, for the script that keeps the page up to date."""
        require(request, Permission.DOCUMENT_ADD)
        rows = self._rows(request, batch_id)
        return TemplateResponse(request, "glassbox/upload_batch_files.html", _shown(request, rows, self._url(batch_id)))

    def retry(self, request: HttpRequest, batch_id: uuid.UUID) -> HttpResponse:
        """Start one file's job again, or those of all that failed. The service checks the permission."""
        asked = request.POST.get("document", "")
        failed = [
            row.document
            for row in self._rows(request, batch_id)
            if row.document is not None and row.is_failed and asked in ("", str(row.document.id))
        ]
        for document in failed:
            job_restart(job=IngestJob.objects.filter(document=document).latest("requested_at", "id"))
        if failed:
            messages.success(request, f"{_counted(len(failed), 'file is', 'files are')} being read again.")
        else:
            messages.info(request, "No file of this batch has failed, so nothing was started again.")
        return HttpResponseRedirect(self._url(batch_id))

    def _url(self, batch_id: uuid.UUID) -> str:
        return self._admin.url("batch", batch_id)

    def _rows(self, request: HttpRequest, batch_id: uuid.UUID) -> list[BatchRow]:
        """As things stand. Raises Http404 for a batch of somebody else, or of another session."""
        kept = request.session.get(_KEY, {}).get(str(batch_id))
        if kept is None:
            raise Http404("There is no such batch in this session. The list of documents shows the state of each file.")
        ids = [uuid.UUID(each["document"]) for each in kept if each["document"]]
        documents = {str(document.id): document for document in Document.objects.filter(id__in=ids)}
        progress = progress_of_documents(ids)
        return [_row(each, documents.get(each["document"]), progress) for each in kept]


def _row(kept: dict[str, Any], document: Document | None, progress: Any) -> BatchRow:
    if kept["document"] is None:
        return BatchRow(filename=kept["filename"], reasons=kept["reasons"])
    if document is None:
        return BatchRow(filename=kept["filename"], reasons=["It was accepted, and has been removed since."])
    found: IngestProgress | None = progress.get(document.id)
    failed = document.status == DocumentStatus.FAILED
    waits = found is not None and found.state is JobState.RETRY
    reasons = [document.error_detail] if failed else [found.sentence] if found is not None and waits else []
    return BatchRow(
        filename=kept["filename"],
        document=document,
        created=kept["created"],
        state=state_html(document, found),
        reasons=reasons,
        reservations=[*reservations(document), *([not_taken_over(kept["differs"])] if kept["differs"] else [])],
        is_moving=found is not None and not found.is_finished,
        is_failed=failed,
    )


def _shown(request: HttpRequest, rows: Sequence[BatchRow], url: str) -> dict[str, Any]:
    taken = [row for row in rows if row.document is not None]
    moving = sum(row.is_moving for row in rows)
    failed = sum(row.is_failed for row in rows)
    refused = len(rows) - len(taken)
    parts = [
        _counted(moving, "is on its way", "are on their way"),
        _counted(len(taken) - moving - failed, "is ready", "are ready"),
        _counted(failed, "failed", "failed"),
        _counted(refused, "was refused", "were refused"),
    ]
    return {
        "rows": rows,
        "taken": len(taken),
        "moving": moving,
        "failed": failed,
        "refused": refused,
        "said": ", ".join(part for part in parts if part),
        "batch_url": url,
        "may_retry": may(request, Permission.JOB_RETRY),
    }


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""
