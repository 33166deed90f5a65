"""An invitation into a tenant: a link that is mailed to a mailbox, and that the reader may accept once."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons
from apps.tenants.roles import Role


class Invitation(TenantModel):
    """An invitation. The inviter names only a mailbox; no account is linked to it until its person accepts.

    token_sha256: digest of the link's secret; only the platform may set it, when it sends the letter.
    email: empty once the invitation was accepted or withdrawn, or after it has expired. The account then has the
        address, or nobody needs it any more.
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

    personal_data = PersonalData(
        Fields(
            "id tenant role scope_ids created_at sent_at expires_at accepted_at revoked_at",
            Sort.NONE,
            because="Ids, a code and times.",
        ),
        Fields(
            "email",
            Sort.IDENTIFIER,
            because="The mailbox that is invited.",
            stays="Until it is accepted or withdrawn, seven days at most, and the hour until it is swept.",
            unsearched=(
                "The mailbox of an open invitation: it is cleared when the invitation is accepted or withdrawn, or "
                "expires after seven days. Until then Members shows it."
            ),
            withheld=(
                "Mailboxes that were invited and have not accepted yet: nobody knows whose mailbox it is until the "
                "person accepts, and then the address is removed. It is also removed when the invitation is "
                "withdrawn or expires."
            ),
        ),
        Fields(
            "created_by_id",
            Sort.IDENTIFIER,
            because="Who invites.",
            stays=f"Who gave access is to be shown. {reasons.SURROGATE}",
            withheld=reasons.OWN_ACT,
        ),
        Fields(
            "token_sha256",
            Sort.CREDENTIAL,
            because="A digest of the link's secret.",
            stays="The link works once, for seven days: it opens nothing afterwards.",
            withheld=reasons.A_PROOF,
        ),
    )

    class Meta:
        ordering = ("-created_at",)
        indexes = (models.Index(fields=["token_sha256"], name="invitation_by_token"),)

    def __str__(self) -> str:
        return f"Invitation as {self.get_role_display()}"
