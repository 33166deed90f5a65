"""An invitation into a tenant: a link that is sent to a mailbox, and that whoever reads it there may accept once."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.roles import Role


class Invitation(TenantModel):
    """Nothing is known of an account until its person accepts: the mailbox is all that the inviter names.

    token_sha256: of the link's secret, set by the platform when it sends the letter; nobody else may set it.
    email: empty once it was accepted, withdrawn or has expired, since the account then says it, or nobody needs it.
    """

    email = models.EmailField(max_length=254, blank=True)
    role = models.CharField(max_length=32, choices=Role.choices)
    scope_ids = ArrayField(models.UUIDField())
    created_by_id = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    token_sha256 = models.CharField(max_length=64, null=True, editable=False)
    sent_at = models.DateTimeField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, editable=False)
    accepted_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ("-created_at",)
        indexes = (models.Index(fields=["token_sha256"], name="invitation_by_token"),)

    def __str__(self) -> str:
        return f"Invitation as {self.get_role_display()}"
