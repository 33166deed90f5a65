"""Marks of the tombstones that this database knows. They show whether the database was restored from a backup."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort


class TombstoneMark(TenantModel):
    """A mark of tombstones, which are stored outside the database (apps/erasure/tombstones).

    number: of the newest tombstone at the time. kind: the tombstone's kind, or `replayed`: everything up to the
    number was removed again after a restore.
    """

    number = models.BigIntegerField()
    kind = models.CharField(max_length=16)
    created_at = models.DateTimeField(db_default=Now())

    personal_data = PersonalData(
        Fields("id tenant number kind created_at", Sort.NONE, because="Ids, counts, times."),
    )

    class Meta:
        app_label = "audit"
        constraints = (
            models.UniqueConstraint(fields=["tenant", "number", "kind"], name="tombstone_mark_once"),
            models.CheckConstraint(condition=models.Q(number__gte=0), name="tombstone_counts_from_zero"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"
