"""How long what is kept: a schedule of rules, reviewed by a second person, and what the clock says of it each night.

Who may take which step of a schedule's life, and that nothing of it changes after the draft, is held by triggers
(apps/erasure/retention/flow.py, apps/audit/sql/retention.sql): no service, page or statement gets around them.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, Sort, TenantStore, Texts, reasons

LONGEST_MONTHS = 1_200


class ScheduleStatus(models.TextChoices):
    DRAFT = "draft", "Draft"
    IN_REVIEW = "in_review", "In review"
    IN_FORCE = "in_force", "In force"
    SUPERSEDED = "superseded", "Superseded"
    REJECTED = "rejected", "Rejected"


class ScheduleOrigin(models.TextChoices):
    BASELINE = "baseline", "Shipped baseline"
    DRAFT = "draft", "Copy of the schedule in force"


_WAS_IN_FORCE = (ScheduleStatus.IN_FORCE, ScheduleStatus.SUPERSEDED)


class RetentionSchedule(TenantModel):
    """One version of a tenant's retention rules. valid_from and valid_to are set by the database.

    People are surrogate ids with the label of that moment, never foreign keys: a schedule outlives them.
    """

    number = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=ScheduleStatus.choices, default=ScheduleStatus.DRAFT)
    origin = models.CharField(max_length=16, choices=ScheduleOrigin.choices, default=ScheduleOrigin.DRAFT)
    reason = models.TextField()
    # Counts a draft's changes and submissions: who decides on what they read earlier is told that it is another now.
    revision = models.PositiveIntegerField(default=1)
    decided_revision = models.PositiveIntegerField(null=True, editable=False)
    author_id = models.UUIDField(null=True)
    author_label = models.CharField(max_length=255, blank=True)
    approver_id = models.UUIDField(null=True)
    approver_label = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    submitted_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    decision_reason = models.TextField(blank=True)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant number status origin revision decided_revision created_at submitted_at decided_at "
            "valid_from valid_to",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields(
            "reason decision_reason",
            Sort.FREE_TEXT,
            because="What they gave as their reason.",
            withheld=reasons.OFFICERS,
        ),
        Fields("author_id approver_id", Sort.IDENTIFIER, because="The account of whoever did it."),
        Fields("author_label approver_label", Sort.IDENTIFIER, because="Their name of that moment."),
        cleared_by="audit.retention",
        stays=reasons.ACCOUNTABLE,
        withheld=reasons.OWN_ACT,
        stores=(
            TenantStore(
                key="audit.retention",
                label="Retention schedules and purges, with their reasons",
                phase=Phase.DOCUMENTS,
                tables=(
                    "audit_purgepart",
                    "audit_purgefigure",
                    "audit_purge",
                    "audit_retentioncount",
                    "audit_retentionrule",
                    "audit_retentionschedule",
                ),
            ),
        ),
        texts=Texts(
            "audit.retention_schedules", "Retention schedules", "reason decision_reason author_label approver_label"
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "number"], name="retention_number_once"),
            models.UniqueConstraint(
                fields=["tenant"], condition=Q(status=ScheduleStatus.IN_FORCE), name="retention_one_in_force"
            ),
            models.CheckConstraint(
                condition=Q(author_id__isnull=True) | Q(approver_id__isnull=True) | ~Q(author_id=F("approver_id")),
                name="retention_four_eyes",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=_WAS_IN_FORCE)
                | Q(origin=ScheduleOrigin.BASELINE)
                | Q(author_id__isnull=False, approver_id__isnull=False),
                name="retention_approved_by_someone",
            ),
            models.CheckConstraint(
                condition=Q(origin=ScheduleOrigin.BASELINE, number=1, author_id__isnull=True)
                | Q(origin=ScheduleOrigin.DRAFT, author_id__isnull=False),
                name="retention_baseline_is_first",
            ),
            models.CheckConstraint(
                condition=Q(status__in=_WAS_IN_FORCE, valid_from__isnull=False)
                | (~Q(status__in=_WAS_IN_FORCE) & Q(valid_from__isnull=True)),
                name="retention_valid_from_when_in_force",
            ),
            models.CheckConstraint(
                condition=Q(status=ScheduleStatus.SUPERSEDED, valid_to__isnull=False)
                | (~Q(status=ScheduleStatus.SUPERSEDED) & Q(valid_to__isnull=True)),
                name="retention_valid_to_when_superseded",
            ),
        )

    def __str__(self) -> str:
        return f"Retention schedule {self.number}"


class RetentionRule(TenantModel):
    """How long one subject is kept: an event class or a document kind, or one field group of an event class.

    subject: the key of a RetainedSubject (declarations/retained.py), such as `event:tenants.scope.created`.
    group: a field group of the event class; empty for all that have no rule of their own.
    clock_start: one of the subject's clocks. keep_months: after so many it may be removed. remove_months: after so many
    it must be; None: never. includes_current: of documents, whether the current version of a series goes, too.
    """

    schedule = TenantForeignKey(RetentionSchedule, on_delete=models.CASCADE, related_name="rules")
    subject = models.CharField(max_length=140)
    group = models.CharField(max_length=16, blank=True, db_column="field_group")
    legal_basis = models.CharField(max_length=120)
    clock_start = models.CharField(max_length=32)
    keep_months = models.PositiveIntegerField()
    remove_months = models.PositiveIntegerField(null=True)
    includes_current = models.BooleanField(default=False)

    personal_data = PersonalData(
        Fields(
            "id tenant schedule subject group clock_start keep_months remove_months includes_current",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields("legal_basis", Sort.NONE, because="The rule's ground in law."),
    )

    class Meta:
        app_label = "audit"
        ordering = ("subject", "group")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "schedule", "subject", "group"], name="retention_rule_once"),
            models.CheckConstraint(
                condition=Q(keep_months__lte=LONGEST_MONTHS)
                & (
                    Q(remove_months__isnull=True)
                    | Q(remove_months__gte=F("keep_months"), remove_months__lte=LONGEST_MONTHS)
                ),
                name="retention_rule_in_order",
            ),
        )

    def __str__(self) -> str:
        return f"{self.subject} {self.group}".strip()


class RetentionCount(TenantModel):
    """What the clock found one night: so much may be removed by the schedule in force, and so much should be gone."""

    schedule = TenantForeignKey(RetentionSchedule, on_delete=models.PROTECT, related_name="+")
    counted_on = models.DateField()
    counted_at = models.DateTimeField(db_default=Now(), editable=False)
    may_remove = models.PositiveBigIntegerField()
    must_remove = models.PositiveBigIntegerField()

    personal_data = PersonalData(
        Fields(
            "id tenant schedule counted_on counted_at may_remove must_remove",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-counted_at",)
        indexes = (models.Index(fields=["tenant", "-counted_at"], name="retention_count_newest"),)

    def __str__(self) -> str:
        return f"{self.must_remove} past their latest date on {self.counted_on}"
