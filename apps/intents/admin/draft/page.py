"""The editor of a policy draft: one form, one save. An officer reads no code here, and no JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.corpus.kinds import KIND_KEY
from apps.intents.admin.draft.comments import last_words
from apps.intents.admin.draft.fields import DraftFields, fields_of, with_new_intent, with_new_kind
from apps.intents.admin.draft.invariants import invariant_fields, invariant_rows
from apps.intents.admin.draft.links import crumbs, find_version, version_address, version_admin
from apps.intents.admin.draft.parse import ParsedDraft, parse_draft
from apps.intents.admin.draft.post import fields_from
from apps.intents.admin.draft.preview import outlook
from apps.intents.admin.draft.profile import rule_fields, rule_rows, value_lists
from apps.intents.admin.draft.rows import (
    budget_rows,
    class_choices,
    field_title,
    intent_rows,
    kind_columns,
    reason_entry,
    recording_choices,
    setting_rows,
    source_choices,
    total_entry,
)
from apps.intents.admin.draft.settings import RETRIEVAL, THRESHOLDS
from apps.intents.admin.draft.trying import try_choices
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import SAME, policy_diff
from apps.intents.errors import DraftChangedError, NotADraftError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.reviewers import TwoFor
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import draft_save, own_draft
from apps.intents.services.successor import usage_problems
from apps.intents.validation import MAXIMUM_INTENTS, MINIMUM_EXAMPLES, MINIMUM_INTENTS
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import page
from apps.tenants.admin.read import number_read
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission


@require_http_methods(["GET", "HEAD", "POST"])
def draft_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Show the draft; a POST saves it, or comes back with everything that was typed."""
    require(request, Permission.POLICY_EDIT)
    version = find_version(version_id)
    if request.method == "POST":
        return _save(request, version)
    if version.status != VersionStatus.DRAFT:
        return HttpResponseRedirect(version_address(version))
    if version.author_id is None or version.author_id != principal_of(request).id:
        return _of_somebody_else(request, version)
    stored = version_snapshot(version)
    fields = fields_of(stored)
    return _editor(request, version, fields, parse_draft(fields, stored), revision=version.revision)


def _save(request: HttpRequest, version: PolicyVersion) -> HttpResponse:
    stored = version_snapshot(version)
    fields, revision = fields_from(request.POST, stored.kinds), number_read(request.POST)
    parsed = parse_draft(fields, stored)
    try:
        with transaction.atomic():
            own_draft(version.id)  # whose it is comes before what is wrong with it
            if request.POST.get("add") == "kind":
                return _with_kind(request, version, fields, stored, revision=revision)
            if "add" in request.POST:
                fields = with_new_intent(fields)
                return _editor(request, version, fields, parse_draft(fields, stored), revision=revision, added=True)
            if parsed.content is None:
                return _editor(request, version, fields, parsed, revision=revision, status=422)
            saved = draft_save(version.id, content=parsed.content, reason=fields.reason, revision=revision)
    except NotADraftError as error:
        return _editor(request, version, fields, parsed, revision=revision, status=409, refusal=error.detail)
    except DraftChangedError:
        conflict = _conflict(stored, parsed.content, fields)
        # With the revision that stands there now: having read the difference, the officer may save over it.
        return _editor(request, version, fields, parsed, revision=version.revision, status=409, conflict=conflict)
    problems = len(usage_problems(parsed.content))
    left = f" {problems} problem{'s' * (problems != 1)} to fix before it can be submitted." if problems else ""
    messages.success(
        request, f"Draft saved, version {saved.number}. Nothing in it takes effect until it is approved.{left}"
    )
    return HttpResponseRedirect(reverse("admin:policy_draft", args=[saved.id]))


def _with_kind(
    request: HttpRequest, version: PolicyVersion, fields: DraftFields, stored: PolicySnapshot, *, revision: int
) -> HttpResponse:
    """The form with one more kind, or with what is wrong with its key."""
    key = " ".join(request.POST.getlist("new-kind")[-1:]).strip()
    problem = ""
    if not re.fullmatch(KIND_KEY, key):
        problem = "Use only lower-case letters, digits and _, at most 32, and begin with a letter, such as loan_file."
    elif any(budget.kind == key for budget in fields.budgets):
        problem = "There is a kind with this key. Choose another."
    grown = fields if problem else with_new_kind(fields, key)
    parsed = parse_draft(grown, stored)
    return _editor(
        request,
        version,
        grown,
        parsed if problem else replace(parsed, errors={}),
        revision=revision,
        status=422 if problem else 200,
        new_kind=key if problem else "",
        kind_problem=problem,
        kind_added="" if problem else key,
    )


