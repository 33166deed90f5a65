"""A part of a tenant, such as one fund. Scopes form a tree. A grant includes the scopes below it, and none above."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel

SCOPE_KEY_PATTERN = r"^[a-z][a-z0-9-]*:[a-z0-9][a-z0-9-]*$"


class Scope(TenantModel):
    key = models.CharField(
        max_length=127,
        validators=[RegexValidator(SCOPE_KEY_PATTERN, "type:name in lower case, such as fund:global-equity.")],
        help_text="type:name, such as fund:global-equity or firm:meridian.",
    )
    name = models.CharField(max_length=200)
    parent = TenantForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="children")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("key",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "key"], name="scope_key_once"),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="scope_not_own_parent"),
        )

    def __str__(self) -> str:
        return self.key
