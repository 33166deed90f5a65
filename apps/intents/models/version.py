"""A policy version and its budgets.

Triggers enforce the allowed changes of status and the immutability of every version after the draft
(apps/intents/flow.py, sql/versions.sql). The ORM, the admin and the workers can't bypass them.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField, DateTimeRangeField, RangeBoundary, RangeOperators
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import (
    Fields,
    PersonalData,
    Phase,
    Sort,
    TenantStore,
    Texts,
    reasons,
)


class VersionStatus(models.TextChoices):
    DRAFT = "draft", "Draft"
    IN_REVIEW = "in_review", "In review"
    APPROVED = "approved", "Approved"
    ACTIVE = "active", "In force"
    SUPERSEDED = "superseded", "Superseded"
    REJECTED = "rejected", "Rejected"
    WITHDRAWN = "withdrawn", "Withdrawn"


class VersionOrigin(models.TextChoices):
    BASELINE = "baseline", "Shipped baseline"
    DRAFT = "draft", "Copy of the version in force"
    IMPORT = "import", "Imported file"
    ROLLBACK = "rollback", "Copy of an older version"


class Validity(models.Func):
    """The range from one column, inclusive, to another, exclusive; open-ended if the second column is empty."""

    function = "TSTZRANGE"
    output_field = DateTimeRangeField()


_REACHED_APPROVAL = (VersionStatus.APPROVED, VersionStatus.ACTIVE, VersionStatus.SUPERSEDED)
_WAS_IN_FORCE = (VersionStatus.ACTIVE, VersionStatus.SUPERSEDED)


class PolicyVersion(TenantModel):
    """One version of a tenant's policy. The database sets `valid_from` and `valid_to` when the version takes effect."""

    number = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=VersionStatus.choices, default=VersionStatus.DRAFT)
    origin = models.CharField(max_length=16, choices=VersionOrigin.choices, default=VersionOrigin.DRAFT)
    based_on = TenantForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="successors"
    )
    valid_from = models.DateTimeField(null=True, blank=True, editable=False)
    valid_to = models.DateTimeField(null=True, blank=True, editable=False)
    reason = models.TextField(help_text="Why this version is wanted, for the reviewer and the audit log.")
    # The labels are snapshots: a person's later name or departure does not change who acted then.
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )
    author_label = models.CharField(max_length=255, blank=True, editable=False)
    approver = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )
    approver_label = models.CharField(max_length=255, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Counts a draft's changes and submissions. A step that is based on an earlier revision is refused.
    revision = models.PositiveIntegerField(default=1, editable=False)
    decided_revision = models.PositiveIntegerField(null=True, editable=False)
    submitted_at = models.DateTimeField(null=True, blank=True, editable=False)
    decided_at = models.DateTimeField(null=True, blank=True, editable=False)
    decision_reason = models.TextField(blank=True, editable=False)
    effective_from = models.DateTimeField(null=True, blank=True, editable=False)

    total_cap_chars = models.PositiveIntegerField(
        validators=[MinValueValidator(1)], help_text="The most characters that the whole context of an answer may have."
    )
    neighbours = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(1)],
        help_text="An intent's score starts from the mean similarity of this many of its nearest examples.",
    )
    term_weight = models.FloatField(help_text="The most that matched terms can add to a score.")
    decisive_points = models.FloatField(help_text="The points of a decisive term; any other term counts 1.")
    points_for_full_weight = models.FloatField(help_text="This many points give the full weight of terms.")
    minimum_score = models.FloatField(help_text="Below this score a question is unrecognised.")
    minimum_margin = models.FloatField(help_text="With a smaller lead over the second intent it is unrecognised.")
    minimum_term_points = models.FloatField(
        help_text="The lowest points that recognise a question while no embedding is available."
    )
    minimum_term_margin = models.FloatField(
        help_text="The smallest lead that recognises a question while no embedding is available."
    )
    minimum_golden_accuracy = models.FloatField(
        help_text="Share of review examples, each left out in turn, that must get their intent before approval."
    )
    retrieval_settings = models.JSONField(
        default=dict, help_text="The stages' settings; apps/intents/retrieval_settings.py is the schema."
    )

    two_reviewers_for = ArrayField(
        models.CharField(max_length=16),
        blank=True,
        default=list,
        db_default=[],
        help_text="Which changes of this version take two reviewers; none for one reviewer always.",
    )

    personal_data = PersonalData(
        Fields(
            "id tenant number status origin based_on valid_from valid_to created_at revision decided_revision "
            "submitted_at decided_at effective_from total_cap_chars neighbours term_weight decisive_points "
            "points_for_full_weight minimum_score minimum_margin minimum_term_points minimum_term_margin "
            "minimum_golden_accuracy retrieval_settings two_reviewers_for",
            Sort.NONE,
            because="Ids, figures, times and settings.",
        ),
        Fields(
            "reason decision_reason", Sort.FREE_TEXT, because="Why the version was wanted, and why it was decided so."
        ),
        Fields(
            "author author_label approver approver_label",
            Sort.IDENTIFIER,
            because="Who wrote and who approved the version.",
        ),
        cleared_by="intents.policies",
        stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS}",
        shown_in="policy_versions",
        stores=(
            # A submitted version is never changed or deleted, and only its author changes a draft: triggers enforce it
            # against every role. Versions go with their tenant, because nobody can ask questions under them any more.
            # The log keeps the id, the number and the digest of a version.
            TenantStore(
                key="intents.policies",
                label="Policy versions, with their reasons, intents and examples",
                phase=Phase.DOCUMENTS,
                tables=(
                    "intents_goldenvector",
                    "intents_goldenexample",
                    "intents_intentterm",
                    "intents_policyintentkind",
                    "intents_policyintent",
                    "intents_kindbudget",
                    "intents_policyinvariant",
                    "intents_policyprofilerule",
                    "intents_policyproof",
                    "intents_policyapproval",
                    "intents_policyversion",
                ),
            ),
        ),
        texts=Texts(
            "intents.policy_versions",
            "Reasons of policy versions",
            "reason decision_reason author_label approver_label",
        ),
    )

    class Meta:
        ordering = ("-number",)
        indexes = (models.Index(fields=["tenant", "-valid_from"], name="policy_version_by_validity"),)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "number"], name="policy_version_number_once"),
            models.UniqueConstraint(
                fields=["tenant"],
                condition=models.Q(status=VersionStatus.ACTIVE),
                name="policy_version_one_active",
            ),
            ExclusionConstraint(
                name="policy_version_one_in_force",
                expressions=(
                    ("tenant", RangeOperators.EQUAL),
                    (Validity("valid_from", "valid_to", RangeBoundary()), RangeOperators.OVERLAPS),
                ),
                condition=models.Q(status__in=_WAS_IN_FORCE),
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=_WAS_IN_FORCE, valid_from__isnull=False)
                | (~models.Q(status__in=_WAS_IN_FORCE) & models.Q(valid_from__isnull=True)),
                name="policy_version_valid_from_when_in_force",
            ),
            models.CheckConstraint(
                condition=models.Q(status=VersionStatus.SUPERSEDED, valid_to__isnull=False)
                | (~models.Q(status=VersionStatus.SUPERSEDED) & models.Q(valid_to__isnull=True)),
                name="policy_version_valid_to_when_superseded",
            ),
            models.CheckConstraint(
                condition=models.Q(author__isnull=True)
                | models.Q(approver__isnull=True)
                | ~models.Q(author=models.F("approver")),
                name="policy_version_four_eyes",
            ),
            models.CheckConstraint(
                condition=~models.Q(status__in=_REACHED_APPROVAL)
                | models.Q(author__isnull=False, approver__isnull=False)
                | models.Q(origin=VersionOrigin.BASELINE),
                name="policy_version_approved_by_someone",
            ),
            models.CheckConstraint(
                condition=~models.Q(status__in=_REACHED_APPROVAL)
                | models.Q(effective_from__isnull=False)
                | models.Q(origin=VersionOrigin.BASELINE),
                name="policy_version_approved_from_when",
            ),
            models.CheckConstraint(
                condition=~models.Q(origin=VersionOrigin.BASELINE) | models.Q(number=1),
                name="policy_version_baseline_is_first",
            ),
        )

    def __str__(self) -> str:
        return f"Policy version {self.number}"
