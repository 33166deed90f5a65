"""Requests for erasure, and the letters about them."""

import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _requests
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0010_retention"),
        ("tenants", "0004_personal_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="ErasureRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("year", models.PositiveSmallIntegerField()),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("identity_pending", "Waits for proof of identity"),
                            ("assessing", "Being assessed"),
                            ("inventory_ready", "Ready to be proposed"),
                            ("awaiting_approval", "Waits for approval"),
                            ("restricted", "Approved"),
                            ("executing", "Being erased"),
                            ("verifying", "Being verified"),
                            ("completed", "Completed"),
                            ("partially_completed", "Completed but for what is held"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                            ("failed", "Failed: tried again"),
                        ],
                        default="received",
                        max_length=32,
                    ),
                ),
                (
                    "subject_type",
                    models.CharField(
                        choices=[
                            ("data_subject", "A person who is named or described in documents"),
                            ("user", "A user of the platform"),
                            ("document", "A document"),
                            ("scope", "A scope with all that is in it"),
                            ("tenant", "The whole tenant"),
                        ],
                        max_length=16,
                    ),
                ),
                ("subject_id", models.UUIDField(null=True)),
                (
                    "requester",
                    models.CharField(
                        choices=[
                            ("person", "The person themselves"),
                            ("representative", "Somebody who acts for the person"),
                            ("firm", "The firm itself"),
                            ("authority", "A supervisory authority or a court"),
                        ],
                        max_length=16,
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("de", "German")], max_length=2)),
                ("received_at", models.DateTimeField()),
                ("zone", models.CharField(max_length=64)),
                ("received_on", models.DateField()),
                ("first_due_on", models.DateField()),
                ("due_on", models.DateField()),
                ("received_by_id", models.UUIDField()),
                ("data_key_id", models.UUIDField()),
                ("details", models.BinaryField()),
                ("identity_asked_at", models.DateTimeField(null=True)),
                ("identity_confirmed_at", models.DateTimeField(null=True)),
                (
                    "ground",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("17_1_a", "Article 17(1)(a): no longer needed for what they were collected for"),
                            ("17_1_b", "Article 17(1)(b): consent was withdrawn, and there is no other ground"),
                            ("17_1_c", "Article 17(1)(c): the person objected, and nothing overrides that"),
                            ("17_1_d", "Article 17(1)(d): processed unlawfully"),
                            ("17_1_e", "Article 17(1)(e): the law demands erasure"),
                            ("17_1_f", "Article 17(1)(f): collected from a child for an online service"),
                            ("28_3_g", "Article 28(3)(g): the contract of processing has ended"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "extension",
                    models.CharField(
                        blank=True,
                        choices=[("complexity", "The request is complex"), ("number", "The number of requests")],
                        max_length=16,
                    ),
                ),
                ("extended_at", models.DateTimeField(null=True)),
                (
                    "refusal",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("12_5_unfounded", "Article 12(5): manifestly unfounded"),
                            ("12_5_excessive", "Article 12(5): excessive, in particular repeated"),
                            ("12_2", "Article 12(2) and 11(2): the person can't be identified"),
                            ("17_1", "Article 17(1): none of its grounds applies"),
                            ("17_3_a", "Article 17(3)(a): freedom of expression and information"),
                            ("17_3_b", "Article 17(3)(b): a legal duty, or a task in the public interest"),
                            ("17_3_c", "Article 17(3)(c): public interest in public health"),
                            ("17_3_d", "Article 17(3)(d): archiving, research or statistics"),
                            ("17_3_e", "Article 17(3)(e): legal claims"),
                        ],
                        max_length=16,
                    ),
                ),
                ("run_id", models.UUIDField(null=True)),
                ("proposed_by_id", models.UUIDField(null=True)),
                ("proposed_at", models.DateTimeField(null=True)),
                ("approved_by_id", models.UUIDField(null=True)),
                ("approved_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("due_on", "year", "number"),
            },
        ),
        migrations.CreateModel(
            name="Letter",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("received", "We have your request"),
                            ("identity", "Please prove who you are"),
                            ("extended", "We need two further months"),
                            ("refused", "Your request is refused"),
                            ("done", "Your request was carried out"),
                        ],
                        max_length=16,
                    ),
                ),
                ("language", models.CharField(choices=[("en", "English"), ("de", "German")], max_length=2)),
                (
                    "delivery",
                    models.CharField(
                        choices=[("email", "By e-mail"), ("post", "By post: printed and sent by hand")], max_length=8
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waits to be sent"),
                            ("sending", "Being sent"),
                            ("sent", "Sent"),
                            ("failed", "Could not be sent"),
                            ("uncertain", "Not known whether it was sent"),
                            ("to_post", "To be posted by hand"),
                        ],
                        max_length=16,
                    ),
                ),
                ("ciphertext", models.BinaryField()),
                ("written_by_id", models.UUIDField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("problem", models.CharField(blank=True, max_length=64)),
                (
                    "request",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="letters",
                        to="audit.erasurerequest",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at", "id"),
            },
        ),
        migrations.AddIndex(
            model_name="erasurerequest",
            index=models.Index(fields=["tenant", "state", "due_on"], name="erasure_request_by_due"),
        ),
        migrations.AddIndex(
            model_name="erasurerequest",
            index=models.Index(fields=["tenant", "subject_id"], name="erasure_request_by_subject"),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.UniqueConstraint(fields=("tenant", "year", "number"), name="erasure_request_number_once"),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("proposed_by_id__isnull", True),
                    ("approved_by_id__isnull", True),
                    models.Q(("proposed_by_id", models.F("approved_by_id")), _negated=True),
                    _connector="OR",
                ),
                name="erasure_request_four_eyes",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("subject_id__isnull", True), ("subject_type", "data_subject")),
                    models.Q(models.Q(("subject_type", "data_subject"), _negated=True), ("subject_id__isnull", False)),
                    _connector="OR",
                ),
                name="erasure_request_subject_named",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("due_on", models.F("first_due_on")), ("extended_at__isnull", True), ("extension", "")),
                    models.Q(("extended_at__isnull", False), models.Q(("extension", ""), _negated=True)),
                    _connector="OR",
                ),
                name="erasure_request_extended_with_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "refused"), models.Q(("refusal", ""), _negated=True)),
                    models.Q(models.Q(("state", "refused"), _negated=True), ("refusal", "")),
                    _connector="OR",
                ),
                name="erasure_request_refused_with_ground",
            ),
        ),
        migrations.AddIndex(
            model_name="letter",
            index=models.Index(fields=["tenant", "state", "next_try_at"], name="letter_by_next_try"),
        ),
        migrations.AddConstraint(
            model_name="letter",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sent_at__isnull", False), ("state", "sent")),
                    models.Q(models.Q(("state", "sent"), _negated=True), ("sent_at__isnull", True)),
                    _connector="OR",
                ),
                name="letter_sent_when",
            ),
        ),
        EnableIsolation("ErasureRequest", by=IsolationLevel.TENANT, writes=Writes.KEEP, version=LATEST),
        EnableIsolation("Letter", by=IsolationLevel.TENANT, writes=Writes.KEEP, version=LATEST),
        migrations.RunSQL(sql=_requests.FORWARD, reverse_sql=_requests.BACKWARD),
    ]
