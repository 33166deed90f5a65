"""A part of a tenant, such as one fund. Scopes form a tree. A grant includes the scopes below it, and none above."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW

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

    personal_data = PersonalData(
        Fields("id tenant parent created_at", Sort.NONE, because="Ids and times."),
        Fields(
            "key name",
            Sort.FREE_TEXT,
            because="A mandate may bear a client's name.",
            cleared_by="tenants.scopes",
            shown_in="grants",
        ),
        stores=(
            # The row stays, without its name: the events of the log are read by who holds all scopes of theirs, so that
            # without the row nobody could verify them any more.
            RowStore(
                key="tenants.scopes",
                label="Names of scopes",
                phase=Phase.ACCOUNTS,
                waits_for_holds=True,
                found_by={
                    TargetType.SCOPE: f"t.id = ANY ({SCOPES_BELOW}) AND t.key <> 'erased:' || t.id",
                    TargetType.TENANT: f"{OF_TENANT} AND t.key <> 'erased:' || t.id",
                },
                emptied={"key": "'erased:' || t.id", "name": "'Erased scope'"},
                reads="parent_id",
            ),
        ),
        texts=Texts("tenants.scopes", "Names of scopes", "name key"),
    )

    class Meta:
        ordering = ("key",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "key"], name="scope_key_once"),
            models.CheckConstraint(condition=~models.Q(parent=models.F("id")), name="scope_not_own_parent"),
        )

    def __str__(self) -> str:
        return self.key
