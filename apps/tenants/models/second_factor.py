"""What a person proves themselves with beside their password, and how a lost one is taken away by two others."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel, UuidV7


class SecondFactor(models.Model):
    """An authenticator app's secret, sealed (second_factor/sealing.py). Nobody's token shows it, not even their own.

    last_step: the newest time step whose code was used; none is taken twice, and none before it.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    sealed = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    confirmed_at = models.DateTimeField(null=True, editable=False)
    last_step = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"second factor of {self.user_id}"


class RecoveryCode(models.Model):
    """One of the codes for a lost device. It works once; the table holds its digest."""

    id = models.UUIDField(primary_key=True, db_default=UuidV7(), editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    code_sha256 = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return f"recovery code of {self.user_id}"


class FactorReset(TenantModel):
    """A second factor that was lost is taken away: one person of the tenant asks, another who may approve agrees.

    All but the reason is set by the database from the token (sql/second_factor.sql).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    asked_by_id = models.UUIDField(editable=False)
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    agreed_by_id = models.UUIDField(null=True, editable=False)
    agreed_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

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
