"""Keys that seal payloads. They open nothing without the key-encryption key, which is not in the database."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel


class DataKey(TenantModel):
    """One key of a tenant and a period (a calendar quarter); of one data subject where subject_id names one.

    A tenant that is being erased has one more, of the epoch "end.1" (end.2, ... where it was interrupted by a hold): it
    seals what is recorded of the erasure, and the others are destroyed. That is their rows' removal, which the foreign
    key of the payloads allows only for a key that nothing is sealed by any more.

    Of a row, kek_id and wrapped_key alone may change, and glassbox_worker alone may change them (rotation).
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
