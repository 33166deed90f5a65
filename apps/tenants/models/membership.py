"""A user's role in a tenant, from when to when. Rows are never deleted, so that the past can be reconstructed."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, reasons
from apps.tenants.personal_data.stores import OF_TENANT
from apps.tenants.roles import Role

# Memberships that give rights now: accepted, confirmed if the role approves, and not ended.
IN_FORCE: Final = models.Q(confirmed_at__isnull=False, revoked_at__isnull=True)


class Membership(TenantModel):
    """A user's role in a tenant. It begins when the person accepts an invitation, and gives rights from confirmed_at.

    created_by_id: the inviter; None for the platform's operator.
    confirmed_at: for a role that approves nothing, the time of acceptance; otherwise the time when a second person
        confirmed, or when the platform's operator gave the role.
    confirmed_by_id: the second person; None if none was needed.
    The database sets all of these from the token (sql/memberships.sql).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=32, choices=Role.choices)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    created_by_id = models.UUIDField(null=True, editable=False)
    invitation_id = models.UUIDField(null=True, editable=False)
    accepted_at = models.DateTimeField(null=True, editable=False)
    confirmed_at = models.DateTimeField(null=True, editable=False)
    confirmed_by_id = models.UUIDField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant role created_at invitation_id accepted_at confirmed_at revoked_at",
            Sort.NONE,
            because="Ids and times.",
        ),
        Fields("user", Sort.IDENTIFIER, because="The account."),
        Fields(
            "created_by_id confirmed_by_id",
            Sort.IDENTIFIER,
            because="Who invited, and who confirmed.",
            stays=f"Of somebody else's membership: who gave access is to be shown. {reasons.SURROGATE}",
        ),
        cleared_by="tenants.access_memberships",
        shown_in="memberships",
        stores=(
            RowStore(
                key="tenants.access_memberships",
                label="Memberships",
                phase=Phase.ACCOUNTS,
                waits_for_holds=True,
                found_by={TargetType.USER: "t.user_id = ANY (%(user)s::uuid[])", TargetType.TENANT: OF_TENANT},
            ),
        ),
    )

    class Meta:
        ordering = ("user__username", "role")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "user", "role"],
                condition=models.Q(revoked_at__isnull=True),
                name="membership_once_while_valid",
            ),
            models.CheckConstraint(
                condition=models.Q(confirmed_at__isnull=True) | models.Q(accepted_at__isnull=False),
                name="membership_confirmed_once_accepted",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} as {self.get_role_display()}"

    @property
    def is_in_force(self) -> bool:
        return self.confirmed_at is not None and self.revoked_at is None

    @property
    def awaits_confirmation(self) -> bool:
        return self.confirmed_at is None and self.revoked_at is None
