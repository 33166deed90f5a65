"""The pages on which two people take away a member's second factor, which the member has lost."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.membership_forms import FactorResetForm
from apps.tenants.admin.pages import Decision, decision_page, form_page
from apps.tenants.errors import SecondFactorError
from apps.tenants.ids import UserId
from apps.tenants.models import User
from apps.tenants.roles import Permission
from apps.tenants.second_factor.resets import factor_reset_agree, factor_reset_ask, open_reset_of


class FactorPages(TenantModelAdmin):
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
            title=f"Ask to take the second factor of {membership.user} away",
            intro=(
                "For a lost device. Somebody else who may approve agrees; then the person is told by mail, and sets up "
                "another one. Make sure that it is them who asks you."
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
            raise SecondFactorError("tenants.factor_reset_settled")
        asked_by = User.objects.filter(id=reset.asked_by_id).first()

        def act() -> HttpResponse:
            if factor_reset_agree(reset):
                messages.success(request, f"The second factor of {membership.user} is gone. They are told by mail.")
            else:
                messages.info(
                    request, f"You agreed. {membership.user} approves elsewhere too: it goes once two agree there."
                )
            return HttpResponseRedirect(self.url("change", membership.pk))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Agree to take the second factor of {membership.user} away?",
                effects=[
                    f"{asked_by or 'Somebody who is no member any more'} asked for it: “{reset.reason}”",
                    "Whoever has this person's password may then set up a device of their own. Agree only if you have "
                    "heard from the person yourself that theirs is lost.",
                    "Where they approve in other tenants as well, it goes once two people of each agreed, within seven "
                    "days. Keys that were made with it end with it.",
                ],
                action="Agree: take it away",
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "Second factor"],
            back=self.url("change", membership.pk),
        )
