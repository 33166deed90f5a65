"""What may be reached: policy versions with their intents, terms, examples and budgets, and comments of reviewers."""

from __future__ import annotations

import django.core.validators
from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.fields.ranges import RangeBoundary
from django.db import migrations, models
from django.db.models.constraints import Deferrable
from django.db.models.functions import Now

import apps.intents.models.golden
import apps.intents.models.version
from apps.tenants.columns import ID, TENANT
from apps.tenants.flows.operation import HoldFlow
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand, RunSqlFile, Writes
from apps.tenants.stamping import Stamp

_TENANT = "tenant_id = (SELECT authz.tenant())"
_PARTS = ("KindBudget", "PolicyIntent", "PolicyIntentKind", "IntentTerm", "GoldenExample")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("audit", "0002_erasure"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            "PolicyVersion",
            fields=[
                ("id", ID),
                ("number", models.PositiveIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("in_review", "In review"),
                            ("approved", "Approved"),
                            ("active", "In force"),
                            ("superseded", "Superseded"),
                            ("rejected", "Rejected"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="draft",
                        max_length=16,
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("baseline", "Shipped baseline"),
                            ("draft", "Copy of the version in force"),
                            ("import", "Imported file"),
                            ("rollback", "Copy of an older version"),
                        ],
                        default="draft",
                        max_length=16,
                    ),
                ),
                ("valid_from", models.DateTimeField(blank=True, editable=False, null=True)),
                ("valid_to", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "reason",
                    models.TextField(help_text="Why this version is wanted, for the reviewer and the audit log."),
                ),
                ("author_label", models.CharField(blank=True, editable=False, max_length=255)),
                ("approver_label", models.CharField(blank=True, editable=False, max_length=255)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "total_cap_chars",
                    models.PositiveIntegerField(
                        help_text="The most characters that the whole context of an answer may have.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "neighbours",
                    models.PositiveSmallIntegerField(
                        help_text="An intent's score starts from the mean similarity of this many of its nearest examples.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                ("term_weight", models.FloatField(help_text="The most that matched terms can add to a score.")),
                (
                    "decisive_points",
                    models.FloatField(help_text="The points of a decisive term; any other term counts 1."),
                ),
                (
                    "points_for_full_weight",
                    models.FloatField(help_text="This many points give the full weight of terms."),
                ),
                ("minimum_score", models.FloatField(help_text="Below this score a question is unrecognised.")),
                (
                    "minimum_margin",
                    models.FloatField(help_text="With a smaller lead over the second intent it is unrecognised."),
                ),
                (
                    "minimum_term_points",
                    models.FloatField(
                        help_text="The lowest points that recognise a question while no embedding is available."
                    ),
                ),
                (
                    "minimum_term_margin",
                    models.FloatField(
                        help_text="The smallest lead that recognises a question while no embedding is available."
                    ),
                ),
                (
                    "minimum_golden_accuracy",
                    models.FloatField(
                        help_text="Share of review examples, each left out in turn, that must get their intent before approval."
                    ),
                ),
                (
                    "retrieval_settings",
                    models.JSONField(
                        default=dict,
                        help_text="The stages' settings; apps/intents/retrieval_settings.py is the schema.",
                    ),
                ),
                (
                    "approver",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL, editable=False, null=True, on_delete=models.PROTECT, related_name="+"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL, editable=False, null=True, on_delete=models.PROTECT, related_name="+"
                    ),
                ),
                (
                    "based_on",
                    TenantForeignKey(
                        "intents.policyversion",
                        models.PROTECT,
                        blank=True,
                        editable=False,
                        null=True,
                        related_name="successors",
                    ),
                ),
                ("tenant", TENANT),
                ("decided_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("decision_reason", models.TextField(blank=True, editable=False)),
                ("effective_from", models.DateTimeField(blank=True, editable=False, null=True)),
                ("revision", models.PositiveIntegerField(default=1, editable=False)),
                ("submitted_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("decided_revision", models.PositiveIntegerField(editable=False, null=True)),
            ],
            options={
                "ordering": ("-number",),
                "indexes": [
                    models.Index(fields=["tenant", "-valid_from"], name="policy_version_by_validity"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number"), name="policy_version_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "active")), fields=("tenant",), name="policy_version_one_active"
                    ),
                    ExclusionConstraint(
                        condition=models.Q(("status__in", ("active", "superseded"))),
                        expressions=(
                            ("tenant", "="),
                            (apps.intents.models.version.Validity("valid_from", "valid_to", RangeBoundary()), "&&"),
                        ),
                        name="policy_version_one_in_force",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("active", "superseded")), ("valid_from__isnull", False)),
                            models.Q(
                                models.Q(("status__in", ("active", "superseded")), _negated=True),
                                ("valid_from__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="policy_version_valid_from_when_in_force",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "superseded"), ("valid_to__isnull", False)),
                            models.Q(models.Q(("status", "superseded"), _negated=True), ("valid_to__isnull", True)),
                            _connector="OR",
                        ),
                        name="policy_version_valid_to_when_superseded",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("author__isnull", True),
                            ("approver__isnull", True),
                            models.Q(("author", models.F("approver")), _negated=True),
                            _connector="OR",
                        ),
                        name="policy_version_four_eyes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("approved", "active", "superseded")), _negated=True),
                            models.Q(("approver__isnull", False), ("author__isnull", False)),
                            ("origin", "baseline"),
                            _connector="OR",
                        ),
                        name="policy_version_approved_by_someone",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("approved", "active", "superseded")), _negated=True),
                            ("effective_from__isnull", False),
                            ("origin", "baseline"),
                            _connector="OR",
                        ),
                        name="policy_version_approved_from_when",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("origin", "baseline"), _negated=True), ("number", 1), _connector="OR"
                        ),
                        name="policy_version_baseline_is_first",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "KindBudget",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(help_text="The key: how documents name their kind.", max_length=32),
                ),
                (
                    "label",
                    models.CharField(help_text="The heading of this kind's passages in the context.", max_length=80),
                ),
                (
                    "cap_chars",
                    models.PositiveIntegerField(
                        help_text="The most characters that passages of this kind may use.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "position",
                    models.PositiveSmallIntegerField(
                        help_text="1 is kept longest if not everything fits.",
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                ("name", models.CharField(help_text="What the kind is called on pages.", max_length=80)),
                ("description", models.TextField(blank=True, help_text="What belongs to it, in plain words.")),
                (
                    "examples",
                    ArrayField(models.CharField(max_length=200), blank=True, db_default=[], default=list, size=None),
                ),
                (
                    "retention_class",
                    models.CharField(
                        choices=[
                            ("org_profile", "Firm profile"),
                            ("compliance_profile", "Compliance profile"),
                            ("methodology", "Methodology"),
                            ("fund_profile", "Fund profile"),
                            ("style_sample", "House style sample"),
                            ("run", "Past run"),
                            ("report_edit_pattern", "Report edit pattern"),
                            ("dataset_summary", "Dataset summary"),
                            ("schedule", "Schedule"),
                            ("reference_report", "Reference report"),
                            ("client_record", "Client record"),
                            ("record", "Other record"),
                        ],
                        default="record",
                        max_length=32,
                    ),
                ),
                (
                    "source_category",
                    models.CharField(
                        choices=[
                            ("official", "Official"),
                            ("news", "News"),
                            ("research", "Research"),
                            ("policy", "Policy"),
                            ("internal", "Internal"),
                        ],
                        default="internal",
                        max_length=16,
                    ),
                ),
                (
                    "uploaders",
                    ArrayField(
                        models.CharField(max_length=32),
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="The roles that may upload it; empty for all that may add documents.",
                        size=None,
                    ),
                ),
                ("retired", models.BooleanField(default=False, help_text="Nothing more is uploaded as such.")),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.CASCADE, related_name="budgets")),
            ],
            options={
                "ordering": ("version", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "version", "kind"), name="kind_budget_kind_once"),
                    models.UniqueConstraint(
                        deferrable=Deferrable["DEFERRED"],
                        fields=("tenant", "version", "position"),
                        name="kind_budget_position_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="kind_budget_kind_key"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "retention_class__in",
                                [
                                    "org_profile",
                                    "compliance_profile",
                                    "methodology",
                                    "fund_profile",
                                    "style_sample",
                                    "run",
                                    "report_edit_pattern",
                                    "dataset_summary",
                                    "schedule",
                                    "reference_report",
                                    "client_record",
                                    "record",
                                ],
                            )
                        ),
                        name="kind_budget_known_class",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("source_category__in", ["official", "news", "research", "policy", "internal"])
                        ),
                        name="kind_budget_known_source",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "uploaders__contained_by",
                                ["compliance_officer", "reviewer", "dpo", "analyst", "auditor", "tenant_admin"],
                            )
                        ),
                        name="kind_budget_known_uploaders",
                    ),
                    models.CheckConstraint(condition=models.Q(("cap_chars__gt", 0)), name="kind_budget_cap_positive"),
                ],
            },
        ),
        migrations.CreateModel(
            "PolicyIntent",
            fields=[
                ("id", ID),
                (
                    "name",
                    models.CharField(
                        help_text="The short name in commands, the API and the audit log.",
                        max_length=40,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_]*$", "Lower-case letters, digits and _; begin with a letter."
                            )
                        ],
                    ),
                ),
                ("label", models.CharField(max_length=80)),
                ("description", models.TextField(help_text="Which questions belong here, in plain words.")),
                (
                    "recording_mode",
                    models.CharField(
                        choices=[
                            ("hash_only", "Keyed hash only: the question's text is never written"),
                            ("encrypted_text", "Encrypted text"),
                        ],
                        default="hash_only",
                        max_length=32,
                    ),
                ),
                ("is_fallback", models.BooleanField(default=False, editable=False)),
                ("position", models.PositiveSmallIntegerField()),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.CASCADE, related_name="intents")),
            ],
            options={
                "ordering": ("version", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "version", "name"), name="policy_intent_name_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("is_fallback", True)),
                        fields=("tenant", "version"),
                        name="policy_intent_one_fallback",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "PolicyIntentKind",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(max_length=32),
                ),
                ("intent", TenantForeignKey("intents.policyintent", models.CASCADE, related_name="kinds")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("intent", "kind"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "intent", "kind"), name="policy_intent_kind_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="policy_intent_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "IntentTerm",
            fields=[
                ("id", ID),
                ("text", models.CharField(help_text="A word or phrase; # stands for any one digit.", max_length=80)),
                (
                    "decisive",
                    models.BooleanField(default=False, help_text="Alone shows what is asked for, such as 'why'."),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("tenant", TENANT),
                ("intent", TenantForeignKey("intents.policyintent", models.CASCADE, related_name="terms")),
            ],
            options={
                "ordering": ("intent", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "intent", "text"), name="intent_term_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "GoldenExample",
            fields=[
                ("id", ID),
                ("text", models.CharField(max_length=500)),
                ("position", models.PositiveSmallIntegerField()),
                ("tenant", TENANT),
                ("intent", TenantForeignKey("intents.policyintent", models.CASCADE, related_name="examples")),
            ],
            options={
                "ordering": ("intent", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "intent", "text"), name="golden_example_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "GoldenVector",
            fields=[
                ("id", ID),
                ("model", models.CharField(max_length=200)),
                ("vector", ArrayField(apps.intents.models.golden.SinglePrecisionField())),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("example", TenantForeignKey("intents.goldenexample", models.CASCADE, related_name="vectors")),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "example", "model"), name="golden_vector_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "ReviewComment",
            fields=[
                ("id", ID),
                ("author_id", models.UUIDField()),
                ("author_label", models.CharField(max_length=255)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.PROTECT, related_name="comments")),
            ],
            options={
                "ordering": ("created_at", "id"),
            },
        ),
        EnableIsolation("PolicyVersion", by=IsolationLevel.TENANT),
        *(EnableIsolation(name, by=IsolationLevel.TENANT) for name in _PARTS),
        EnableIsolation("GoldenVector", by=IsolationLevel.TENANT, writes=Writes.UNCHANGED),
        EnableIsolation("ReviewComment", by=IsolationLevel.TENANT),
        # Nobody speaks in another's name.
        PoliciesByCommand(
            "ReviewComment",
            read=f"USING ({_TENANT})",
            insert=f"WITH CHECK ({_TENANT} AND authz.acts_as(author_id))",
        ),
        RunSqlFile("versions.sql"),
        HoldFlow("apps.intents.flow.VERSIONS"),
        RunSqlFile("parts.sql"),
        Stamp(
            "PolicyVersion",
            created_at="made",
            author_label="label",
            approver_label="label",
            submitted_at="time",
            decided_at="time",
            effective_from="from",
        ),
        Stamp("ReviewComment", created_at="made", author_label="label"),
    ]
