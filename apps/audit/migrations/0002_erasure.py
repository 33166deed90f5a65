"""How things end: runs of removals, holds, retention, certificates and tombstones, and what a restore brought back."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf
from apps.tenants.columns import ID, TENANT
from apps.tenants.eraser_operations import EmptyOnlyTargets, named
from apps.tenants.flows.operation import HoldFlow
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand, RunSqlFile, Writes
from apps.tenants.stamping import Stamp

# The eraser asks which tenants have a run to carry out, the prover whether anything waits, every process how far the
# tombstones are: ids, codes and numbers alone.
_ALL = "(SELECT authz.identity(4)) = 'all'"
_TENANT = "tenant_id = (SELECT authz.tenant())"
_MANAGES = "(SELECT authz.may('privacy.manage'))"
_APPROVES = "(SELECT authz.may('privacy.approve'))"

# --- Holds and restrictions: in one's own name, and never removed ------------------------------------------------------

# glassbox_remover owns functions which answer for readers who may not see these tables (sql/holds.sql).
_READ_HOLDS = (
    f"USING ({_TENANT} AND (CURRENT_USER = 'glassbox_remover' OR {_MANAGES} OR {_APPROVES} "
    "OR (SELECT authz.may('audit.view'))))"
)
_HOLD = "EXISTS (SELECT FROM audit_legalhold h WHERE h.tenant_id = {0}.tenant_id AND h.id = {0}.{1} AND {2})"
_OPEN_HOLD = _HOLD.format("audit_helditem", "hold_id", "h.released_at IS NULL")
# A document is restricted for as long as the hold on it lasts: nobody lifts that before.
_LIFTABLE = f"(because <> 'hold' OR {_HOLD.format('audit_restriction', 'because_id', 'h.released_at IS NOT NULL')})"
_DECIDES = f"({_MANAGES} OR {_APPROVES})"

_HOLDS = (
    PoliciesByCommand(
        "LegalHold",
        read=_READ_HOLDS,
        insert=f"WITH CHECK ({_TENANT} AND {_MANAGES} AND authz.acts_as(placed_by) AND released_at IS NULL)",
        # Of an open one the review date moves, and one's own release ends it.
        update=(
            f"USING ({_TENANT} AND {_MANAGES} AND released_at IS NULL) "
            f"WITH CHECK ({_TENANT} AND {_MANAGES} AND (released_at IS NULL OR authz.acts_as(released_by)))"
        ),
        updatable=("review_on", "released_by", "released_by_label", "released_at", "release_reason"),
        remover={"read": "removal"},
    ),
    PoliciesByCommand(
        "HeldItem",
        read=_READ_HOLDS,
        insert=f"WITH CHECK ({_TENANT} AND {_MANAGES} AND authz.acts_as(added_by) AND {_OPEN_HOLD})",
        remover={"read": "removal"},
    ),
    PoliciesByCommand(
        "Restriction",
        read=_READ_HOLDS,
        insert=f"WITH CHECK ({_TENANT} AND {_DECIDES})",
        delete=f"USING ({_TENANT} AND {_DECIDES} AND {_LIFTABLE})",
        remover={"read": "removal"},
    ),
)

# --- Retention: nobody counts or purges in another's name; what the clock counts is the platform's --------------------

_INSERTED = {
    "RetentionCount": "(SELECT authz.may('*'))",
    "Purge": f"{_MANAGES} AND authz.acts_as(created_by_id)",
    "PurgeFigure": _MANAGES,
    "PurgePart": f"{_MANAGES} AND authz.acts_as(proposed_by_id)",
}

# --- Accounts: the eraser empties those of what an executing run names -------------------------------------------------

# An account is emptied by whoever opened that person's identity: so all of their memberships are seen here.
_ACCOUNT = f"""
    id = (SELECT authz.identity(1))::uuid AND NOT is_superuser
    AND EXISTS (
        SELECT FROM tenants_membership m
         WHERE m.user_id = tenants_user.id AND m.tenant_id = (SELECT authz.tenant())
           AND (m.user_id {named("user")} OR m.tenant_id {named("tenant")}))
    AND NOT EXISTS (
        SELECT FROM tenants_membership m
         WHERE m.user_id = tenants_user.id AND m.tenant_id <> (SELECT authz.tenant()))
