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
            raise SecondFactorError("tenants.factor_reset_settled")
        asked_by = User.objects.filter(id=reset.asked_by_id).first()

        def act() -> HttpResponse:
            if factor_reset_agree(reset):
                messages.success(
                    request, f"The second factor of {membership.user} is removed. They are told by e-mail."
                )
            else:
                messages.info(
                    request,
                    (
                        f"You agreed. {membership.user} also approves in other tenants: the factor is removed "
                        "once two people agree there."
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
                    (
                        "After that, anybody who has this person's password can set up their own device. Agree "
                        "only if this person told you directly that their device is lost."
                    ),
                    (
                        "If they also approve in other tenants, the factor is removed once two people in each "
                        "tenant have agreed, within seven days. Keys that were made with it end with it."
                    ),
                ],
                action="Agree: remove it",
            ),
            act,
            crumbs=[(str(membership), self.url("change", membership.pk)), "Second factor"],
            back=self.url("change", membership.pk),
        )
