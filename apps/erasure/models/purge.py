"""A purge: a stored dry run with its counts, and the parts of it that were proposed for removal.

Rows are inserted and read, and never change. The run of a part shows what became of the part.
"""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.erasure.models.retention import RetentionSchedule
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons


class Reach(models.TextChoices):
    MUST = "must", "What is past its latest date"
    MAY = "may", "Everything that may be removed by now"


class Purge(TenantModel):
    """A purge. counted_for: the day by which it and all its parts count. subject: only this one; empty for all."""

    schedule = TenantForeignKey(RetentionSchedule, on_delete=models.PROTECT, related_name="purges")
    reach = models.CharField(max_length=8, choices=Reach.choices)
    subject = models.CharField(max_length=140, blank=True)
    reason = models.TextField()
    counted_for = models.DateField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    created_by_id = models.UUIDField()
    created_by_label = models.CharField(max_length=255)

    personal_data = PersonalData(
        Fields(
            "id tenant schedule reach subject counted_for created_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields("reason", Sort.FREE_TEXT, because="What they gave as their reason.", withheld=reasons.OFFICERS),
        Fields("created_by_id", Sort.IDENTIFIER, because="The account of whoever did it."),
        Fields("created_by_label", Sort.IDENTIFIER, because="Their name of that moment."),
        cleared_by="audit.retention",
        stays=reasons.ACCOUNTABLE,
        withheld=reasons.OWN_ACT,
        texts=Texts("audit.purges", "Purges", "reason created_by_label"),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-created_at", "-id")

    def __str__(self) -> str:
        return f"Purge of {self.counted_for}"


class PurgeFigure(TenantModel):
    """The exact count for one rule. kept: the kind of ground -> how many of the items looked at it keeps.

    looked_at: how many items were checked for something that keeps them; all are checked again when they are proposed.
    samples: the oldest few items, each `{"type", "id", "part", "at"}`: ids, never contents.
    """

    purge = TenantForeignKey(Purge, on_delete=models.PROTECT, related_name="figures")
    position = models.PositiveIntegerField()
    subject = models.CharField(max_length=140)
    group = models.CharField(max_length=16, blank=True, db_column="field_group")
    clock_start = models.CharField(max_length=32)
    months = models.PositiveIntegerField()
    legal_basis = models.CharField(max_length=120)
    count = models.PositiveBigIntegerField()
    oldest = models.DateTimeField()
    newest = models.DateTimeField()
    looked_at = models.PositiveIntegerField()
    kept = models.JSONField(default=dict)
    samples = models.JSONField(default=list)

    personal_data = PersonalData(
        Fields(
            "id tenant purge position subject group clock_start months legal_basis count oldest newest "
            "looked_at kept samples",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("purge", "position")
        constraints = (models.UniqueConstraint(fields=["tenant", "purge", "position"], name="purge_figure_once"),)

    def __str__(self) -> str:
        return f"{self.count} of {self.subject} {self.group}".strip()


class PurgePart(TenantModel):
    """The part of a purge that one run removes. The next part begins after the place where this one ended.

    run_id: the id of the RemovalRun; empty if something keeps every item up to that place. kept: as in PurgeFigure.
    last_position, last_at, last_id: the rule, the clock and the id of the last item that was looked at.
    """

    purge = TenantForeignKey(Purge, on_delete=models.PROTECT, related_name="parts")
    number = models.PositiveIntegerField()
    run_id = models.UUIDField(null=True)
    targets = models.PositiveIntegerField()
    kept = models.JSONField(default=dict)
    last_position = models.PositiveIntegerField()
    last_at = models.DateTimeField(null=True)
    last_id = models.UUIDField(null=True)
    is_last = models.BooleanField()
    proposed_at = models.DateTimeField(db_default=Now(), editable=False)
    proposed_by_id = models.UUIDField()
    proposed_by_label = models.CharField(max_length=255)

    personal_data = PersonalData(
        Fields(
            "id tenant purge number run_id targets kept last_position last_at last_id is_last proposed_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields("proposed_by_id", Sort.IDENTIFIER, because="The account of whoever did it."),
        Fields("proposed_by_label", Sort.IDENTIFIER, because="Their name of that moment."),
        cleared_by="audit.retention",
        stays=reasons.ACCOUNTABLE,
        withheld=reasons.OWN_ACT,
        texts=Texts("audit.purge_parts", "Parts of purges", "proposed_by_label"),
    )

    class Meta:
        app_label = "audit"
        ordering = ("purge", "number")
        constraints = (models.UniqueConstraint(fields=["tenant", "purge", "number"], name="purge_part_once"),)

    def __str__(self) -> str:
        return f"Part {self.number}"
