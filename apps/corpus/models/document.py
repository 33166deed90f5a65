"""Document versions with their metadata and status, and their original files under the same row-level security."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now

from apps.corpus.kinds import KIND_KEY, DocumentType, SourceType
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, reasons
from apps.tenants.personal_data.stores import OF_ANY, rows_of_document


class DocumentStatus(models.TextChoices):
    RECEIVED = "received", "Received"
    PROCESSING = "processing", "Processing"
    READY = "ready", "Ready"
    SUPERSEDED = "superseded", "Superseded"
    FAILED = "failed", "Failed"


# A later job that fails does not change these states, so a searchable document stays searchable.
PUBLISHED = (DocumentStatus.READY, DocumentStatus.SUPERSEDED)


class Document(ScopedModel):
    """One version of one document.

    All versions of a document share series_id; at most one of them is ready at a time. valid_from and valid_to say when
    this version was the current one, so that a question can be asked as of a date.
    """

    kind = models.CharField(
        max_length=32, help_text="The key of a kind of the policy, which decides which intents may reach the document."
    )
    title = models.CharField(max_length=300)
    slug = models.CharField(max_length=120, editable=False, help_text="How citations name this version.")
    document_type = models.CharField(max_length=32, choices=DocumentType.choices, default=DocumentType.OTHER)
    source_type = models.CharField(max_length=16, choices=SourceType.choices, default=SourceType.INTERNAL)
    company = models.CharField(max_length=200, blank=True)
    ticker = models.CharField(max_length=16, blank=True)
    fiscal_year = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1900), MaxValueValidator(2200)]
    )
    fiscal_quarter = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(4)]
    )
    published_on = models.DateField(null=True, blank=True)
    language = models.CharField(max_length=8, blank=True, help_text="ISO 639-1, such as en or de.")
    jurisdictions = ArrayField(models.CharField(max_length=16), default=list, blank=True)
    external_id = models.CharField(max_length=200, blank=True, help_text="What its source system calls it.")

    # The fields above that somebody corrected. Their values are final, even empty ones: reading does not fill them in.
    corrected_fields = ArrayField(models.CharField(max_length=32), default=list, db_default=[], editable=False)

    series_id = models.UUIDField(editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    valid_from = models.DateTimeField(null=True, editable=False)
    valid_to = models.DateTimeField(null=True, editable=False)

    status = models.CharField(
        max_length=16, choices=DocumentStatus.choices, default=DocumentStatus.RECEIVED, editable=False
    )
    error_code = models.CharField(max_length=100, blank=True, editable=False)
    error_detail = models.TextField(blank=True, editable=False)
    warnings = models.JSONField(default=list, editable=False)

    filename = models.CharField(max_length=255, editable=False)
    media_type = models.CharField(max_length=100, blank=True, editable=False)
    byte_size = models.PositiveBigIntegerField(editable=False)
    content_sha256 = models.CharField(max_length=64, editable=False)
    page_count = models.PositiveIntegerField(default=0, editable=False)
    chunk_count = models.PositiveIntegerField(default=0, editable=False)
    # The number of terms of all child chunks, from which BM25 gets its average length without reading the chunks.
    term_count = models.PositiveIntegerField(default=0, editable=False)
    # The version of the analysis that made the postings (TERMS_VERSION); 0 while there are none.
    terms_version = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Of a copy that a move filed (sql/moved.sql): the document that it was moved from, which may be gone; when the firm
    # received it, as of a correction, too (sql/received_first.sql); and, of an earlier version, when it was replaced
    # there. That one is never current here.
    moved_from_id = models.UUIDField(null=True, editable=False)
    first_received_at = models.DateTimeField(null=True, editable=False)
    replaced_there_at = models.DateTimeField(null=True, editable=False)
    # Set by the database (sql/changes.sql). Not indexed: a range of times would visit restricted documents.
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant scope kind document_type source_type fiscal_year fiscal_quarter published_on language "
            "jurisdictions corrected_fields series_id version valid_from valid_to status error_code media_type "
            "byte_size page_count chunk_count term_count terms_version created_at updated_at "
            "moved_from_id first_received_at replaced_there_at",
            Sort.NONE,
            because="Ids, kinds, dates and counts.",
        ),
        Fields(
            "title slug company ticker external_id filename",
            Sort.FREE_TEXT,
            because="What the document is called and whom it is about.",
        ),
        Fields("error_detail warnings", Sort.FREE_TEXT, because="May quote the file that they are about."),
        Fields("content_sha256", Sort.DERIVED, because="Digest of the file: shows who has it already."),
        cleared_by="corpus.documents",
        withheld=reasons.CONTENT,
        stores=(
            RowStore(
                key="corpus.documents",
                label="Documents",
                phase=Phase.DOCUMENTS,
                found_by={**OF_ANY, TargetType.DOCUMENT: "t.id = ANY (%(document)s::uuid[])"},
                document_column="id",
                # By what a document is told when it comes again.
                reads="series_id status content_sha256 external_id",
            ),
        ),
    )

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "series_id", "version"], name="document_version_once"),
            models.UniqueConstraint(fields=["tenant", "scope", "slug"], name="document_slug_once"),
            models.UniqueConstraint(
                fields=["tenant", "scope", "series_id"],
                condition=models.Q(status="ready"),
                name="document_one_ready_version",
            ),
            models.CheckConstraint(condition=models.Q(kind__regex=KIND_KEY), name="document_kind_key"),
            models.CheckConstraint(
                condition=models.Q(moved_from_id__isnull=True) | models.Q(first_received_at__isnull=False),
                name="document_moved_since",
            ),
            models.CheckConstraint(
                condition=models.Q(replaced_there_at__isnull=True)
                | (models.Q(moved_from_id__isnull=False) & ~models.Q(status="ready")),
                name="document_replaced_is_not_current",
            ),
        )
        indexes = (
            models.Index(fields=["tenant", "scope", "kind", "status"], name="document_by_scope_kind"),
            models.Index(fields=["tenant", "scope", "content_sha256"], name="document_by_content"),
            models.Index(fields=["tenant", "scope", "external_id"], name="document_by_external_id"),
        )

    def __str__(self) -> str:
        return self.title


class SourceFile(ScopedModel):
    """The original bytes, in the same transaction, under the same policy and in the same backup as the document."""

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="source_files")
    content = models.BinaryField()

    personal_data = PersonalData(
        Fields("id tenant scope document", Sort.NONE, because="Ids."),
        Fields(
            "content", Sort.CONTENT, because="The file.", cleared_by="corpus.document_files", withheld=reasons.CONTENT
        ),
        stores=(rows_of_document("corpus.document_files", "Original files", Phase.DOCUMENTS),),
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "scope", "document"], name="source_file_once"),)

    def __str__(self) -> str:
        return f"file of {self.document_id}"
