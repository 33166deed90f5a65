"""The signed states of a tenant's log."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort


class Checkpoint(TenantModel):
    """The log when it had `size` leaves. Only glassbox_worker inserts a row; it is never changed or removed.

    root: 32 bytes. note: signed (apps/audit/log/notes.py), with the origin glassbox/audit/<tenant id>. The note is what
    is exported, and it is authoritative where the columns differ from it.
    """

    size = models.BigIntegerField()
    root = models.BinaryField()
    note = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    personal_data = PersonalData(
        Fields("id tenant size created_at", Sort.NONE, because="Ids, counts, times."),
        Fields(
            "root note", Sort.NONE, because="Digests over headers and commitments, which stay, and signatures of them."
        ),
    )

    class Meta:
        ordering = ("-size",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "size"], name="checkpoint_once_a_size"),
            models.CheckConstraint(condition=Q(size__gte=1), name="checkpoint_of_a_leaf_at_least"),
        )

    def __str__(self) -> str:
        return f"checkpoint of {self.size} leaves"
