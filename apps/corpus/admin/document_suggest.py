"""Suggestions of a kind beside the upload form, for each file that was chosen."""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_POST

from apps.corpus.services.ingest.suggest import kind_suggest
from apps.corpus.suggestion import KindSuggestion
from apps.tenants.admin.base import require
from apps.tenants.roles import Permission

_FIRST_BYTES = 65_536


@require_POST
def suggest_view(request: HttpRequest) -> JsonResponse:
    """Say what one file may be: its name and first bytes are sent, before anything is uploaded."""
    require(request, Permission.DOCUMENT_ADD)
    beginning = request.FILES.get("beginning")
    content = beginning.read(_FIRST_BYTES) if isinstance(beginning, UploadedFile) else b""
    found = kind_suggest(filename=request.POST.get("filename", "")[:255] or "unnamed", content=content)
    return JsonResponse(
        {"suggestions": [{"kind": each.kind.value, "name": each.name, "why": ". ".join(each.why)} for each in found]}
    )


def in_words(found: tuple[KindSuggestion, ...]) -> str:
    """Return the best suggestion as a sentence, for a form that came without a kind."""
    return f"It looks like {found[0].name}: {'; '.join(found[0].why).lower()}." if found else ""
