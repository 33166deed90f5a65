"""Legal holds: which there are, what each is on and how it came about. Placing, reviewing, releasing: hold_acts."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.urls.resolvers import URLPattern

from apps.audit.admin.events.event import class_of
from apps.audit.models import Event
from apps.erasure.admin.holds.acts import items_view, place_view, release_view, review_view
from apps.erasure.admin.holds.pick import choices_of
from apps.erasure.holds.selectors import members, target_of
from apps.erasure.models import LegalHold
from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.pages import page
from apps.tenants.display import moment, pill
from apps.tenants.roles import Permission

GONE = "no longer a member"


@admin.register(LegalHold)
class LegalHoldAdmin(TenantModelAdmin):
    title_plural = "Legal holds"
    add_label = "Place a legal hold"
    empty_text = (
        "There is no legal hold. Place one if a claim, a court or an authority obliges the firm to keep documents or "
        "parts of the log: with “Place a legal hold”, from a document's page or from an event's page."
    )

    list_display = ("matter", "state", "review", "owner", "covers", "placed")
    list_display_links = ("matter",)
    search_fields = ("matter", "ground")
    search_help_text = "Matter or ground"
    sortable_by = ()

    view_permission = Permission.AUDIT_VIEW
    add_permission = Permission.PRIVACY_MANAGE
    in_palette = False
    error_fields = {
        "audit.hold_owner_not_a_member": "owner",
        "audit.hold_review_date": "review_on",
        "audit.hold_says_nothing": "reason",
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[LegalHold]:
        return super().get_queryset(request).prefetch_related("items")

    def get_ordering(self, request: HttpRequest) -> Any:
        """Open ones first, what is due before what is not; then the ended ones, latest first."""
        return (F("released_at").desc(nulls_first=True), "review_on", "id")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list, with its owners' names: one query for all."""
        changelist: Any = super().get_changelist_instance(request)
        names = {member.id: member.name for member in members()}
        for hold in changelist.result_list:
            hold.owner_name = names.get(hold.owner_id, GONE)
        return changelist

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="State")
    def state(self, hold: LegalHold) -> str:
        return state_pill(hold)

    @admin.display(description="To be reviewed on")
    def review(self, hold: LegalHold) -> str:
        return f"{hold.review_on:%d %b %Y}"

    @admin.display(description="Owner")
    def owner(self, hold: Any) -> str:
        return str(hold.owner_name)

    @admin.display(description="On")
    def covers(self, hold: Any) -> str:
        count = len(hold.items.all())
        return f"{count:,} item{'' if count == 1 else 's'}"

    @admin.display(description="Placed")
    def placed(self, hold: LegalHold) -> str:
        return moment(hold.placed_at)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [
            self.page("<uuid:object_id>/items/", items_view(self), name="items"),
            self.page("<uuid:object_id>/review/", review_view(self), name="review"),
            self.page("<uuid:object_id>/release/", release_view(self), name="release"),
        ]

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        if object_id is None:
            return place_view(self, request)
        require(request, self.view_permission)
        hold: LegalHold = self.find(request, object_id)
        items = list(hold.items.all())
        shown = choices_of(target_of(item) for item in items)
        names = {member.id: member.name for member in members()}
        return page(
            self,
            request,
            "glassbox/hold.html",
            title=hold.matter,
            crumbs=[hold.matter],
            hold=hold,
            state=state_pill(hold),
            owner=names.get(hold.owner_id, GONE),
            items=[(item, shown.get(target_of(item))) for item in items],
            may_manage=may(request, Permission.PRIVACY_MANAGE),
            story=self._story(hold),
            history_url=self.url("history", hold.pk),
        )

    def _story(self, hold: LegalHold) -> list[tuple[Event, str]]:
        events = Event.objects.filter(subject_type="legal_hold", subject_id=hold.id).order_by("occurred_at", "id")
        return [(event, known.label if (known := class_of(event)) else event.action) for event in events]


def state_pill(hold: LegalHold) -> str:
    if not hold.is_open:
        return pill("Released", "quiet")
    return pill("Review is due", "warn") if hold.is_overdue() else pill("In force", "good")
