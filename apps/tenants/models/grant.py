"""Grants: which scope a membership or an API key reaches, from when to when. A grant includes the scopes below."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel


class Grant(TenantModel):
    scope = TenantForeignKey("tenants.Scope", on_delete=models.PROTECT, related_name="grants")
    membership = TenantForeignKey(
        "tenants.Membership", on_delete=models.PROTECT, null=True, blank=True, related_name="grants"
    )
    api_key = TenantForeignKey("tenants.ApiKey", on_delete=models.PROTECT, null=True, blank=True, related_name="grants")
    valid_from = models.DateTimeField(db_default=Now(), editable=False)
    valid_to = models.DateTimeField(null=True, blank=True, editable=False)

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
