"""An account's origin (who made it, and when its mailbox was confirmed) and the links that were mailed to it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import UuidV7
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class AccountOrigin(models.Model):
    """Who made an account, and when its mailbox was confirmed as its person's.

    The database alone writes these rows, from the token (sql/accounts.sql). Until the mailbox is confirmed, the account
    counts as the account of the person who made it: it may not decide on anything that this person asked for.

    invited_by_id: who made or invited the account; None for the platform's operator. The database roles that serve
        requests may not read this column, because the person may belong to another tenant.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="origin"
    )
    invited_by_id = models.UUIDField(null=True, editable=False)
    mailbox_confirmed_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("mailbox_confirmed_at", Sort.NONE, because="A time."),
        Fields(
            "user invited_by_id",
            Sort.IDENTIFIER,
            because="Whose hands the account comes from.",
            stays=f"What was decided is judged by it. {reasons.SURROGATE}",
            withheld=(
                "Who made your account, which can be a person of another firm: the program that makes this file may "
                "not read it. Whoever invited you to this firm is listed with your roles, as “another person”."
            ),
        ),
    )

    def __str__(self) -> str:
        return f"origin of {self.user_id}"


class LinkPurpose(models.TextChoices):
    PASSWORD = "password", "Set a password"
    EMAIL = "email", "Confirm an e-mail address"


class AccountLink(models.Model):
    """A link that was mailed to an account's mailbox, or to its new mailbox. It works once.

    The table holds only the digest of the link's secret.
    """

    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    purpose = models.CharField(max_length=16, choices=LinkPurpose.choices)
    email = models.EmailField(max_length=254)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("id purpose created_at expires_at used_at", Sort.NONE, because="Ids, a code and times."),
        Fields("user", Sort.IDENTIFIER, because="The account, and the mailbox it was sent to."),
        Fields(
            "email",
            Sort.IDENTIFIER,
            because="The account, and the mailbox it was sent to.",
            unsearched=(
                "The mailbox that a link was sent to: it is removed within two hours. It belongs to an account, "
                "which is searched."
            ),
        ),
        Fields("token_sha256", Sort.CREDENTIAL, because="A digest of the link's secret.", withheld=reasons.A_PROOF),
        stays="The hour that the link works, and the one until it is swept.",
        withheld=reasons.MAILED,
    )

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} until {self.expires_at:%Y-%m-%d %H:%M} UTC"
