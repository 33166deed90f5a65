"""Grants: which scope a membership or an API key reaches, from when to when. A grant includes the scopes below."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType
from apps.tenants.personal_data.stores import OF_SCOPE, OF_TENANT


class Grant(TenantModel):
    scope = TenantForeignKey("tenants.Scope", on_delete=models.PROTECT, related_name="grants")
    membership = TenantForeignKey(
        "tenants.Membership", on_delete=models.PROTECT, null=True, blank=True, related_name="grants"
    )
    api_key = TenantForeignKey("tenants.ApiKey", on_delete=models.PROTECT, null=True, blank=True, related_name="grants")
    valid_from = models.DateTimeField(db_default=Now(), editable=False)
    valid_to = models.DateTimeField(null=True, blank=True, editable=False)

    personal_data = PersonalData(
        Fields("id tenant scope valid_from valid_to", Sort.NONE, because="Ids and times."),
        Fields(
            "membership api_key",
            Sort.IDENTIFIER,
            because="Whom a scope is open to, by way of their membership or key.",
            cleared_by="tenants.access_grants",
            stays="Of a tenant's key, when a person is erased: it is nobody's.",
            shown_in="grants",
        ),
        stores=(
            RowStore(
                key="tenants.access_grants",
                label="Grants of scopes",
                phase=Phase.ACCOUNTS,
                waits_for_holds=True,
                found_by={
                    TargetType.USER: (
                        "t.membership_id = ANY (ARRAY(SELECT m.id FROM tenants_membership m "
                        "WHERE m.tenant_id = %(open_tenant)s AND m.user_id = ANY (%(user)s::uuid[]))) "
                        "OR t.api_key_id = ANY (ARRAY(SELECT k.id FROM tenants_apikey k "
                        "WHERE k.tenant_id = %(open_tenant)s AND k.person_id = ANY (%(user)s::uuid[])))"
                    ),
                    TargetType.SCOPE: OF_SCOPE,
                    TargetType.TENANT: OF_TENANT,
                },
            ),
        ),
    )

    class Meta:
        ordering = ("-valid_from",)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(membership__isnull=True, api_key__isnull=False)
                | models.Q(membership__isnull=False, api_key__isnull=True),
                name="grant_to_one_holder",
            ),
            models.UniqueConstraint(
                fields=["tenant", "scope", "membership"],
                condition=models.Q(valid_to__isnull=True, membership__isnull=False),
                name="grant_to_membership_once",
            ),
            models.UniqueConstraint(
                fields=["tenant", "scope", "api_key"],
                condition=models.Q(valid_to__isnull=True, api_key__isnull=False),
                name="grant_to_api_key_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.scope} to {self.membership or self.api_key}"
