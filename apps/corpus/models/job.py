"""The job that turns a file into searchable chunks: its row is stored first, then a Celery message is sent."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.corpus.models.document import Document
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts
from apps.tenants.personal_data.stores import rows_of_document


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

    personal_data = PersonalData(
        Fields(
            "id tenant scope document actor_kind stage state embedding_profile attempts next_attempt_at "
            "lease_owner lease_until pages_total chunks_total chunks_embedded error_code requested_at updated_at "
            "started_at finished_at",
            Sort.NONE,
            because="Ids, counts, times and codes; a lease's owner is a process.",
        ),
        Fields("request_id", Sort.NONE, because="A request's own name: no words, and no address."),
        Fields(
            "actor_id actor_key_id",
            Sort.IDENTIFIER,
            because="The account or key of whoever brought the document.",
            stays="With the document, when a person is erased: the id names nobody once their account is empty.",
        ),
        Fields(
            "actor_label",
            Sort.IDENTIFIER,
            because="The name of whoever brought the document.",
            cleared_by=("corpus.job_actors", "corpus.jobs"),
        ),
        Fields(
            "error_detail",
            Sort.FREE_TEXT,
            because="May quote the file.",
            withheld="What went wrong with a document, which may quote it.",
        ),
        cleared_by="corpus.jobs",
        shown_in="documents",
        stores=(
            rows_of_document("corpus.jobs", "Ingest jobs", Phase.CACHES),
            # The job stays with its document. The actor's surrogate id identifies nobody once the account is emptied.
            RowStore(
                key="corpus.job_actors",
                label="Names of a person on their ingest jobs",
                phase=Phase.ACCOUNTS,
                found_by={
                    TargetType.USER: (
                        "t.actor_kind = 'user' AND t.actor_id = ANY (%(user)s::uuid[]) AND t.actor_label <> ''"
                    )
                },
                emptied={"actor_label": "''"},
            ),
            # The stored responses to an upload or to a restart of a job repeat the title. The store tenants.requests
            # removes them by scope, person and tenant.
            RowStore(
                key="corpus.answers_kept",
                label="Answers kept for repeated uploads of the document",
                phase=Phase.CACHES,
                table="tenants_idempotentrequest",
                found_by={
                    TargetType.DOCUMENT: (
                        "t.subject_id = ANY (%(document)s::uuid[]) OR t.subject_id = ANY (ARRAY("
                        "SELECT j.id FROM corpus_ingestjob j "
                        "WHERE j.tenant_id = %(open_tenant)s AND j.document_id = ANY (%(document)s::uuid[])))"
                    )
                },
            ),
        ),
        texts=Texts("corpus.jobs", "Ingest jobs", "actor_label error_detail"),
    )

    class Meta:
        ordering = ("-requested_at", "-id")
        indexes = (models.Index(fields=["tenant", "scope", "state"], name="job_due"),)

    @classmethod
    def in_line(cls, now: datetime) -> QuerySet[IngestJob]:
        # The join to the document excludes jobs of restricted documents, because row-level security hides their rows.
        return cls.objects.filter(cls.free(now), document__byte_size__gte=0)

    def __str__(self) -> str:
        return f"ingest of {self.document_id}"
