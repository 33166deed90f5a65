"""Members: who works in this tenant, in which role and scopes, since when. Rows end; they are neither edited nor
deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern

from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.kit import ChoicesDropdownFilter
from apps.tenants.admin.membership_filters import StandingFilter
from apps.tenants.admin.membership_forms import MemberAddForm, MemberScopesForm
from apps.tenants.admin.pages import Decision, decision_page, form_page, page, secret_page
from apps.tenants.display import moment, pill
from apps.tenants.models import Membership, Scope
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.directory import reach_in_words, with_reach
from apps.tenants.services.members import membership_revoke
from apps.tenants.services.people import member_invite, membership_scopes_set


@admin.register(Membership)
class MembershipAdmin(TenantModelAdmin):
    title_plural = "Members"
    add_label = "Add member"
    empty_text = "Nobody is a member yet. Add a person with “Add member”."

    list_display = ("person", "role_name", "reaches", "since", "ended")
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

    @admin.display(description="Since", ordering="created_at")
    def since(self, membership: Membership) -> str:
        return moment(membership.created_at)

    @admin.display(description="Ended", ordering="revoked_at")
    def ended(self, membership: Membership) -> str:
        return moment(membership.revoked_at) if membership.revoked_at else pill("Valid", "good")

    def palette_note(self, membership: Membership) -> str:
        return "member" if membership.revoked_at is None else "former member"

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [
            self.page("<uuid:object_id>/scopes/", self.scopes_view, name="scopes"),
            self.page("<uuid:object_id>/end/", self.end_view, name="end"),
        ]

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
            may_manage=self.has_add_permission(request) and membership.revoked_at is None,
        )

    def member_add(self, request: HttpRequest) -> HttpResponse:
        """Add a member, with an account if the person has none; which of the two it was is not told."""
        require(request, self.add_permission)
        form = MemberAddForm(request.POST or None)

        def act() -> HttpResponse:
            typed = form.cleaned_data
            invitation = member_invite(
                username=typed["username"],
                email=typed["email"],
                first_name=typed["first_name"],
                last_name=typed["last_name"],
                role=typed["role"],
                scopes=typed["scopes"],
            )
            return secret_page(
                self,
                request,
                title=f"{typed['username']} is now a member as {typed['role'].label}",
                crumbs=["Member added"],
                secret=invitation.first_password,
                caption="First password",
                notes=[
                    "If this is the person's first account here, this is their password. Hand it over by a safe way; "
                    "they change it after signing in.",
                    "If they already had an account, they sign in as before, and this password does nothing.",
                    "It is shown this once and stored nowhere.",
                ],
                back=self.url("changelist"),
            )

        return form_page(
            self,
            request,
            form,
            act,
            title="Add member",
            intro="Give a person a role in this tenant. It is recorded, and takes effect at once.",
            action="Add member",
        )

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
        others = Membership.objects.filter(role=Role.TENANT_ADMIN, revoked_at__isnull=True).exclude(id=membership.id)
        effects = [
            f"{membership.user} loses the role {Role(membership.role).label} and every scope that it reached, from "
            "their next request on.",
            "Other roles of the same person stay as they are. What they did stays in the audit log.",
        ]
        if membership.role == Role.TENANT_ADMIN and not others.exists():
            effects.append("This is the last tenant administrator: nobody will be left to manage members and keys.")

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
                irreversible="An ended membership does not come back; adding the person again begins a new one.",
                action="End membership",
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "End"],
            back=self.url("change", membership.pk),
        )
