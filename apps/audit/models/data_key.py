"""Keys that seal payloads. They are useless without the key-encryption key, which is not in the database."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel


class DataKey(TenantModel):
    """The key of a tenant and a period (a calendar quarter), or of one data subject where subject_id names one.

    A tenant that is being erased has one more key, of the epoch "end.1" (end.2, ... where a hold interrupted the
    erasure). It seals what is recorded of the erasure, and the other keys are destroyed. Destroying a key removes its
    row, which the payloads' foreign key allows only when no payload is sealed by the key any more.

    Only kek_id and wrapped_key of a row may change, and only glassbox_worker may change them (rotation).
    """

    epoch = models.CharField(max_length=16)
    subject_id = models.UUIDField(null=True)
    kek_id = models.CharField(max_length=32)
    wrapped_key = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "epoch", "subject_id"], nulls_distinct=False, name="data_key_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.epoch} under {self.kek_id}"
