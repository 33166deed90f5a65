"""The pages of a tenant's invitations: invite a person, send the link again, withdraw it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.membership_forms import MemberInviteForm
from apps.tenants.admin.pages import Decision, decision_page, form_page
from apps.tenants.models import Invitation
from apps.tenants.roles import Permission
from apps.tenants.selectors.invitations import invitations_waiting
from apps.tenants.services.invitations import invitation_resend, invitation_withdraw, member_invite


class InvitationPages(TenantModelAdmin):
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
                    f"An invitation as {typed['role'].label} is on its way to {typed['email']}. The link works "
                    "for seven days."
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
                    "Glassbox sends a new link to the mailbox. It works for seven days.",
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
