"""Certificates of erasures: what was removed, how that was shown, and where the log says so. Rows never change."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.erasure.models.removal import RemovalRun
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort


class Certificate(TenantModel):
    """One for each time that a run with a physical proof came to its end; issued by glassbox_worker, which signs.

    number: within the tenant, from 1. event_id: of the log, which says how the run ended; it is leaf `leaf_index` of
    the checkpoint of `size` leaves over which the root is `root`. body: what is certified, without personal data
    (apps/erasure/certificate/statement.py). note: its signature, a signed note over the digest of the canonical body.
    """

    number = models.PositiveIntegerField()
    run = TenantForeignKey(RemovalRun, on_delete=models.PROTECT, related_name="certificates")
    origin = models.CharField(max_length=16)
    origin_id = models.UUIDField()
    outcome = models.CharField(max_length=24)
    event_id = models.UUIDField()
    leaf_index = models.BigIntegerField()
    size = models.BigIntegerField()
    root = models.BinaryField()
    body = models.JSONField()
    note = models.TextField()
    issued_at = models.DateTimeField(db_default=Now())

    personal_data = PersonalData(
        Fields(
            "id tenant number run origin origin_id outcome event_id leaf_index size root body note issued_at",
            Sort.NONE,
            because="Ids, counts, codes, digests and times of an erasure, and a signature of them.",
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "number"], name="certificate_number_once"),
            models.UniqueConstraint(fields=["tenant", "event_id"], name="certificate_once_an_end"),
            models.CheckConstraint(
                condition=Q(number__gte=1, leaf_index__gte=0, size__gt=models.F("leaf_index"))
                & Q(outcome__in=("completed", "partially_completed")),
                name="certificate_of_an_end",
            ),
        )

    def __str__(self) -> str:
        return f"certificate {self.number}"
