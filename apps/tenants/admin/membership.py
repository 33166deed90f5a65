"""Members: who works in this tenant, in which role and scopes, since when. Rows end; they are neither edited nor
deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern
from django.utils import timezone

from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.kit import ChoicesDropdownFilter
from apps.tenants.admin.membership_filters import StandingFilter
from apps.tenants.admin.membership_forms import ROLE_SENTENCES, FactorResetForm, MemberInviteForm, MemberScopesForm
from apps.tenants.admin.membership_story import Standing, given_by, may_confirm, standing_of
from apps.tenants.admin.pages import Decision, decision_page, form_page, page
from apps.tenants.admin.read import number_read
from apps.tenants.display import moment, pill
from apps.tenants.errors import FactorResetSettledError, MembershipSettledError
from apps.tenants.ids import UserId
from apps.tenants.models import Invitation, Membership, Scope, User
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission, Role, approvals
from apps.tenants.second_factor.resets import factor_reset_agree, factor_reset_ask, open_reset_of
from apps.tenants.second_person import are_hands_above
from apps.tenants.selectors.directory import reach_in_words, with_reach
from apps.tenants.selectors.invitations import invitations_waiting
from apps.tenants.selectors.members import membership_revision
from apps.tenants.services.invitations import invitation_resend, invitation_withdraw, member_invite
from apps.tenants.services.members import membership_confirm, membership_decline, membership_revoke
from apps.tenants.services.people import membership_scopes_set


@admin.register(Membership)
class MembershipAdmin(TenantModelAdmin):
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

    def member_add(self, request: HttpRequest) -> HttpResponse:
        """Send a link to a mailbox. No account is looked for, so that nothing can be told of one."""
        require(request, self.add_permission)
        form = MemberInviteForm(request.POST or None)

        def act() -> HttpResponse:
            typed = form.cleaned_data
            member_invite(email=typed["email"], role=typed["role"], scopes=typed["scopes"])
            messages.success(
                request,
                (
                    f"An invitation as {typed['role'].label} is on its way to {typed['email']}. The link works for "
                    "seven days."
                ),
            )
            return HttpResponseRedirect(self.url("changelist"))

        return form_page(
            self,
            request,
            form,
            act,
            title="Invite a person",
            intro=(
                "Glassbox sends a link to their mailbox. They accept with their own account and set their password "
                "themselves. A role that approves also needs the agreement of somebody who holds what it approves."
            ),
            action="Send the invitation",
        )

    def resend_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.MEMBER_MANAGE)
        invitation = self._invitation(object_id)

        def act() -> HttpResponse:
            invitation_resend(invitation)
            messages.success(request, f"The invitation is on its way to {invitation.email} again, with a new link.")
            return HttpResponseRedirect(self.url("changelist"))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Send the invitation to {invitation.email} again?",
                effects=[
                    ("Glassbox sends a new link to the mailbox. It works for seven days."),
                    "The earlier link stops working.",
                ],
                action="Send it again",
                dangerous=False,
            ),
            act,
            crumbs=["Send an invitation again"],
            back=self.url("changelist"),
        )

    def withdraw_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.MEMBER_MANAGE)
        invitation = self._invitation(object_id)

        def act() -> HttpResponse:
            invitation_withdraw(invitation)
            messages.success(request, "The invitation is withdrawn.")
            return HttpResponseRedirect(self.url("changelist"))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Withdraw the invitation to {invitation.email}?",
                effects=["Its link stops working. You may invite the same mailbox again."],
                action="Withdraw the invitation",
            ),
            act,
            crumbs=["Withdraw an invitation"],
            back=self.url("changelist"),
        )

    def _invitation(self, invitation_id: str) -> Invitation:
        invitation: Invitation | None = invitations_waiting().filter(id=invitation_id).first()
        if invitation is None:
            raise Http404("There is no open invitation with this id.")
        return invitation

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
                    f"They were invited by {given_by(membership)}. Agree only if you know the person and know that "
                    "this account is theirs: you are the second person.",
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
            raise MembershipSettledError
        return membership

    def factor_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask to take a member's second factor away, which they have lost."""
        require(request, Permission.MEMBER_MANAGE)
        membership = self.find(request, str(object_id))

        def act() -> HttpResponse:
            factor_reset_ask(membership.user, reason=form.cleaned_data["reason"])
            messages.success(request, "It waits for somebody else who may approve, on this page.")
            return HttpResponseRedirect(self.url("change", membership.pk))

        form = FactorResetForm(request.POST or None)
        return form_page(
            self,
            request,
            form,
            act,
            title=f"Ask to remove the second factor of {membership.user}",
            intro=(
                "Use this for a lost device. Somebody else who may approve must agree. Then the person is told by "
                "e-mail and sets up another device. Make sure that it is really this person who asks you."
            ),
            action="Ask",
            crumbs=[(str(membership), self.url("change", membership.pk)), "Second factor"],
            back=self.url("change", membership.pk),
        )

    def factor_agree_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        membership = self.find(request, str(object_id))
        reset = open_reset_of(UserId(membership.user_id))
        if not may(request, Permission.POLICY_APPROVE):
            require(request, Permission.PRIVACY_APPROVE)
        if reset is None:
            raise FactorResetSettledError
        asked_by = User.objects.filter(id=reset.asked_by_id).first()

        def act() -> HttpResponse:
            if factor_reset_agree(reset):
                messages.success(
                    request, (f"The second factor of {membership.user} is removed. They are told by e-mail.")
                )
            else:
                messages.info(
                    request,
                    (
                        f"You agreed. {membership.user} also approves in other tenants: the factor is removed once "
                        "two people agree there."
                    ),
                )
            return HttpResponseRedirect(self.url("change", membership.pk))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Agree to remove the second factor of {membership.user}?",
                effects=[
                    f"{asked_by or 'Somebody who is no member any more'} asked for it: “{reset.reason}”",
                    "After that, anybody who has this person's password can set up their own device. Agree only if "
                    "this person told you directly that their device is lost.",
                    "If they also approve in other tenants, the factor is removed once two people in each tenant "
                    "have agreed, within seven days. Keys that were made with it end with it.",
                ],
                action="Agree: remove it",
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "Second factor"],
            back=self.url("change", membership.pk),
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