def _conflict(stored: PolicySnapshot, typed: PolicySnapshot | None, fields: DraftFields) -> tuple[str, ...]:
    """What saving would change of what stands there now; nothing where a save was sent twice."""
    changes = policy_diff(stored, typed).sentences if typed else ()
    another = () if stored.reason == fields.reason else ("The reason has changed.",)
    return (*(each for each in changes if each != SAME), *another)


def _editor(
    request: HttpRequest,
    version: PolicyVersion,
    fields: DraftFields,
    parsed: ParsedDraft,
    *,
    revision: int,
    status: int = 200,
    added: bool = False,
    refusal: str = "",
    conflict: tuple[str, ...] | None = None,
    new_kind: str = "",
    kind_problem: str = "",
    kind_added: str = "",
) -> HttpResponse:
    seen = outlook(fields, parsed)
    errors, problems = ({} if added else parsed.errors), seen["problems_of"]
    rows = intent_rows(fields, errors, problems)
    stored = version_snapshot(version).invariants if fields.invariants is None else ()
    profile = rule_fields(version_snapshot(version).profile) if fields.profile is None else fields.profile
    two_for = fields.two_reviewers_for
    if two_for is None:
        two_for = tuple(each.value for each in version_snapshot(version).two_reviewers_for)
    context: dict[str, Any] = {
        "version": version,
        "fields": fields,
        "revision": revision,
        "added": added,
        "dirty": request.method == "POST",
        "refusal": refusal,
        "conflict": conflict,
        "errors": [
            (field, field_title(field, fields), said) for field, sentences in errors.items() for said in sentences
        ],
        "impact_url": address("policy_impact_page", version.id),
        "comment": last_words([version]).get(version.id),
        "kinds": kind_columns(fields),
        "rows": rows,
        "newest": rows[-2].key if added else "",
        "budgets": budget_rows(fields, errors, problems),
        "classes": class_choices(),
        "sources": source_choices(),
        "new_kind": new_kind,
        "kind_problem": kind_problem,
        "kind_added": kind_added,
        "total": total_entry(fields, errors),
        "reason": reason_entry(fields, errors),
        "thresholds": setting_rows(THRESHOLDS, fields, errors, problems),
        "retrieval": setting_rows(RETRIEVAL, fields, errors, problems),
        "retrieval_wrong": any(f"setting-{setting.name}" in errors for setting in RETRIEVAL),
        "invariants": invariant_rows(
            invariant_fields(stored) if fields.invariants is None else fields.invariants,
            [(kind.kind, kind.name or kind.kind) for kind in kind_columns(fields)],
            dict(errors),
        ),
        **rule_rows(profile, errors),
        "value_lists": value_lists(),
        **try_choices(version_snapshot(version)),
        "problems_profile": problems.get("part-profile", ()),
        "two_for": [(each, each in two_for) for each in TwoFor],
        "errors_two_for": errors.get("two-for", ()),
        "problems_invariants": problems.get("part-invariants", ()),
        "problems_matrix": problems.get("part-matrix", ()),
        "problems_budgets": problems.get("part-budgets", ()),
        "recording_choices": recording_choices(),
        "limits": {"low": MINIMUM_INTENTS, "high": MAXIMUM_INTENTS, "examples": MINIMUM_EXAMPLES},
        **seen,
    }
    title = f"Draft of version {version.number}"
    return page(
        version_admin(), request, "glassbox/draft.html", title=title, crumbs=crumbs(title), status=status, **context
    )


def _of_somebody_else(request: HttpRequest, version: PolicyVersion) -> HttpResponse:
    title = f"Draft of version {version.number}"
    return page(
        version_admin(),
        request,
        "glassbox/draft_foreign.html",
        title=title,
        crumbs=crumbs(title),
        version=version,
        author=version.author_label or "the platform",
        diff=policy_diff(policy_in_force(), version_snapshot(version)),
    )
