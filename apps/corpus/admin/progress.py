"""A document's progress as every page shows it, and the address that pages ask while it moves."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from apps.corpus.models import Document, DocumentStatus, JobStage
from apps.corpus.progress import IngestProgress, progress_of_documents
from apps.tenants.admin.base import require
from apps.tenants.display import moment, pill, progress
from apps.tenants.roles import Permission

MOVING = (DocumentStatus.RECEIVED, DocumentStatus.PROCESSING)
_TONES = {
    DocumentStatus.RECEIVED: "busy",
    DocumentStatus.PROCESSING: "busy",
    DocumentStatus.READY: "good",
    DocumentStatus.SUPERSEDED: "quiet",
    DocumentStatus.FAILED: "bad",
}
_IDS_AT_MOST = 200
# The whole of it stands on the document's own page.
_SENTENCE_CHARS = 80


def state_html(document: Document, found: IngestProgress | None) -> SafeString:
    """The state as a word, and while it moves a bar and what is going on."""
    status = DocumentStatus(document.status)
    state = pill(status.label, _TONES[status])
    return format_html("{}{}", state, job_html(found)) if found and _moves(document, found) else state


def job_html(found: IngestProgress) -> SafeString:
    """A bar and what is going on; without numbers while the file is being read."""
    percent = None if found.stage is JobStage.EXTRACT else int(100 * found.fraction)
    waits = format_html(" (again at {})", moment(found.next_attempt_at)) if found.next_attempt_at else ""
    said = Truncator(found.sentence).chars(_SENTENCE_CHARS)
    return format_html("{}<small>{}{}</small>", progress(percent, found.sentence), said, waits)


def state_cell(document: Document, found: IngestProgress | None, url: str) -> SafeString:
    """The state in a frame that the script keeps up to date (static/glassbox/glassbox.js)."""
    state = state_html(document, found)
    if not _moves(document, found):
        return state
    return format_html(
        '<span class="gb-moving" data-progress="{}" data-progress-url="{}" aria-live="polite">{}</span>',
        document.id,
        url,
        state,
    )


def progress_view(request: HttpRequest) -> JsonResponse:
    """?ids=<uuid>,<uuid>: {id: {html, moving}} for those that the asker may see."""
    require(request, Permission.DOCUMENT_VIEW)
    ids = []
    for text in request.GET.get("ids", "").split(",")[:_IDS_AT_MOST]:
        try:
            ids.append(UUID(text))
        except ValueError:
            continue
    found = progress_of_documents(ids)
    return JsonResponse(
        {
            str(document.id): {
                "html": state_html(document, found.get(document.id)),
                "moving": _moves(document, found.get(document.id)),
            }
            for document in Document.objects.filter(id__in=ids)
        }
    )


def _moves(document: Document, found: IngestProgress | None) -> bool:
    """On its way in, or ready and being embedded again."""
    return document.status in MOVING or (found is not None and not found.is_finished)
