"""Keys that seal payloads. They are useless without the key-encryption key, which is not in the database."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


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

    personal_data = PersonalData(
        Fields("id tenant epoch subject_id kek_id created_at", Sort.NONE, because="Ids, times, names of keys."),
        Fields(
            "wrapped_key",
            Sort.CREDENTIAL,
            because="A key of payloads, under a key that is not in the database.",
            cleared_by="audit.data_keys",
            stays="Until its tenant is erased, after what it opens. One is left then, which opens ids and counts "
            "alone.",
            withheld=reasons.A_PROOF,
        ),
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "epoch", "subject_id"], nulls_distinct=False, name="data_key_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.epoch} under {self.kek_id}"
