"""A tenant's own evaluation questions, and runs of the evaluation harness with their questions and outcomes."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.retrieval.contracts import AnswerOutcome
from apps.tenants.models.base import ScopedModel, TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts
from apps.tenants.personal_data.stores import OF_ANY, OF_TENANT


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

    personal_data = PersonalData(
        Fields("id tenant scope series_id pages created_at", Sort.NONE, because="Ids, places, times."),
        Fields(
            "text",
            Sort.FREE_TEXT,
            because="A question, and what it says of the document that answers it.",
            cleared_by="retrieval.evaluation",
            stays="When its author is erased: it is the firm's question. A person whom it names is found by searching "
            "it.",
        ),
        Fields(
            "created_by",
            Sort.IDENTIFIER,
            because="The name of whoever added the question.",
            cleared_by=("retrieval.evaluation_authors", "retrieval.evaluation"),
        ),
        shown_in="evaluation_questions",
        stores=(
            # A question names its document by series. It is removed with the last version: as long as another version
            # exists, that version is what should be found.
            RowStore(
                key="retrieval.evaluation",
                label="Evaluation questions",
                phase=Phase.DERIVED,
                found_by={
                    **OF_ANY,
                    TargetType.DOCUMENT: (
                        "t.series_id = ANY (ARRAY(SELECT d.series_id FROM corpus_document d "
                        "WHERE d.tenant_id = %(open_tenant)s AND d.id = ANY (%(document)s::uuid[]))) "
                        "AND NOT EXISTS (SELECT FROM corpus_document other "
                        "WHERE other.tenant_id = t.tenant_id AND other.series_id = t.series_id "
                        "AND other.id <> ALL (%(document)s::uuid[]))"
                    ),
                },
            ),
            # A row states its author only by name; the event of adding the question states the author's id.
            RowStore(
                key="retrieval.evaluation_authors",
                label="Names of a person on evaluation questions",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.USER: (
                        "t.created_by <> '' AND EXISTS (SELECT FROM audit_event e WHERE e.tenant_id = t.tenant_id "
                        "AND e.subject_id = t.id AND e.action = 'retrieval.evaluation.added' "
                        "AND e.actor_kind = 'user' AND e.actor_id = ANY (%(user)s::uuid[]))"
                    )
                },
                emptied={"created_by": "''"},
            ),
        ),
        texts=Texts("retrieval.evaluation_questions", "Evaluation questions", "text created_by"),
    )

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

    personal_data = PersonalData(
        Fields(
            "id tenant state started_at seen_at finished_at settings changes models_used policy_number "
            "policy_sha256 corpus_sha256 questions_sha256 documents chunks failed_documents questions metrics "
            "latency_ms by_stage ablations",
            Sort.NONE,
            because="Ids, counts, times, codes, settings and figures; the digests are of a policy and of what was "
            "asked.",
        ),
        Fields("dataset", Sort.FREE_TEXT, because="The name of a folder, and of the sorts of its questions."),
        Fields(
            "by_type",
            Sort.FREE_TEXT,
            because="The name of a folder, and of the sorts of its questions.",
            unsearched="Names of sorts of questions: each stands beside its answers too, and is searched there.",
        ),
        cleared_by="retrieval.evaluation_runs",
        stays="Until the tenant is removed: it names a set of questions.",
        withheld="The names of sets of questions. They say nothing about you.",
        stores=(
            RowStore(
                key="retrieval.evaluation_runs",
                label="Evaluation runs",
                phase=Phase.DERIVED,
                found_by={TargetType.TENANT: OF_TENANT},
            ),
        ),
        texts=Texts("retrieval.evaluation_runs", "Evaluation runs", "dataset"),
    )

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
    refusal, grounding: codes, or empty.
    passed: whether it was answered rightly; null if the answer is not in the corpus.
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

    personal_data = PersonalData(
        Fields(
            "id tenant scope run position document_ids refusal grounding passed first_rank scores elapsed_ms",
            Sort.NONE,
            because="Ids, places, codes and figures.",
        ),
        Fields(
            "key text type expected_answer why",
            Sort.FREE_TEXT,
            because="A question that was asked to measure, and the answer that is known to be right.",
            stays="As long as all documents are there that it names. A person whom it names is found by searching it.",
        ),
        Fields(
            "expected found answer",
            Sort.CONTENT,
            because="What was answered from documents, and which of their pages were expected and found.",
        ),
        cleared_by="retrieval.evaluation_answers",
        withheld="Questions that are asked to measure the search, with what was found in the firm's documents.",
        stores=(
            # A whole answer is removed: without one of its documents it no longer measures anything.
            RowStore(
                key="retrieval.evaluation_answers",
                label="Answers of evaluation runs that name the documents",
                phase=Phase.DERIVED,
                found_by={**OF_ANY, TargetType.DOCUMENT: "t.document_ids && %(document)s::uuid[]"},
            ),
        ),
        texts=Texts(
            "retrieval.evaluation_answers",
            "Questions and answers of evaluation runs",
            "key text type expected_answer why answer expected found",
        ),
    )

    class Meta:
        app_label = "retrieval"
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "run", "key"], name="evaluation_answer_once"),
        )

    def __str__(self) -> str:
        return self.key

    @property
    def outcome(self) -> AnswerOutcome:
        """Return what became of the question. Where the closest passages are quoted, nothing is claimed or grounded."""
        if self.refusal:
            return AnswerOutcome.REFUSED
        return AnswerOutcome.ANSWERED if self.grounding else AnswerOutcome.CLOSEST
