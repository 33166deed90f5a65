"""A tenant's own evaluation questions, and runs of the evaluation harness: what was asked, and what came of it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import ScopedModel, TenantForeignKey, TenantModel


class EvaluationQuery(ScopedModel):
    """A question with the document, and the pages of it, that answer it.

    It is asked within its own scope and those below, so its text is seen by who holds that scope. The document is
    named by its series, so that a new version of it is expected in its place.
    """

    MAXIMUM_CHARS = 500

    text = models.CharField(max_length=MAXIMUM_CHARS)
    series_id = models.UUIDField()
    pages = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    created_by = models.CharField(max_length=255)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        app_label = "retrieval"
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=["tenant", "scope", "text"], name="evaluation_query_once"),)

    def __str__(self) -> str:
        return self.text


class RunState(models.TextChoices):
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    STOPPED = "stopped", "Stopped"


class EvaluationRun(TenantModel):
    """All questions of a dataset, asked once each. Figures, names of settings and digests: no text of a question.

    settings: all that the pipeline ran with, changes: those that were not the shipped ones. corpus_sha256 is over what
    was searched, whatever program read it; questions_sha256 over what was asked and expected. seen_at: when it was last
    known to run.
    """

    dataset = models.CharField(max_length=200)
    state = models.CharField(max_length=16, choices=RunState.choices, default=RunState.RUNNING)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    settings = models.JSONField(default=dict)
    changes = models.JSONField(default=dict)
    models_used = models.JSONField(default=dict)
    policy_number = models.PositiveIntegerField()
    policy_sha256 = models.CharField(max_length=64)
    corpus_sha256 = models.CharField(max_length=64)
    questions_sha256 = models.CharField(max_length=64)
    documents = models.PositiveIntegerField()
    chunks = models.PositiveIntegerField()
    failed_documents = models.PositiveIntegerField(default=0)
    questions = models.PositiveIntegerField()

    metrics = models.JSONField(default=dict)
    latency_ms = models.JSONField(default=dict)
    by_stage = models.JSONField(default=dict)
    by_type = models.JSONField(default=dict)
    ablations = models.JSONField(default=dict)

    class Meta:
        app_label = "retrieval"
        ordering = ("-started_at", "-id")
        indexes = (models.Index(fields=["tenant", "-started_at"], name="evaluation_run_newest"),)

    def __str__(self) -> str:
        return f"evaluation of {self.dataset}"


class EvaluationAnswer(ScopedModel):
    """One question of a run. Its text is seen by who holds its scope.

    expected: [{"document", "page", "rank"}], by the names of that time; rank from 1, null where it was not found.
    found: the first chunks of the ranking, [{"document", "document_id", "page", "page_end"}]. document_ids: of all that
    is quoted here, so that the row goes with them. scores: the figures of this question by name, null where one does
    not apply. refusal and grounding: codes, or empty. passed: null where the answer is not in the corpus.
    """

    run = TenantForeignKey(EvaluationRun, on_delete=models.PROTECT, related_name="answers")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    text = models.TextField()
    type = models.CharField(max_length=200, blank=True)
    expected_answer = models.TextField(blank=True)
    expected = models.JSONField(default=list)
    found = models.JSONField(default=list)
    document_ids = ArrayField(models.UUIDField(), default=list)
    answer = models.TextField(blank=True)
    refusal = models.CharField(max_length=50, blank=True)
    grounding = models.CharField(max_length=20, blank=True)
    passed = models.BooleanField(null=True)
    why = models.CharField(max_length=200, blank=True)
    first_rank = models.PositiveIntegerField(null=True)
    scores = models.JSONField(default=dict)
    elapsed_ms = models.FloatField()

    class Meta:
        app_label = "retrieval"
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "run", "key"], name="evaluation_answer_once"),
        )

    def __str__(self) -> str:
        return self.key
