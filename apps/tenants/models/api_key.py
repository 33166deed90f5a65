"""A key of an API client, or of a person who works by API. The secret is shown once; the table holds its digest."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts, reasons
from apps.tenants.personal_data.stores import OF_TENANT
from apps.tenants.roles import Role

PERSONAL_KEY_LIFE = timedelta(days=365)
"""How long a key that acts for a person may live at most."""


class ApiKey(TenantModel):
    """person: whom the key acts for; nobody for a key of the tenant. Set by that person alone, and never changed.

    A real foreign key, as a membership's: an account stays a row as long as anything was done or held in its name, so
    that an erasure empties the row and does not delete it. The rules of the wall ask about the column alone.
    """

    name = models.CharField(max_length=200, help_text="What uses this key, such as 'Reporting portal'.")
    prefix = models.CharField(max_length=16, editable=False)
    secret_sha256 = models.CharField(max_length=64, editable=False)
    role = models.CharField(max_length=32, choices=Role.choices, default=Role.ANALYST)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        db_index=False,
        related_name="personal_keys",
    )
    # Whether its person had just used their second factor: set by the database, from the token.
    with_second_factor = models.BooleanField(default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    created_by_id = models.UUIDField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: does not expire.")
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    rotated_from = TenantForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="successors"
    )

    personal_data = PersonalData(
        Fields(
            "id tenant role with_second_factor created_at expires_at last_used_at revoked_at rotated_from",
            Sort.NONE,
            because="Ids and times.",
        ),
        Fields(
            "name",
            Sort.FREE_TEXT,
            because="What uses the key.",
            stays="Of a tenant's key, when a person is erased: it is the name of a program.",
        ),
        Fields(
            "prefix",
            Sort.CREDENTIAL,
            because="How the key begins, and a digest of it.",
            stays="Of a tenant's key, when a person is erased: it is nobody's.",
        ),
        Fields(
            "secret_sha256",
            Sort.CREDENTIAL,
            because="How the key begins, and a digest of it.",
            stays="Of a tenant's key, when a person is erased: it is nobody's.",
            withheld=reasons.A_PROOF,
        ),
        Fields("person", Sort.IDENTIFIER, because="Whom the key acts for."),
        Fields(
            "created_by_id",
            Sort.IDENTIFIER,
            because="Who made the key.",
            stays="Of a tenant's key, when a person is erased: who gave access is to be shown, and a key that has "
            f"ended is never changed (tenants/sql/api_keys.sql). {reasons.SURROGATE}",
        ),
        cleared_by="tenants.access_keys",
        shown_in="keys",
        stores=(
            # A key that was rotated is pointed at by its successor, which goes first.
            RowStore(
                key="tenants.access_keys",
                label="API keys that act for a person",
                phase=Phase.ACCOUNTS,
                waits_for_holds=True,
                found_by={TargetType.USER: "t.person_id = ANY (%(user)s::uuid[])", TargetType.TENANT: OF_TENANT},
                when="NOT EXISTS (SELECT FROM tenants_apikey s "
                "WHERE s.tenant_id = t.tenant_id AND s.rotated_from_id = t.id)",
                reads="rotated_from_id",
            ),
        ),
        texts=Texts("tenants.api_keys", "Names of API keys", "name"),
    )

    class Meta:
        ordering = ("name", "-created_at")
        verbose_name = "API key"
        verbose_name_plural = "API keys"
        constraints = (
            models.UniqueConstraint(fields=["tenant", "prefix"], name="api_key_prefix_once"),
            models.CheckConstraint(
                condition=models.Q(person__isnull=True)
                | models.Q(expires_at__isnull=False, expires_at__lte=models.F("created_at") + PERSONAL_KEY_LIFE),
                name="personal_key_ends_within_a_year",
            ),
        )
        indexes = (
            models.Index(fields=["prefix"], name="api_key_by_prefix"),
            models.Index(fields=["tenant", "person"], name="api_key_by_person"),
        )

    def __str__(self) -> str:
        return f"{self.name} (gbx_{self.prefix}…)"
