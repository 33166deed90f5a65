"""A key of an API client. The secret is shown once; the table holds its digest."""

from __future__ import annotations

from django.db import models

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.roles import Role


class ApiKey(TenantModel):
    name = models.CharField(max_length=200, help_text="What uses this key, such as 'Reporting portal'.")
    prefix = models.CharField(max_length=16, editable=False)
    secret_sha256 = models.CharField(max_length=64, editable=False)
    role = models.CharField(max_length=32, choices=Role.choices, default=Role.ANALYST)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by_id = models.UUIDField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: does not expire.")
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    rotated_from = TenantForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="successors"
    )

    class Meta:
        ordering = ("name", "-created_at")
        verbose_name = "API key"
        verbose_name_plural = "API keys"
        constraints = (models.UniqueConstraint(fields=["tenant", "prefix"], name="api_key_prefix_once"),)
        indexes = (models.Index(fields=["prefix"], name="api_key_by_prefix"),)

    def __str__(self) -> str:
        return f"{self.name} (gbx_{self.prefix}…)"
