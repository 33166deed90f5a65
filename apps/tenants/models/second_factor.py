"""A person's second factor, its recovery codes, and the reset of a lost factor, which takes two other people."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel, UuidV7
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons


class SecondFactor(models.Model):
    """An authenticator app's secret, sealed (second_factor/sealing.py).

    No scope token shows these rows, not even the person's own; an identity token that names the account does.

    last_step: the newest time step whose code was used. A code of this step or of an earlier one is refused.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    sealed = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    confirmed_at = models.DateTimeField(null=True, editable=False)
    last_step = models.BigIntegerField(default=0)

    personal_data = PersonalData(
        Fields("created_at confirmed_at last_step", Sort.NONE, because="Times."),
        Fields(
            "user", Sort.IDENTIFIER, because="The account.", stays=reasons.SURROGATE, withheld=reasons.SECOND_FACTOR
        ),
        Fields(
            "sealed",
            Sort.SEALED,
            because="The secret of an authenticator app.",
            stays="It opens nothing without the account's password, which an erasure takes away.",
            unsearched="The secret of an authenticator app, which names nobody.",
            withheld=reasons.A_PROOF,
        ),
    )

    def __str__(self) -> str:
        return f"second factor of {self.user_id}"


class RecoveryCode(models.Model):
    """One of the codes for a lost device. It works once; the table holds only its digest."""

    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    code_sha256 = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("id used_at", Sort.NONE, because="An id and a time."),
        Fields(
            "user", Sort.IDENTIFIER, because="The account.", stays=reasons.SURROGATE, withheld=reasons.SECOND_FACTOR
        ),
        Fields(
            "code_sha256",
            Sort.CREDENTIAL,
            because="A digest of it.",
            stays="It opens nothing without the account's password, which an erasure takes away.",
            withheld=reasons.A_PROOF,
        ),
    )

    def __str__(self) -> str:
        return f"recovery code of {self.user_id}"


class FactorReset(TenantModel):
    """A request to take a lost second factor away: one person of the tenant asks, and another who may approve agrees.

    The database sets everything but the reason from the token (sql/second_factor.sql).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    asked_by_id = models.UUIDField(editable=False)
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    agreed_by_id = models.UUIDField(null=True, editable=False)
    agreed_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    personal_data = PersonalData(
        Fields("id tenant asked_at agreed_at revoked_at", Sort.NONE, because="Ids and times."),
        Fields(
            "user asked_by_id agreed_by_id",
            Sort.IDENTIFIER,
            because="Whose factor it was, who asked and who agreed.",
            stays=f"Who took a proof of a person away is to be shown. {reasons.SURROGATE}",
            withheld=(
                "Who asked for a reset of a second factor, who agreed, and for whom: the events show each step, with "
                "other people as “another person”."
            ),
        ),
        Fields(
            "reason",
            Sort.FREE_TEXT,
            because="Why it was taken away.",
            stays="What two people took a proof of a person away for is to be shown.",
            withheld=(
                "Why a second factor was removed, in the words of whoever asked for it. They may name others: ask "
                "the firm's administrators or its data protection officer."
            ),
        ),
        texts=Texts("tenants.factor_resets", "Reasons for resets of a second factor", "reason"),
    )

    class Meta:
        ordering = ("-asked_at",)
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "user"],
                condition=models.Q(agreed_at__isnull=True, revoked_at__isnull=True),
                name="factor_reset_once_while_open",
            ),
        )

    def __str__(self) -> str:
        return f"Reset of the second factor of {self.user}"
