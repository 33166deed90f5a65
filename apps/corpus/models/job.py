"""The job that turns a file into searchable chunks: its row is stored first, then a Celery message is sent."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from apps.corpus.models.document import Document
from apps.tenants.models.base import ScopedModel, TenantForeignKey


class JobStage(models.TextChoices):
    EXTRACT = "extract", "Reading the file"
    EMBED = "embed", "Embedding"
    DONE = "done", "Done"


class JobStatus(models.TextChoices):
    PENDING = "pending", "Waiting"
    RUNNING = "running", "Running"
    RETRY = "retry", "Waiting to try again"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"


class IngestJob(ScopedModel):
    """The ingest of one document. The worker that runs it holds the lease; an expired lease means that it died."""

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="jobs")
    actor_kind = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    # The API key that a person used. If the key is revoked, the job ends, even if the person keeps their role.
    actor_key_id = models.UUIDField(null=True)
    actor_label = models.CharField(max_length=255)
    # The request that created or restarted the job (config/operations/request_id.py), whichever message starts the run.
    request_id = models.CharField(max_length=64, blank=True, db_default="", default="")
    stage = models.CharField(max_length=16, choices=JobStage.choices, default=JobStage.EXTRACT)
    status = models.CharField(max_length=16, choices=JobStatus.choices, default=JobStatus.PENDING)
    embedding_profile = models.CharField(max_length=63)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=127, blank=True)
    lease_until = models.DateTimeField(null=True)
    pages_total = models.PositiveIntegerField(default=0)
    chunks_total = models.PositiveIntegerField(default=0)
    chunks_embedded = models.PositiveIntegerField(default=0)
    error_code = models.CharField(max_length=100, blank=True)
    error_detail = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    # Set by the database (sql/changes.sql). Prolonging a lease does not change it.
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "-id")
        indexes = (models.Index(fields=["tenant", "scope", "status"], name="job_due"),)

    def __str__(self) -> str:
        return f"ingest of {self.document_id}"
