"""The job that turns a file into searchable chunks: its row is stored first, then a Celery message is sent."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.corpus.models.document import Document
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.models.leased_job import LeasedJob


class JobStage(models.TextChoices):
    EXTRACT = "extract", "Reading the file"
    EMBED = "embed", "Embedding"
    DONE = "done", "Done"


class JobState(models.TextChoices):
    PENDING = "pending", "Waiting"
    RUNNING = "running", "Running"
    RETRY = "retry", "Waiting to try again"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"


class IngestJob(LeasedJob, ScopedModel):
    """The ingest of one document.

    Its message names no job: a free worker takes the next one, by the rules of services/ingest/turns.py. So a few
    messages are enough, because each job that ends announces the next one.
    """

    task = "apps.corpus.tasks.run_next"
    label = "documents to be read"
    counted_as = "documents"
    process = "ingest"
    reason = "run an ingest job"
    waiting = (JobState.PENDING,)
    postponed = (JobState.RETRY,)
    running = JobState.RUNNING
    names_itself = False
    messages_at_once = 8

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="jobs")
    actor_kind = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    # The API key that a person used. If the key is revoked, the job ends, even if the person keeps their role.
    actor_key_id = models.UUIDField(null=True)
    actor_label = models.CharField(max_length=255)
    # The request that created or restarted the job (config/operations/request_id.py), whichever message starts the run.
    request_id = models.CharField(max_length=64, blank=True, db_default="", default="")
    stage = models.CharField(max_length=16, choices=JobStage.choices, default=JobStage.EXTRACT)
    state = models.CharField(max_length=16, choices=JobState.choices, default=JobState.PENDING)
    embedding_profile = models.CharField(max_length=63)
    pages_total = models.PositiveIntegerField(default=0)
    chunks_total = models.PositiveIntegerField(default=0)
    chunks_embedded = models.PositiveIntegerField(default=0)
    error_detail = models.TextField(blank=True)
    requested_at = models.DateTimeField(db_default=Now(), editable=False)
    # Set by the database (sql/changes.sql). Prolonging a lease does not change it.
    updated_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-requested_at", "-id")
        indexes = (models.Index(fields=["tenant", "scope", "state"], name="job_due"),)

    @classmethod
    def in_line(cls, now: datetime) -> QuerySet[IngestJob]:
        # The join to the document excludes jobs of restricted documents, because row-level security hides their rows.
        return cls.objects.filter(cls.free(now), document__byte_size__gte=0)

    def __str__(self) -> str:
        return f"ingest of {self.document_id}"
