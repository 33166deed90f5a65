"""Try a text on a draft's compliance profile as it is typed: which rules fire, and by which words. Nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from apps.intents.admin.draft.fields import DraftFields
from apps.intents.admin.draft.links import crumbs, draft_crumb, find_version, version_admin
from apps.intents.admin.draft.parse import parse_draft
from apps.intents.admin.draft.post import fields_from
from apps.intents.profile.contracts import BOUNDS, Fired, ProfileRule
from apps.intents.profile.matching import find_rules
from apps.intents.profile.values import terms_not_permitted
from apps.intents.profile_words import IN_ANSWER, IN_QUESTION, SORTS
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import own_draft
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import page
from apps.tenants.roles import Permission

MOST_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FiredShown:
    """A rule that fired, in words."""

    name: str
    sort: str
    words: tuple[str, ...]
    effects: tuple[str, ...]
    reason: str


@require_POST
def draft_try_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Try what was typed, on the profile as typed. A page of its own without the script, a part with it."""
    require(request, Permission.POLICY_EDIT)
    version = own_draft(find_version(version_id).id)
    stored = version_snapshot(version)
    fields = fields_from(request.POST, stored.kinds)
    text = "".join(request.POST.getlist("try-text")[-1:])
    parsed = parse_draft(fields, stored)
    rules: tuple[ProfileRule, ...] = parsed.content.profile if parsed.content else ()
    problem = _problem(text, fields, readable=parsed.content is not None)
    fired = () if problem else find_rules(text, rules)
    asked_by_script = request.headers.get("X-Requested-With") == "fetch"
    return page(
        version_admin(),
        request,
        "glassbox/draft_tried.html" if asked_by_script else "glassbox/draft_tried_page.html",
        title="Text tried on the profile",
        crumbs=crumbs(draft_crumb(version), "Text tried on the profile"),
        version=version,
        text=text,
        problem=problem,
        fired=[_shown(each) for each in fired],
        looked=sum(bool(terms_not_permitted(rule)) for rule in rules),
    )


def _problem(text: str, fields: DraftFields, *, readable: bool) -> str:
    if not text.strip():
        return "Enter a question or a text to try."
    if len(text) > MOST_CHARS:
        return f"The text has {len(text):,} characters; at most {MOST_CHARS:,} are tried at once. Shorten it."
    if not readable:
        return "The draft can't be read as it is: save it to see what has to be corrected first."
    return ""


def _shown(fired: Fired) -> FiredShown:
    rule = fired.rule
    return FiredShown(
        name=rule.name,
        sort=SORTS[rule.sort],
        words=fired.words,
        effects=tuple(
            each.replace(" it", " anything else", 1) if rule.sort in BOUNDS else each
            for each in (IN_QUESTION[rule.in_question], IN_ANSWER[rule.in_answer])
        ),
        reason=rule.text,
    )
