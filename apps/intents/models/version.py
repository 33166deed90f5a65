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

from apps.corpus.kinds import KIND_KEY, RetentionClass, SourceType
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
from apps.tenants.roles import Role


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


class KindBudget(TenantModel):
    """A kind of document of a version, with its context budget.

    If not everything fits, the kinds with the highest positions are left out first. A document names its kind by the
    key, which stays when the kind is renamed; a retired kind keeps its documents and takes no more.
    """

    version = TenantForeignKey(PolicyVersion, on_delete=models.CASCADE, related_name="budgets")
    kind = models.CharField(max_length=32, help_text="The key: how documents name their kind.")
    name = models.CharField(max_length=80, help_text="What the kind is called on pages.")
    description = models.TextField(blank=True, help_text="What belongs to it, in plain words.")
    examples = ArrayField(models.CharField(max_length=200), default=list, db_default=[], blank=True)
    retention_class = models.CharField(
        max_length=32, choices=RetentionClass.choices, default=RetentionClass.RECORD.value
    )
    source_category = models.CharField(max_length=16, choices=SourceType.choices, default=SourceType.INTERNAL.value)
    uploaders = ArrayField(
        models.CharField(max_length=32),
        default=list,
        db_default=[],
        blank=True,
        help_text="The roles that may upload it; empty for all that may add documents.",
    )
    correctors = ArrayField(
        models.CharField(max_length=32),
        default=list,
        db_default=[],
        blank=True,
        help_text="The roles that may correct its documents; empty for those that may upload it.",
    )
    removers = ArrayField(
        models.CharField(max_length=32),
        default=list,
        db_default=[],
        blank=True,
        help_text="The roles that may propose the removal of its documents; empty for all that may propose one.",
    )
    retired = models.BooleanField(default=False, help_text="Nothing more is uploaded as such.")
    label = models.CharField(max_length=80, help_text="The heading of this kind's passages in the context.")
    cap_chars = models.PositiveIntegerField(
        validators=[MinValueValidator(1)], help_text="The most characters that passages of this kind may use."
    )
    position = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(1)], help_text="1 is kept longest if not everything fits."
    )

    personal_data = PersonalData(
        Fields(
            "id tenant version kind cap_chars position retention_class source_category uploaders correctors removers "
            "retired",
            Sort.NONE,
            because="Ids, keys, figures and roles.",
        ),
        Fields(
            "label name description",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take an example out.",
            withheld=reasons.OF_THE_POLICY,
        ),
        Fields(
            "examples",
            Sort.FREE_TEXT,
            because=reasons.WORDS_OF_POLICY,
            cleared_by="intents.policies",
            stays=f"When a person is erased. {reasons.RULES_OF_ANSWERS} A draft's author can take an example out.",
            withheld=reasons.OF_THE_POLICY,
            unsearched="Short names of sorts of documents; the description beside them is searched.",
        ),
        texts=Texts("intents.kind_budgets", "Kinds of documents", "label name description"),
    )

    class Meta:
        ordering = ("version", "position")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "kind"], name="kind_budget_kind_once"),
            # Deferred, so that dragging a row can swap two positions one after the other.
            models.UniqueConstraint(
                fields=["tenant", "version", "position"],
                name="kind_budget_position_once",
                deferrable=models.Deferrable.DEFERRED,
            ),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="kind_budget_kind_key"),
            models.CheckConstraint(
                condition=models.Q(retention_class__in=RetentionClass.values), name="kind_budget_known_class"
            ),
            models.CheckConstraint(
                condition=models.Q(source_category__in=SourceType.values), name="kind_budget_known_source"
            ),
            # An unknown role would be read as nobody, and no role at all as everybody.
            models.CheckConstraint(
                condition=models.Q(uploaders__contained_by=Role.values), name="kind_budget_known_uploaders"
            ),
            models.CheckConstraint(
                condition=models.Q(correctors__contained_by=Role.values, removers__contained_by=Role.values),
                name="kind_budget_known_rights",
            ),
            models.CheckConstraint(condition=models.Q(cap_chars__gt=0), name="kind_budget_cap_positive"),
        )

    def __str__(self) -> str:
        return f"{self.position}. {self.label}"
