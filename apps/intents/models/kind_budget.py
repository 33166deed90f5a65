"""A kind of document of a policy version, with its context budget."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models

from apps.corpus.kinds import KIND_KEY, RetentionClass, SourceType
from apps.intents.models.version import PolicyVersion
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, Texts, reasons
from apps.tenants.roles import Role


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
