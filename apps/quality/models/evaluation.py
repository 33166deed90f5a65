"""A tenant's own evaluation questions, and runs of the evaluation harness with their questions and outcomes."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import ScopedModel, TenantForeignKey, TenantModel


class EvaluationQuery(ScopedModel):
    """A question with the document, and the pages of it, that answer it.

    The question is asked within its own scope and those below, so only users who hold that scope see its text. The
    document is named by its series, so that a new version of it is expected in its place.
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
    """A run that asks all questions of a dataset once each.

    It holds figures, names of settings and digests, but no text of a question.

    settings: all settings of the pipeline. changes: those that differed from the shipped ones.
    corpus_sha256: digest of what was searched, independent of the program that read it.
    questions_sha256: digest of what was asked and expected.
    seen_at: when the run was last known to be running.
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
    """One question of a run. Only users who hold its scope see its text.

    expected: [{"document", "page", "rank"}], by the names of that time; rank from 1, null if it was not found.
    found: the first chunks of the ranking, [{"document", "document_id", "page", "page_end"}].
    document_ids: of all documents that are quoted here, so that the row is removed with them.
    scores: the figures of this question by name, null for one that does not apply.
    refusal, grounding: codes, or empty. passed: null if the answer is not in the corpus.
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