"""  # noqa: S608 (constants)
# No password begins so: nobody signs in to it.
_NOBODY = """
    username = 'erased-' || id AND first_name = '' AND last_name = '' AND email = '' AND password LIKE '!%'
    AND last_login IS NULL AND NOT is_active AND NOT is_staff
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [
        migrations.CreateModel(
            "RemovalRun",
            fields=[
                ("id", ID),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("purge", "Purge"),
                            ("log", "Repair of the log"),
                            ("request", "Erasure request"),
                            ("removal", "Removal of a document"),
                        ],
                        max_length=16,
                    ),
                ),
                ("origin_id", models.UUIDField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "Waits for approval"),
                            ("rejected", "Rejected"),
                            ("approved", "Approved"),
                            ("executing", "Being carried out"),
                            ("verifying", "Removed, being verified"),
                            ("completed", "Completed"),
                            ("partially_completed", "Completed except for what is held"),
                            ("failed", "Failed"),
                        ],
                        default="proposed",
                        max_length=24,
                    ),
                ),
                ("reason_code", models.CharField(max_length=32)),
                ("made_in", models.CharField(default="", editable=False, max_length=24)),
                ("frozen_at", models.DateTimeField(null=True)),
                ("proposed_by", models.UUIDField()),
                ("proposed_at", models.DateTimeField(db_default=Now())),
                ("approved_by", models.UUIDField(null=True)),
                ("approved_at", models.DateTimeField(null=True)),
                ("rejected_by", models.UUIDField(null=True)),
                ("rejected_at", models.DateTimeField(null=True)),
                ("rejection_code", models.CharField(blank=True, max_length=32)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("tenant", TENANT),
                (
                    "proof",
                    models.CharField(
                        choices=[
                            ("counts", "Counts of every store"),
                            ("physical", "Counts, physical phase, residue scan and certificate"),
                        ],
                        default="counts",
                        max_length=16,
                    ),
                ),
                ("prepared_at", models.DateTimeField(null=True)),
                ("verifying_at", models.DateTimeField(null=True)),
                ("verification", models.JSONField(default=dict)),
                ("end_events", ArrayField(models.UUIDField(), default=list)),
                ("staying", models.JSONField(default=list)),
                ("unproven_agreed_at", models.DateTimeField(null=True)),
                ("unproven_agreed_by", models.UUIDField(null=True)),
                ("unproven_asked_at", models.DateTimeField(null=True)),
                ("unproven_asked_by", models.UUIDField(null=True)),
                ("unproven_code", models.CharField(blank=True, default="", max_length=32)),
                ("redacted", models.JSONField(null=True)),
                ("revision", models.PositiveIntegerField(db_default=1, default=1)),
                ("decided_revision", models.PositiveIntegerField(editable=False, null=True)),
            ],
            options={
                "ordering": ("-proposed_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "origin_id"], name="removal_by_origin"),
                    models.Index(
                        condition=models.Q(("state__in", ("approved", "executing", "failed"))),
                        fields=["tenant", "next_attempt_at"],
                        name="removal_due",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("approved_by__isnull", True),
                            models.Q(("approved_by", models.F("proposed_by")), _negated=True),
                            _connector="OR",
                        ),
                        name="removal_approved_by_another",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ("proposed", "rejected")),
                            models.Q(
                                ("approved_at__isnull", False),
                                ("approved_by__isnull", False),
                                ("frozen_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="removal_approved_by_somebody",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("unproven_agreed_by__isnull", True),
                            models.Q(("unproven_agreed_by", models.F("unproven_asked_by")), _negated=True),
                            _connector="OR",
                        ),
                        name="removal_unproven_by_two",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("unproven_agreed_by__isnull", True),
                                ("unproven_asked_by__isnull", True),
                                ("unproven_code", ""),
                            ),
                            models.Q(
                                models.Q(("unproven_code", ""), _negated=True),
                                ("unproven_asked_at__isnull", False),
                                ("unproven_asked_by__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="removal_unproven_for_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("origin__in", ("purge", "log", "request", "removal")),
                            ("proof__in", ("counts", "physical")),
                            (
                                "state__in",
                                (
                                    "proposed",
                                    "rejected",
                                    "approved",
                                    "executing",
                                    "verifying",
                                    "completed",
                                    "partially_completed",
                                    "failed",
                                ),
                            ),
                        ),
                        name="removal_known_words",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "RemovalTarget",
            fields=[
                ("id", ID),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("document", "Document"),
                            ("event_group", "Part of an event"),
                            ("user", "Person"),
                            ("scope", "Scope"),
                            ("tenant", "Tenant"),
                        ],
                        max_length=16,
                    ),
                ),
                ("item_id", models.UUIDField()),
                ("part", models.CharField(blank=True, max_length=16)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("pending", "To be removed"), ("removed", "Removed"), ("retained", "Retained")],
                        default="pending",
                        max_length=16,
                    ),
                ),
                ("ground", models.CharField(blank=True, max_length=100)),
                ("authorised_by", models.UUIDField(null=True)),
                ("run", TenantForeignKey("audit.removalrun", models.PROTECT, related_name="targets")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("type", "item_id", "part"),
                "indexes": [
                    models.Index(fields=["tenant", "type", "item_id"], name="removal_target_by_item"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "run", "type", "item_id", "part"), name="removal_target_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("type__in", ("document", "event_group", "user", "scope", "tenant")),
                            models.Q(
                                models.Q(("type", "event_group"), models.Q(("part", ""), _negated=True)),
                                models.Q(models.Q(("type", "event_group"), _negated=True), ("part", "")),
                                _connector="OR",
                            ),
                        ),
                        name="removal_target_of_a_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ground", ""), ("outcome__in", ("pending", "removed"))),
                            models.Q(("outcome", "retained"), models.Q(("ground", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="removal_target_retained_on_a_ground",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "RemovalStep",
            fields=[
                ("id", ID),
                ("store", models.CharField(max_length=100)),
                ("ordinal", models.PositiveIntegerField()),
                ("before", models.PositiveBigIntegerField()),
                ("removed", models.PositiveBigIntegerField(default=0)),
                ("retained", models.PositiveBigIntegerField(default=0)),
                ("remaining", models.PositiveBigIntegerField()),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("run", TenantForeignKey("audit.removalrun", models.PROTECT, related_name="steps")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("ordinal",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "run", "store"), name="removal_step_once"),
                    models.CheckConstraint(
                        condition=models.Q(("finished_at__isnull", True), ("remaining", 0), _connector="OR"),
                        name="removal_step_ends_at_zero",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "LegalHold",
            fields=[
                ("id", ID),
                ("matter", models.CharField(max_length=200)),
                ("ground", models.TextField()),
                ("owner_id", models.UUIDField(help_text="The member who is responsible for it.")),
                ("review_on", models.DateField()),
                ("placed_by", models.UUIDField(editable=False)),
                ("placed_by_label", models.CharField(editable=False, max_length=255)),
                ("placed_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("released_by", models.UUIDField(editable=False, null=True)),
                ("released_by_label", models.CharField(blank=True, editable=False, max_length=255)),
                ("released_at", models.DateTimeField(editable=False, null=True)),
                ("release_reason", models.TextField(blank=True, editable=False)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("review_on", "id"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("release_reason", ""), ("released_at__isnull", True), ("released_by__isnull", True)
                            ),
                            models.Q(
                                ("released_at__isnull", False),
                                ("released_by__isnull", False),
                                models.Q(("release_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="hold_released_by_somebody_for_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("matter", ""), _negated=True), models.Q(("ground", ""), _negated=True)
                        ),
                        name="hold_says_why",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "HeldItem",
            fields=[
                ("id", ID),
                (
                    "type",
                    models.CharField(
                        choices=[("document", "Document"), ("event_group", "Part of an event")], max_length=16
                    ),
                ),
                ("item_id", models.UUIDField()),
                ("part", models.CharField(blank=True, max_length=16)),
                ("added_by", models.UUIDField(editable=False)),
                ("added_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
                ("hold", TenantForeignKey("audit.legalhold", models.PROTECT, related_name="items")),
            ],
            options={
                "ordering": ("id",),
                "indexes": [
                    models.Index(fields=["tenant", "type", "item_id", "part"], name="held_by_item"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "hold", "type", "item_id", "part"), name="held_once_by_a_hold"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("part", ""), ("type", "document")),
                            models.Q(("type", "event_group"), models.Q(("part", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="held_part_of_an_event_alone",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Restriction",
            fields=[
                ("id", ID),
                ("scope_id", models.UUIDField()),
                ("document_id", models.UUIDField()),
                (
                    "because",
                    models.CharField(
                        choices=[("hold", "Legal hold"), ("request", "Request for erasure")], max_length=16
                    ),
                ),
                ("because_id", models.UUIDField()),
                ("restricted_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("id",),
                "indexes": [
                    models.Index(fields=["tenant", "because", "because_id"], name="restriction_by_reason"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope_id", "document_id", "because", "because_id"),
                        name="restricted_once_for_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "RetentionSchedule",
            fields=[
                ("id", ID),
                ("number", models.PositiveIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("in_review", "In review"),
                            ("in_force", "In force"),
                            ("superseded", "Superseded"),
                            ("rejected", "Rejected"),
                        ],
                        default="draft",
                        max_length=16,
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[("baseline", "Shipped baseline"), ("draft", "Copy of the schedule in force")],
                        default="draft",
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField()),
                ("revision", models.PositiveIntegerField(default=1)),
                ("author_id", models.UUIDField(null=True)),
                ("author_label", models.CharField(blank=True, max_length=255)),
                ("approver_id", models.UUIDField(null=True)),
                ("approver_label", models.CharField(blank=True, max_length=255)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("submitted_at", models.DateTimeField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("decision_reason", models.TextField(blank=True)),
                ("valid_from", models.DateTimeField(null=True)),
                ("valid_to", models.DateTimeField(null=True)),
                ("tenant", TENANT),
                ("decided_revision", models.PositiveIntegerField(editable=False, null=True)),
            ],
            options={
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number"), name="retention_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "in_force")), fields=("tenant",), name="retention_one_in_force"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("author_id__isnull", True),
                            ("approver_id__isnull", True),
                            models.Q(("author_id", models.F("approver_id")), _negated=True),
                            _connector="OR",
                        ),
                        name="retention_four_eyes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("in_force", "superseded")), _negated=True),
                            ("origin", "baseline"),
                            models.Q(("approver_id__isnull", False), ("author_id__isnull", False)),
                            _connector="OR",
                        ),
                        name="retention_approved_by_someone",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("author_id__isnull", True), ("number", 1), ("origin", "baseline")),
                            models.Q(("author_id__isnull", False), ("origin", "draft")),
                            _connector="OR",
                        ),
                        name="retention_baseline_is_first",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("in_force", "superseded")), ("valid_from__isnull", False)),
                            models.Q(
                                models.Q(("status__in", ("in_force", "superseded")), _negated=True),
                                ("valid_from__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="retention_valid_from_when_in_force",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "superseded"), ("valid_to__isnull", False)),
                            models.Q(models.Q(("status", "superseded"), _negated=True), ("valid_to__isnull", True)),
                            _connector="OR",
                        ),
                        name="retention_valid_to_when_superseded",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "RetentionRule",
            fields=[
                ("id", ID),
                ("subject", models.CharField(max_length=140)),
                ("group", models.CharField(blank=True, db_column="field_group", max_length=16)),
                ("legal_basis", models.CharField(max_length=120)),
                ("clock_start", models.CharField(max_length=32)),
                ("keep_months", models.PositiveIntegerField()),
                ("remove_months", models.PositiveIntegerField(null=True)),
                ("includes_current", models.BooleanField(default=False)),
                ("tenant", TENANT),
                ("schedule", TenantForeignKey("audit.retentionschedule", models.CASCADE, related_name="rules")),
            ],
            options={
                "ordering": ("subject", "group"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "schedule", "subject", "group"), name="retention_rule_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("keep_months__lte", 1200),
                            models.Q(
                                ("remove_months__isnull", True),
                                models.Q(("remove_months__gte", models.F("keep_months")), ("remove_months__lte", 1200)),
                                _connector="OR",
                            ),
                        ),
                        name="retention_rule_in_order",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "RetentionCount",
            fields=[
                ("id", ID),
                ("counted_on", models.DateField()),
                ("counted_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("may_remove", models.PositiveBigIntegerField()),
                ("must_remove", models.PositiveBigIntegerField()),
                ("tenant", TENANT),
                ("schedule", TenantForeignKey("audit.retentionschedule", models.PROTECT, related_name="+")),
            ],
            options={
                "ordering": ("-counted_at",),
                "indexes": [
                    models.Index(fields=["tenant", "-counted_at"], name="retention_count_newest"),
                ],
            },
        ),
        migrations.CreateModel(
            "Purge",
            fields=[
                ("id", ID),
                (
                    "reach",
                    models.CharField(
                        choices=[
                            ("must", "What is past its latest date"),
                            ("may", ("Everything that may be removed by now")),
                        ],
                        max_length=8,
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=140)),
                ("reason", models.TextField()),
                ("counted_for", models.DateField()),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("created_by_id", models.UUIDField()),
                ("created_by_label", models.CharField(max_length=255)),
                ("tenant", TENANT),
                ("schedule", TenantForeignKey("audit.retentionschedule", models.PROTECT, related_name="purges")),
            ],
            options={
                "ordering": ("-created_at", "-id"),
            },
        ),
        migrations.CreateModel(
            "PurgeFigure",
            fields=[
                ("id", ID),
                ("position", models.PositiveIntegerField()),
                ("subject", models.CharField(max_length=140)),
                ("group", models.CharField(blank=True, db_column="field_group", max_length=16)),
                ("clock_start", models.CharField(max_length=32)),
                ("months", models.PositiveIntegerField()),
                ("legal_basis", models.CharField(max_length=120)),
                ("count", models.PositiveBigIntegerField()),
                ("oldest", models.DateTimeField()),
                ("newest", models.DateTimeField()),
                ("looked_at", models.PositiveIntegerField()),
                ("kept", models.JSONField(default=dict)),
                ("samples", models.JSONField(default=list)),
                ("purge", TenantForeignKey("audit.purge", models.PROTECT, related_name="figures")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("purge", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "purge", "position"), name="purge_figure_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "PurgePart",
            fields=[
                ("id", ID),
                ("number", models.PositiveIntegerField()),
                ("run_id", models.UUIDField(null=True)),
                ("targets", models.PositiveIntegerField()),
                ("kept", models.JSONField(default=dict)),
                ("last_position", models.PositiveIntegerField()),
                ("last_at", models.DateTimeField(null=True)),
                ("last_id", models.UUIDField(null=True)),
                ("is_last", models.BooleanField()),
                ("proposed_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("proposed_by_id", models.UUIDField()),
                ("proposed_by_label", models.CharField(max_length=255)),
                ("purge", TenantForeignKey("audit.purge", models.PROTECT, related_name="parts")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("purge", "number"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "purge", "number"), name="purge_part_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "TombstoneMark",
            fields=[
                ("id", ID),
                ("number", models.BigIntegerField()),
                ("kind", models.CharField(max_length=16)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number", "kind"), name="tombstone_mark_once"),
                    models.CheckConstraint(condition=models.Q(("number__gte", 0)), name="tombstone_counts_from_zero"),
                ],
            },
        ),
        migrations.CreateModel(
            "Certificate",
            fields=[
                ("id", ID),
                ("number", models.PositiveIntegerField()),
                ("origin", models.CharField(max_length=16)),
                ("origin_id", models.UUIDField()),
                ("outcome", models.CharField(max_length=24)),
                ("event_id", models.UUIDField()),
                ("leaf_index", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("body", models.JSONField()),
                ("note", models.TextField()),
                ("issued_at", models.DateTimeField(db_default=Now())),
                ("run", TenantForeignKey("audit.removalrun", models.PROTECT, related_name="certificates")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number"), name="certificate_number_once"),
                    models.UniqueConstraint(fields=("tenant", "event_id"), name="certificate_once_an_end"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("leaf_index__gte", 0),
                            ("number__gte", 1),
                            ("size__gt", models.F("leaf_index")),
                            ("outcome__in", ("completed", "partially_completed")),
                        ),
                        name="certificate_of_an_end",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Restoration",
            fields=[
                ("id", ID),
                ("restore_id", models.UUIDField()),
                ("ordinal", models.PositiveIntegerField(default=0)),
                ("backup_id", models.UUIDField(null=True)),
                ("backup_made_at", models.DateTimeField(null=True)),
                ("through", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("removing", "Being removed again"),
                            ("untouched", "Nothing of it came back"),
                            ("awaiting", "Removed again, not proven again"),
                            ("proved", "Removed and proved again"),
                            ("failed", "Removed again; traces were found on the disk"),
                            ("unproven", "Removed again, and can't be proven again"),
                        ],
                        default="removing",
                        max_length=16,
                    ),
                ),
                ("runs", models.JSONField(default=list)),
                ("came_back", models.JSONField(default=dict)),
                ("targets", models.PositiveIntegerField()),
                ("leaves", ArrayField(models.CharField(max_length=64), default=list)),
                ("manifest", models.CharField(max_length=64)),
                ("error_code", models.CharField(blank=True, default="", max_length=100)),
                ("restored_at", models.DateTimeField(db_default=Now())),
                ("prepared_at", models.DateTimeField(null=True)),
                ("removed_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("verification", models.JSONField(default=dict)),
                ("end_events", ArrayField(models.UUIDField(), default=list)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-restored_at", "-ordinal"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "restore_id", "ordinal"), name="restoration_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ("removing", "untouched", "awaiting", "proved", "failed", "unproven"))
                        ),
                        name="restoration_known_words",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Supplement",
            fields=[
                ("id", ID),
                ("number", models.PositiveIntegerField()),
                ("outcome", models.CharField(max_length=24)),
                ("event_id", models.UUIDField()),
                ("leaf_index", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("body", models.JSONField()),
                ("note", models.TextField()),
                ("issued_at", models.DateTimeField(db_default=Now())),
                ("restoration", TenantForeignKey("audit.restoration", models.PROTECT, related_name="supplements")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number"), name="supplement_number_once"),
                    models.UniqueConstraint(fields=("tenant", "event_id"), name="supplement_once_a_statement"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("leaf_index__gte", 0),
                            ("number__gte", 1),
                            ("size__gt", models.F("leaf_index")),
                            ("outcome__in", ("not_proven", "nothing_came_back", "proved")),
                        ),
                        name="supplement_of_a_statement",
                    ),
                ],
            },
        ),
        # The eraser's to write, or the worker's, or by column: sql/removal_runs.sql, certificates.sql, restorations.sql.
        EnableIsolation("RemovalRun", by=IsolationLevel.TENANT, writes=Writes.APPEND, identity_reads=_ALL),
        EnableIsolation("RemovalTarget", by=IsolationLevel.TENANT, writes=Writes.APPEND),
        EnableIsolation("RemovalStep", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("TombstoneMark", by=IsolationLevel.TENANT, writes=Writes.NONE, identity_reads=_ALL),
        EnableIsolation("Certificate", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("Restoration", by=IsolationLevel.TENANT, writes=Writes.NONE, identity_reads=_ALL),
        EnableIsolation("Supplement", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("LegalHold", by=IsolationLevel.TENANT),
        EnableIsolation("HeldItem", by=IsolationLevel.TENANT),
        EnableIsolation("Restriction", by=IsolationLevel.TENANT),
        *_HOLDS,
        EnableIsolation("RetentionSchedule", by=IsolationLevel.TENANT),
        EnableIsolation("RetentionRule", by=IsolationLevel.TENANT),
        *(EnableIsolation(name, by=IsolationLevel.TENANT) for name in _INSERTED),
        *(
            PoliciesByCommand(name, read=f"USING ({_TENANT})", insert=f"WITH CHECK ({_TENANT} AND {insert})")
            for name, insert in _INSERTED.items()
        ),
        RunSqlFile("removal_runs.sql"),
        HoldFlow("apps.erasure.runs.flow.RUNS"),
        RunSqlFile("removal_targets.sql"),
        RunSqlFile("holds.sql"),
        RunSqlFile("retention.sql"),
        HoldFlow("apps.erasure.retention.flow.SCHEDULES"),
        RunSqlFile("certificates.sql"),
        RunSqlFile("restorations.sql"),
        RunSqlFile("end_of_tenant.sql"),
        EmptyOnlyTargets(
            "User",
            app_label="tenants",
            reads=("id", "username", "is_superuser"),
            updates=(
                "username",
                "first_name",
                "last_name",
                "email",
                "password",
                "last_login",
                "is_active",
                "is_staff",
            ),
            empties=_ACCOUNT,
            leaves=_NOBODY,
        ),
        Stamp(
            "RemovalRun",
            proposed_at="made",
            frozen_at="time",
            approved_at="time",
            rejected_at="time",
            unproven_asked_at="time",
            unproven_agreed_at="time",
        ),
        Stamp("LegalHold", placed_at="made", placed_by_label="label", released_at="time", released_by_label="label"),
        Stamp("HeldItem", added_at="made"),
        Stamp("Restriction", restricted_at="made"),
        Stamp(
            "RetentionSchedule",
            created_at="made",
            author_label="label",
            approver_label="label",
            submitted_at="time",
            decided_at="time",
        ),
        Stamp("RetentionCount", counted_at="made"),
        Stamp("Purge", created_at="made", created_by_label="label"),
        Stamp("PurgePart", proposed_at="made", proposed_by_label="label"),
        Stamp("TombstoneMark", created_at="made"),
        Stamp("Certificate", issued_at="made"),
        Stamp("Supplement", issued_at="made"),
        ToldOf("RemovalRun", "id", "proposed_at"),
    ]
