"""What is stored: documents with their files, pages, passages, terms and vectors, and the jobs that take them in."""

from __future__ import annotations

import django.core.validators
import pgvector.django.halfvec
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf
from apps.tenants.columns import ID, SCOPE, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, RunSqlFile
from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    initial = True

    dependencies = [("tenants", "0002_access"), ("audit", "0002_erasure")]

    operations = [
        migrations.CreateModel(
            "Document",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(
                        help_text="The key of a kind of the policy, which decides which intents may reach the document.",
                        max_length=32,
                    ),
                ),
                ("title", models.CharField(max_length=300)),
                (
                    "slug",
                    models.CharField(editable=False, help_text="How citations name this version.", max_length=120),
                ),
                (
                    "document_type",
                    models.CharField(
                        choices=[
                            ("10-K", "Annual report (10-K)"),
                            ("10-Q", "Quarterly report (10-Q)"),
                            ("8-K", "Current report (8-K)"),
                            ("earnings_release", "Earnings release"),
                            ("earnings_transcript", "Earnings transcript"),
                            ("news_article", "News article"),
                            ("policy", "Policy"),
                            ("report", "Report"),
                            ("record", "Structured record"),
                            ("other", "Other"),
                        ],
                        default="other",
                        max_length=32,
                    ),
                ),
                (
                    "source_type",
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
                ("company", models.CharField(blank=True, max_length=200)),
                ("ticker", models.CharField(blank=True, max_length=16)),
                (
                    "fiscal_year",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1900),
                            django.core.validators.MaxValueValidator(2200),
                        ],
                    ),
                ),
                (
                    "fiscal_quarter",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(4),
                        ],
                    ),
                ),
                ("published_on", models.DateField(blank=True, null=True)),
                ("language", models.CharField(blank=True, help_text="ISO 639-1, such as en or de.", max_length=8)),
                ("jurisdictions", ArrayField(models.CharField(max_length=16), blank=True, default=list)),
                (
                    "external_id",
                    models.CharField(blank=True, help_text="What its source system calls it.", max_length=200),
                ),
                ("series_id", models.UUIDField(editable=False)),
                ("version", models.PositiveIntegerField(default=1, editable=False)),
                ("valid_from", models.DateTimeField(editable=False, null=True)),
                ("valid_to", models.DateTimeField(editable=False, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("processing", "Processing"),
                            ("ready", "Ready"),
                            ("superseded", "Superseded"),
                            ("failed", "Failed"),
                        ],
                        default="received",
                        editable=False,
                        max_length=16,
                    ),
                ),
                ("error_code", models.CharField(blank=True, editable=False, max_length=100)),
                ("error_detail", models.TextField(blank=True, editable=False)),
                ("warnings", models.JSONField(default=list, editable=False)),
                ("filename", models.CharField(editable=False, max_length=255)),
                ("media_type", models.CharField(blank=True, editable=False, max_length=100)),
                ("byte_size", models.PositiveBigIntegerField(editable=False)),
                ("content_sha256", models.CharField(editable=False, max_length=64)),
                ("page_count", models.PositiveIntegerField(default=0, editable=False)),
                ("chunk_count", models.PositiveIntegerField(default=0, editable=False)),
                ("term_count", models.PositiveIntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("scope", SCOPE),
                ("tenant", TENANT),
                ("terms_version", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                (
                    "corrected_fields",
                    ArrayField(models.CharField(max_length=32), db_default=[], default=list, editable=False),
                ),
                ("updated_at", models.DateTimeField(db_default=Now(), editable=False)),
            ],
            options={
                "ordering": ("-created_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "scope", "kind", "status"], name="document_by_scope_kind"),
                    models.Index(fields=["tenant", "scope", "content_sha256"], name="document_by_content"),
                    models.Index(fields=["tenant", "scope", "external_id"], name="document_by_external_id"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope", "series_id", "version"), name="document_version_once"
                    ),
                    models.UniqueConstraint(fields=("tenant", "scope", "slug"), name="document_slug_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "ready")),
                        fields=("tenant", "scope", "series_id"),
                        name="document_one_ready_version",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="document_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "SourceFile",
            fields=[
                ("id", ID),
                ("content", models.BinaryField()),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="source_files")),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "document"), name="source_file_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "Page",
            fields=[
                ("id", ID),
                ("number", models.PositiveIntegerField(help_text="Counted from 1.")),
                ("text", models.TextField(blank=True)),
                ("extracted", models.BooleanField(default=True, help_text="False for a page without a text layer.")),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="pages")),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("document", "number"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "document", "number"), name="page_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "Chunk",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(max_length=32),
                ),
                ("number", models.PositiveIntegerField()),
                ("is_parent", models.BooleanField(default=False)),
                ("text", models.TextField()),
                ("context_header", models.CharField(blank=True, max_length=500)),
                ("page_start", models.PositiveIntegerField()),
                ("page_end", models.PositiveIntegerField()),
                ("char_start", models.PositiveIntegerField()),
                ("char_end", models.PositiveIntegerField()),
                ("sec_item", models.CharField(blank=True, max_length=16)),
                ("section", models.CharField(blank=True, max_length=300)),
                ("token_count", models.PositiveIntegerField()),
                ("content_sha256", models.CharField(max_length=64)),
                (
                    "parent",
                    TenantForeignKey("corpus.chunk", models.CASCADE, blank=True, null=True, related_name="children"),
                ),
                ("scope", SCOPE),
                ("tenant", TENANT),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="chunks")),
            ],
            options={
                "ordering": ("document", "is_parent", "number"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope", "document", "is_parent", "number"), name="chunk_number_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("page_end__gte", models.F("page_start"))), name="chunk_pages_in_order"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="chunk_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Posting",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(max_length=32),
                ),
                ("term", models.CharField(db_collation="C", max_length=64)),
                ("chunk_numbers", ArrayField(models.IntegerField())),
                ("term_frequencies", ArrayField(models.IntegerField())),
                ("chunk_term_counts", ArrayField(models.IntegerField())),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="postings")),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "indexes": [
                    models.Index(fields=["tenant", "scope", "term", "kind"], name="posting_by_term"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "document", "term"), name="posting_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="posting_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Embedding384",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(max_length=32),
                ),
                ("model", models.CharField(max_length=127)),
                ("vector", pgvector.django.halfvec.HalfVectorField(dimensions=384)),
                ("chunk", TenantForeignKey("corpus.chunk", models.CASCADE, related_name="+")),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="+")),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "chunk", "model"), name="embedding_384_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="embedding_384_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Embedding768",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(max_length=32),
                ),
                ("model", models.CharField(max_length=127)),
                ("vector", pgvector.django.halfvec.HalfVectorField(dimensions=768)),
                ("chunk", TenantForeignKey("corpus.chunk", models.CASCADE, related_name="+")),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="+")),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "chunk", "model"), name="embedding_768_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="embedding_768_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Embedding1536",
            fields=[
                ("id", ID),
                (
                    "kind",
                    models.CharField(max_length=32),
                ),
                ("model", models.CharField(max_length=127)),
                ("vector", pgvector.django.halfvec.HalfVectorField(dimensions=1536)),
                ("chunk", TenantForeignKey("corpus.chunk", models.CASCADE, related_name="+")),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="+")),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "chunk", "model"), name="embedding_1536_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__regex", r"^[a-z][a-z0-9_]{0,31}$")), name="embedding_1536_kind_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "IngestJob",
            fields=[
                ("id", ID),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.UUIDField(null=True)),
                ("actor_label", models.CharField(max_length=255)),
                (
                    "stage",
                    models.CharField(
                        choices=[("extract", "Reading the file"), ("embed", "Embedding"), ("done", "Done")],
                        default="extract",
                        max_length=16,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("running", "Running"),
                            ("retry", "Waiting to try again"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                        ],
                        default="pending",
                        max_length=16,
                    ),
                ),
                ("embedding_profile", models.CharField(max_length=63)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("pages_total", models.PositiveIntegerField(default=0)),
                ("chunks_total", models.PositiveIntegerField(default=0)),
                ("chunks_embedded", models.PositiveIntegerField(default=0)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("error_detail", models.TextField(blank=True)),
                ("requested_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="jobs")),
                ("scope", SCOPE),
                ("tenant", TENANT),
                ("actor_key_id", models.UUIDField(null=True)),
                ("updated_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("request_id", models.CharField(blank=True, db_default="", default="", max_length=64)),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "scope", "state"], name="job_due"),
                ],
            },
        ),
        RunSqlFile("storage.sql"),
        EnableIsolation("Document"),
        EnableIsolation("SourceFile"),
        EnableIsolation("Page"),
        EnableIsolation("Chunk"),
        EnableIsolation("Posting"),
        EnableIsolation("Embedding384"),
        EnableIsolation("Embedding768"),
        EnableIsolation("Embedding1536"),
        EnableIsolation("IngestJob"),
        RunSqlFile("restrictions.sql"),
        RunSqlFile("kept_by_two.sql"),
        RunSqlFile("jobs.sql"),
        RunSqlFile("changes.sql"),
        # When a document came, was current and was replaced is the server's to say: retention counts from it.
        Stamp("Document", created_at="own made", valid_from="own within", valid_to="own within"),
        Stamp("IngestJob", requested_at="own made", started_at="own time", finished_at="own time"),
        ToldOf("Document", "id", "created_at"),
    ]
