"""What a draft comes to, as it is typed: its problems, what it changes, and how the context fills. Nothing is saved."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST

from apps.intents.admin.draft.fields import DraftFields
from apps.intents.admin.draft.full_context import full_contexts
from apps.intents.admin.draft.links import find_version
from apps.intents.admin.draft.parse import ParsedDraft, parse_draft
from apps.intents.admin.draft.post import fields_from
from apps.intents.admin.draft.problems import by_part, placed_problems
from apps.intents.diff import policy_diff
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.successor import usage_problems
from apps.tenants.admin.base import require
from apps.tenants.roles import Permission


@require_POST
def draft_preview_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """The same parts as on the page, for what is in the form now. Asked by the script after each change."""
    require(request, Permission.POLICY_EDIT)
    stored = version_snapshot(find_version(version_id))
    fields = fields_from(request.POST, stored.kinds)
    context = outlook(fields, parse_draft(fields, stored))
    return TemplateResponse(request, "glassbox/draft_preview.html", context, headers={"Cache-Control": "no-store"})


def outlook(fields: DraftFields, parsed: ParsedDraft) -> dict[str, Any]:
    """For the templates. Without a content there is nothing to tell but that something must be mended first."""
    in_force = policy_in_force()
    content = parsed.content
    problems = placed_problems(usage_problems(content), fields) if content else ()
    return {
        "readable": content is not None,
        "problems": problems,
        "problems_of": by_part(problems),
        "in_force": in_force,
        "diff": policy_diff(in_force, content) if content else None,
        "full_contexts": full_contexts(content) if content else (),
    }
