"""Members: who works in this tenant, in which role and scopes, since when. Rows end; they are neither edited nor
deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern
from django.utils import timezone

from apps.tenants.admin.base import may, require
from apps.tenants.admin.kit import ChoicesDropdownFilter, DropdownFilter
from apps.tenants.admin.membership_factor import FactorPages
from apps.tenants.admin.membership_forms import ROLE_SENTENCES, MemberScopesForm
from apps.tenants.admin.membership_invitations import InvitationPages
from apps.tenants.admin.membership_story import Standing, given_by, may_confirm, standing_of
from apps.tenants.admin.pages import Decision, decision_page, form_page, page
from apps.tenants.admin.read import number_read
from apps.tenants.display import moment, pill
from apps.tenants.errors import MembershipError
from apps.tenants.ids import UserId
from apps.tenants.models import Membership, Scope
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission, Role, approvals
from apps.tenants.second_factor.resets import open_reset_of
from apps.tenants.second_person import are_hands_above
from apps.tenants.selectors.directory import reach_in_words, with_reach
from apps.tenants.selectors.invitations import invitations_waiting
from apps.tenants.selectors.members import membership_revision
from apps.tenants.services.members import membership_confirm, membership_decline, membership_revoke
from apps.tenants.services.people import membership_scopes_set


class StandingFilter(DropdownFilter):
    title = "standing"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("valid", "Valid now"), ("waiting", "Awaiting confirmation"), ("ended", "Ended")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "ended":
            return queryset.filter(revoked_at__isnull=False)
        if self.value() in ("valid", "waiting"):
            return queryset.filter(revoked_at__isnull=True, confirmed_at__isnull=self.value() == "waiting")
        return queryset


@admin.register(Membership)
class MembershipAdmin(InvitationPages, FactorPages):
    title_plural = "Members"
    add_label = "Invite a person"
    empty_text = "Nobody is a member yet. Send somebody a link with “Invite a person”."
    list_before_template = "glassbox/invitations.html"

    list_display = ("person", "role_name", "reaches", "since", "standing")
    list_display_links = ("person",)
    search_fields = ("user__username", "user__first_name", "user__last_name")
    search_help_text = "Name or username"
    list_filter = (("role", ChoicesDropdownFilter), StandingFilter)
    list_select_related = ("user",)
    ordering = ("user__username",)

    view_permission = Permission.MEMBER_VIEW
    add_permission = Permission.MEMBER_MANAGE

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return with_reach(super().get_queryset(request).select_related("user"))

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Person", ordering="user__username")
    def person(self, membership: Membership) -> str:
        name = membership.user.get_full_name()
        return f"{name} ({membership.user.username})" if name else membership.user.username

    @admin.display(description="Role", ordering="role")
    def role_name(self, membership: Membership) -> str:
        return Role(membership.role).label

    @admin.display(description="Scopes")
    def reaches(self, membership: Any) -> str:
        return "—" if membership.revoked_at else reach_in_words(membership.scope_keys)

    @admin.display(description="Since", ordering="confirmed_at")
    def since(self, membership: Membership) -> str:
        return moment(membership.confirmed_at)

    @admin.display(description="Standing", ordering="revoked_at")
    def standing(self, membership: Membership) -> str:
        standing = standing_of(membership)
        if standing is Standing.ENDED:
            return moment(membership.revoked_at)
        return pill(standing.value, "good" if standing is Standing.IN_FORCE else "warn")

    def palette_note(self, membership: Membership) -> str:
        return {Standing.IN_FORCE: "member", Standing.WAITING: "awaits confirmation"}.get(
            standing_of(membership), "former member"
        )

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [
            self.page("<uuid:object_id>/scopes/", self.scopes_view, name="scopes"),
            self.page("<uuid:object_id>/end/", self.end_view, name="end"),
            self.page("<uuid:object_id>/confirm/", self.confirm_view, name="confirm"),
            self.page("<uuid:object_id>/decline/", self.decline_view, name="decline"),
            self.page("<uuid:object_id>/second-factor/", self.factor_view, name="factor"),
            self.page("<uuid:object_id>/second-factor/agree/", self.factor_agree_view, name="factor_agree"),
            self.page("invitations/<uuid:object_id>/send/", self.resend_view, name="resend"),
            self.page("invitations/<uuid:object_id>/withdraw/", self.withdraw_view, name="withdraw"),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        require(request, self.view_permission)
        context = {
            "invitations": list(invitations_waiting()),
            "now": timezone.now(),
            "may_manage": self.has_add_permission(request),
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        if object_id is None:
            return self.member_add(request)
        require(request, self.view_permission)
        membership = self.find(request, object_id)
        return page(
            self,
            request,
            "glassbox/membership.html",
            title=str(membership),
            crumbs=[str(membership)],
            membership=membership,
            person=self.person(membership),
            role=Role(membership.role).label,
            reach=self.reaches(membership),
            standing=standing_of(membership),
            waits=membership.awaits_confirmation,
            given_by=given_by(membership),
            may_manage=self.has_add_permission(request) and membership.revoked_at is None,
            may_confirm=may_confirm(request, membership),
            reset=open_reset_of(UserId(membership.user_id)),
            may_agree=may(request, Permission.POLICY_APPROVE) or may(request, Permission.PRIVACY_APPROVE),
            is_own=membership.user_id == principal_of(request).id,
            is_same_hands=membership.awaits_confirmation
            and are_hands_above(
                tenant_id=membership.tenant_id, account=membership.user_id, inviter=membership.created_by_id
            ),
        )

    def confirm_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        membership = self._waiting(request, object_id)
        role = Role(membership.role)
        # Of what the page tells, its scopes among it: what changes meanwhile is not agreed to.
        revision = membership_revision(membership.id)

        def act() -> HttpResponse:
            membership_confirm(membership, revision=number_read(request.POST))
            messages.success(request, f"{membership}: confirmed. The role gives its rights from now on.")
            return HttpResponseRedirect(self.url("change", membership.pk))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Agree that {membership.user} becomes {role.label}?",
                effects=[
                    f"{self.person(membership)} may decide on what others propose: {ROLE_SENTENCES[role]}.",
                    f"They reach: {self.reaches(membership)}.",
                    (
                        f"They were invited by {given_by(membership)}. Agree only if you know the person and know "
                        "that this account is theirs: you are the second person."
                    ),
                ],
                action=f"Agree: {role.label} from now on",
                dangerous=False,
                read={"revision": revision},
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "Confirm"],
            back=self.url("change", membership.pk),
        )

    def decline_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        membership = self._waiting(request, object_id)

        def act() -> HttpResponse:
            membership_decline(membership, revision=number_read(request.POST))
            messages.success(request, f"{membership}: declined. It never gave any rights.")
            return HttpResponseRedirect(self.url("changelist"))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Refuse that {membership.user} becomes {Role(membership.role).label}?",
                effects=["The membership ends without ever giving any rights. They may be invited again."],
                action="Refuse",
                read={"revision": membership_revision(membership.id)},
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "Refuse"],
            back=self.url("change", membership.pk),
        )

    def _waiting(self, request: HttpRequest, object_id: str) -> Membership:
        membership: Membership = self.find(request, str(object_id))
        for permission in sorted(approvals(Role(membership.role))):
            require(request, permission)
        if not membership.awaits_confirmation:
            raise MembershipError("tenants.membership_settled")
        return membership

    def scopes_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.MEMBER_MANAGE)
        membership = self.find(request, str(object_id))
        held = Scope.objects.filter(grants__membership=membership, grants__valid_to__isnull=True)
        form = MemberScopesForm(
            request.POST or None, initial={"scopes": [str(i) for i in held.values_list("id", flat=True)]}
        )

        def act() -> HttpResponse:
            membership_scopes_set(membership, scopes=form.cleaned_data["scopes"])
            messages.success(request, f"{membership}: the scopes are changed, from the next request on.")
            return HttpResponseRedirect(self.url("change", membership.pk))

        return form_page(
            self,
            request,
            form,
            act,
            title="Change scopes",
            intro=f"Which parts of the tenant {membership} reaches. Each grant that begins or ends is recorded.",
            action="Save scopes",
            crumbs=[(str(membership), self.url("change", membership.pk)), "Change scopes"],
            back=self.url("change", membership.pk),
        )

    def end_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.MEMBER_MANAGE)
        membership = self.find(request, str(object_id))
        others = Membership.objects.filter(IN_FORCE, role=Role.TENANT_ADMIN).exclude(id=membership.id)
        effects = [
            f"{membership.user} loses the role {Role(membership.role).label} and every scope that it reached, from "
            "their next request on.",
            "Other roles of the same person stay as they are. What they did stays in the audit log.",
        ]
        if membership.role == Role.TENANT_ADMIN and not others.exists():
            effects.append("This is the last tenant administrator. After that nobody can manage members and keys.")

        def act() -> HttpResponse:
            membership_revoke(membership)
            messages.success(request, f"{membership}: the membership has ended. It is recorded in the audit log.")
            return HttpResponseRedirect(self.url("changelist"))

        return decision_page(
            self,
            request,
            Decision(
                question=f"End the membership of {membership}?",
                effects=effects,
                irreversible="An ended membership can't be restored. Inviting the person again begins a new one.",
                action="End membership",
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "End"],
            back=self.url("change", membership.pk),
        )
