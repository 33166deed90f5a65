"""What a restore brought back of what was erased, what shows that it is gone again, and what was signed of it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort


class RestorationState(models.TextChoices):
    REMOVING = "removing", "Being removed again"
    UNTOUCHED = "untouched", "Nothing of it came back"
    AWAITING = "awaiting", "Removed again, not proven again"
    PROVED = "proved", "Removed and proved again"
    FAILED = "failed", "Removed again; traces were found on the disk"
    UNPROVEN = "unproven", "Removed again, and can't be proven again"


class Restoration(TenantModel):
    """One for each time that a tenant's removals were repeated after a restore, of a tenant of which any were made.

    restore_id: of the restore (backup/noting.py); ordinal: several, where a later repetition found something more.
    through: the newest tombstone. runs: what had been erased, by run:
    [{"run", "origin", "origin_id", "reason", "erased", "targets", "came_back", "kept"}], where came_back counts items
    that were there again, and kept targets that a hold keeps. came_back: by store, what was there. targets: how many,
    whose hashes are `leaves` (none of too many for a file), with the Merkle root `manifest`.
    prepared_at: when needles of what was there again were made, and the control passed; without it nothing can be
    looked for (error_code says why). verification: as of a removal run, written by the server's administrator alone.
    end_events: of the log, one for each thing that was stated of it.
    """

    restore_id = models.UUIDField()
    ordinal = models.PositiveIntegerField(default=0)
    backup_id = models.UUIDField(null=True)
    backup_made_at = models.DateTimeField(null=True)
    through = models.BigIntegerField()
    state = models.CharField(max_length=16, choices=RestorationState.choices, default=RestorationState.REMOVING)
    runs = models.JSONField(default=list)
    came_back = models.JSONField(default=dict)
    targets = models.PositiveIntegerField()
    leaves = ArrayField(models.CharField(max_length=64), default=list)
    manifest = models.CharField(max_length=64)
    error_code = models.CharField(max_length=100, blank=True, default="")
    restored_at = models.DateTimeField(db_default=Now())
    prepared_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    verification = models.JSONField(default=dict)
    end_events = ArrayField(models.UUIDField(), default=list)

    personal_data = PersonalData(
        Fields(
            "id tenant restore_id ordinal backup_id backup_made_at through state runs came_back targets leaves "
            "manifest error_code restored_at prepared_at removed_at ended_at verification end_events",
            Sort.NONE,
            because="Ids, counts, codes, digests and times, names of tables and places: nothing of what is looked for.",
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-restored_at", "-ordinal")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "restore_id", "ordinal"], name="restoration_once"),
            models.CheckConstraint(
                condition=Q(state__in=("removing", "untouched", "awaiting", "proved", "failed", "unproven")),
                name="restoration_known_words",
            ),
        )

    def __str__(self) -> str:
        return f"restoration {self.restore_id}"


class Supplement(TenantModel):
    """What is signed of a restoration, for whoever has a certificate of what was erased before. Rows never change.

    number: within the tenant, from 1. outcome: what the statement says (apps/erasure/certificate/restored.py). The
    others as of a certificate.
    """

    number = models.PositiveIntegerField()
    restoration = TenantForeignKey(Restoration, on_delete=models.PROTECT, related_name="supplements")
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
            "id tenant number restoration outcome event_id leaf_index size root body note issued_at",
            Sort.NONE,
            because="Ids, counts, codes, digests and times of a restore, and a signature of them.",
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "number"], name="supplement_number_once"),
            models.UniqueConstraint(fields=["tenant", "event_id"], name="supplement_once_a_statement"),
            models.CheckConstraint(
                condition=Q(number__gte=1, leaf_index__gte=0, size__gt=F("leaf_index"))
                & Q(outcome__in=("not_proven", "nothing_came_back", "proved")),
                name="supplement_of_a_statement",
            ),
        )

    def __str__(self) -> str:
        return f"supplement {self.number}"
