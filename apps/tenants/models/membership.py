"""A user's role in a tenant, with its validity: the past is answered from facts, so nothing is deleted."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from apps.tenants.models.base import TenantModel
from apps.tenants.roles import Role


class Membership(TenantModel):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=32, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("user__username", "role")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "user", "role"],
                condition=models.Q(revoked_at__isnull=True),
                name="membership_once_while_valid",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} as {self.get_role_display()}"
