"""A tenant: a firm whose data is separated from that of every other firm."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import UuidV7
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts


class TenantStatus(models.TextChoices):
    ACTIVE = "active", "Active"
    SUSPENDED = "suspended", "Suspended: nobody may sign in"


class Tenant(models.Model):
    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    slug = models.CharField(
        max_length=63,
        unique=True,
        validators=[
            RegexValidator(r"^[a-z][a-z0-9-]*$", "Lower-case letters, digits and hyphens; begin with a letter.")
        ],
        help_text="The short name used in commands and addresses. It can't be changed later.",
    )
    name = models.CharField(max_length=200)
    residency_region = models.CharField(
        max_length=32, help_text="Where this tenant's data must stay, such as eu, ch or us."
    )
    residency_strict = models.BooleanField(
        default=True,
        help_text=(
            "Refuse every embedding and generation provider outside the region, both when it is chosen and when it "
            "is called."
        ),
    )
    embedding_profile = models.CharField(max_length=63, help_text="The configured provider that computes the vectors.")
    generation_profile = models.CharField(
        max_length=63, help_text="The configured provider that writes the answers; 'extractive' needs no model."
    )
    status = models.CharField(max_length=16, choices=TenantStatus.choices, default=TenantStatus.ACTIVE)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields(
            "id residency_region residency_strict embedding_profile generation_profile status created_at",
            Sort.NONE,
            because="Ids and settings.",
        ),
        Fields(
            "slug name",
            Sort.FREE_TEXT,
            because="A firm's name may be its owner's.",
            cleared_by="tenants.tenant",
            withheld="The firm's own name, not yours.",
        ),
        stores=(
            # The row stays as the fact that there was one. Nobody may sign in to it from then on.
            RowStore(
                key="tenants.tenant",
                label="The tenant's name",
                phase=Phase.KEYS,
                waits_for_holds=True,
                found_by={TargetType.TENANT: "t.id = ANY (%(tenant)s::uuid[]) AND t.slug <> 'erased-' || t.id"},
                emptied={"slug": "'erased-' || t.id", "name": "'Erased tenant'", "status": "'suspended'"},
                tenant_column="id",
            ),
        ),
        texts=Texts("tenants.tenant", "Name of the tenant", "name slug"),
    )

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_erased(self) -> bool:
        """Whether the tenant was erased. Its name is gone, and its row stays to show that it existed (apps/erasure)."""
        return self.slug == f"erased-{self.id}"
