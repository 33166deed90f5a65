"""Statements of others about a checkpoint: cosignatures of witnesses, and time stamps."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort


class AttestationKind(models.TextChoices):
    COSIGNATURE = "cosignature", "Cosignature of a witness"
    TIMESTAMP = "timestamp", "Time stamp (RFC 3161)"


class Attestation(TenantModel):
    """An attestation of the checkpoint of `size` leaves. Only glassbox_worker inserts it; it never changes.

    An attestation is also never removed. by: the witness's name, or the address of the service. content: the line of
    the note, or the answer in base64, which is authoritative. told_at: the time that it states.
    """

    size = models.BigIntegerField()
    kind = models.CharField(max_length=16, choices=AttestationKind.choices)
    by = models.CharField(max_length=400)
    content = models.TextField()
    told_at = models.DateTimeField()
    created_at = models.DateTimeField(db_default=Now())

    personal_data = PersonalData(
        Fields(
            "id tenant size kind by content told_at created_at",
            Sort.NONE,
            because="Sizes, names and addresses of services, times, and signatures over digests.",
        ),
    )

    class Meta:
        ordering = ("-size", "kind", "by")
        constraints = (models.UniqueConstraint(fields=["tenant", "size", "kind", "by"], name="attestation_once_each"),)

    def __str__(self) -> str:
        return f"{self.kind} of {self.size} leaves by {self.by}"
