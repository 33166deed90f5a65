"""What a removal run removes, and its ledger: what each store held of that, and what became of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from apps.erasure.models.removal import RemovalRun
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class RemovalTargetType(models.TextChoices):
    """As contracts.TargetType."""

    DOCUMENT = "document", "Document"
    EVENT_GROUP = "event_group", "Part of an event"
    USER = "user", "Person"
    SCOPE = "scope", "Scope"
    TENANT = "tenant", "Tenant"


class TargetOutcome(models.TextChoices):
    PENDING = "pending", "To be removed"
    REMOVED = "removed", "Removed"
    RETAINED = "retained", "Retained"


class RemovalTarget(TenantModel):
    """One thing that a run removes: an id and, for an event, the name of the part. It is frozen with its run.

    ground: why it was retained, as a code and an id. authorised_by: for a part of an event, the event of the log that
    authorises its removal.
    """

    run = TenantForeignKey(RemovalRun, on_delete=models.PROTECT, related_name="targets")
    type = models.CharField(max_length=16, choices=RemovalTargetType.choices)
    item_id = models.UUIDField()
    part = models.CharField(max_length=16, blank=True)
    outcome = models.CharField(max_length=16, choices=TargetOutcome.choices, default=TargetOutcome.PENDING)
    ground = models.CharField(max_length=100, blank=True)
    authorised_by = models.UUIDField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant run type part outcome ground authorised_by", Sort.NONE, because="Ids, codes, counts and times."
        ),
        Fields(
            "item_id",
            Sort.IDENTIFIER,
            because="Ids of what was removed, also of accounts.",
            stays=f"{reasons.ACCOUNTABLE} An id names nobody once what it named is gone.",
            withheld=reasons.TARGETS,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("type", "item_id", "part")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "run", "type", "item_id", "part"], name="removal_target_once"),
            models.CheckConstraint(
                condition=Q(type__in=("document", "event_group", "user", "scope", "tenant"))
                & ((Q(type="event_group") & ~Q(part="")) | (~Q(type="event_group") & Q(part=""))),
                name="removal_target_of_a_kind",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=("pending", "removed"), ground="") | (Q(outcome="retained") & ~Q(ground="")),
                name="removal_target_retained_on_a_ground",
            ),
        )
        indexes = (models.Index(fields=["tenant", "type", "item_id"], name="removal_target_by_item"),)

    def __str__(self) -> str:
        return f"{self.type} {self.item_id}"


class RemovalStep(TenantModel):
    """One line of the ledger: what a store held of a run's targets, and what became of it. It is written before
    anything is removed.

    before: items of all targets; removed: items removed by this run; retained: items of targets that must stay;
    remaining: the last count of the items that are to be removed. The step is finished when that count is zero.
    """

    run = TenantForeignKey(RemovalRun, on_delete=models.PROTECT, related_name="steps")
    store = models.CharField(max_length=100)
    ordinal = models.PositiveIntegerField()
    before = models.PositiveBigIntegerField()
    removed = models.PositiveBigIntegerField(default=0)
    retained = models.PositiveBigIntegerField(default=0)
    remaining = models.PositiveBigIntegerField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant run store ordinal before removed retained remaining started_at finished_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("ordinal",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "run", "store"], name="removal_step_once"),
            models.CheckConstraint(
                condition=Q(finished_at__isnull=True) | Q(remaining=0), name="removal_step_ends_at_zero"
            ),
        )

    def __str__(self) -> str:
        return f"{self.store} of {self.run_id}"
