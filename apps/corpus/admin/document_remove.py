"""Removing a document: a page that proposes it to a second person; one's own upload that nobody read goes at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services.documents import may_discard
from apps.corpus.services.removals import REASONS, document_remove, is_due, proposal_of
from apps.erasure.admin.removals.words import REASONS as REASONS_IN_WORDS
from apps.erasure.holds.restrictions import restricted_among
from apps.erasure.models import RemovalRun
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import Decision, decision_page, form_page
from apps.tenants.models import Membership
from apps.tenants.requests import principal_of
from apps.tenants.roles import PERMISSIONS, Permission, Role

# What a reader of another scope has of a copy there.
_STATES: Final[Mapping[str, str]] = {
    DocumentStatus.READY: "and is searchable there",
    DocumentStatus.SUPERSEDED: "as an earlier version: only questions as of an earlier date find it there",
    DocumentStatus.RECEIVED: "and is being read there: no question finds it yet",
    DocumentStatus.PROCESSING: "and is being read there: no question finds it yet",
    DocumentStatus.FAILED: "but could not be read there: no question finds it",
}
_APPROVING: Final = [role for role in Role if Permission.PRIVACY_APPROVE in PERMISSIONS[role]]


class RemovalForm(forms.Form):
    use_required_attribute = False
    reason = forms.ChoiceField(
        label="Why it is to be removed",
        choices=[("", "Choose one"), *((each.value, REASONS_IN_WORDS[each]) for each in REASONS)],
        widget=UnfoldAdminSelectWidget(),
        error_messages={
            "required": "Choose why it is to be removed: whoever decides needs the reason, and so does the audit log."
        },
    )
    words = forms.CharField(
        label="In your own words",
        max_length=1000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="Whoever decides reads this, and the audit log keeps it. Name nobody.",
        error_messages={"required": "Give the reason in a few words: whoever decides and the audit log need it."},
    )


def remove_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.DOCUMENT_DELETE)
        document: Document = model_admin.find(request, str(object_id))
        return (_discard if may_discard(document) else _propose)(model_admin, request, document)

    return view


def removal_notes(run: RemovalRun) -> list[str]:
    """What whoever decides on a removal is told of the document, as far as they see it."""
    document: Document | None = Document.objects.filter(id=run.origin_id).first()
    if document is None:
        return ["You don't see the document: it is in a scope that you don't hold."]
    if is_due(document):
        notes = ["The retention rules in force permit its removal."]
    else:
        notes = [
            "The retention rules in force require it to be kept for longer: it would be removed early, for the reason "
            "above."
        ]
    return [*notes, *_filed_elsewhere(document)]


def _filed_elsewhere(document: Document) -> list[str]:
    """In which other scopes, of those that the reader holds, the same file stands as the same kind, and whether anybody
    finds it there."""
    same = Document.objects.filter(kind=document.kind, content_sha256=document.content_sha256)
    others = list(same.exclude(scope_id=document.scope_id).select_related("scope"))
    hidden = restricted_among(each.id for each in others)
    found: dict[str, set[str]] = {}
    for each in others:
        if each.id in hidden:
            continue
        state = "but its removal is proposed there, too" if proposal_of(each.id) else _STATES[each.status]
        found.setdefault(state, set()).add(str(each.scope))
    return [
        f"The same file is also filed in {', '.join(sorted(names))}, {state}." for state, names in sorted(found.items())
    ]


def _propose(model_admin: TenantModelAdmin, request: HttpRequest, document: Document) -> HttpResponse:
    form = RemovalForm(request.POST if request.method == "POST" else None)

    def act() -> HttpResponse:
        said = form.cleaned_data
        run = document_remove(document_id=document.id, reason=said["reason"], words=said["words"])
        if run is None:
            messages.success(request, f"{document.title}, version {document.version}, is removed.")
            return HttpResponseRedirect(model_admin.url("changelist"))
        messages.success(request, "Proposed. Nothing is removed until somebody else has approved it.")
        return HttpResponseRedirect(reverse("admin:removal_run", args=[run.id]))

    here = model_admin.url("change", document.pk)
    return form_page(
        model_admin,
        request,
        form,
        act,
        title=f"Propose to remove {document.title}, version {document.version}",
        intro="No single person removes a document: you propose it, and somebody else decides.",
        action="Propose the removal",
        crumbs=[(document.title, here), "Propose its removal"],
        back=here,
        template="glassbox/document_remove.html",
        effects=_effects(document),
        due=is_due(document),
        deciders=_deciders(request),
    )


def _discard(model_admin: TenantModelAdmin, request: HttpRequest, document: Document) -> HttpResponse:
    def act() -> HttpResponse:
        document_remove(document_id=document.id)
        messages.success(request, f"{document.title}, version {document.version}, is removed.")
        return HttpResponseRedirect(model_admin.url("changelist"))

    here = model_admin.url("change", document.pk)
    return decision_page(
        model_admin,
        request,
        Decision(
            question=f"Remove your upload {document.title}, version {document.version}?",
            effects=["It was never searchable: nobody has read it, and no answer used it.", *_effects(document)],
            irreversible="The file is removed from this installation. To get it back, upload it again.",
            action="Remove this upload",
        ),
        act,
        crumbs=[(document.title, here), "Remove"],
        back=here,
    )


def _effects(document: Document) -> list[str]:
    effects = [
        f"The original file, {document.page_count:,} pages and {document.chunk_count:,} passages with their vectors "
        "and search terms are removed, and its jobs with them.",
        "The audit log still shows that it was here, who uploaded it, and which answers used it.",
    ]
    if document.status == DocumentStatus.READY:
        effects.insert(1, "Questions no longer find it. An earlier version does not return automatically.")
    if document.status in (DocumentStatus.RECEIVED, DocumentStatus.PROCESSING):
        effects.insert(1, "It is being read at the moment; the worker stops.")
    return effects


def _deciders(request: HttpRequest) -> list[str]:
    """Everybody of the tenant who may approve; who proposes may not."""
    memberships = Membership.objects.filter(role__in=_APPROVING, revoked_at__isnull=True, user__is_active=True)
    others = memberships.exclude(user_id=principal_of(request).id).select_related("user")
    return sorted({str(membership.user) for membership in others})
