"""The steps of research: what each was allowed, what it found, and what it says, never changed once written."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.research.models.run import KIND_CHARS
from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW


class StepKind(models.TextChoices):
    ANALYSIS = "analysis", "The question read and planned"
    SEARCH = "search", "A question asked"
    SCORE = "score", "A round scored"
    RESULT = "result", "The answer written"
    ENDED = "ended", "The end"


class ResearchStep(TenantModel):
    """One step of a run. The database shows it to the run's owner while they hold its scopes; the platform writes it.

    run_id: of the run, which may be removed before it. ordinal: from 1, without a gap.
    policy_version, intent, kinds: what it was allowed under. narrowed: what had been taken from it since the run began.
    event_id: the event of the question that it asked. passages: ids, kinds and scores of what was found.
    sealed: what it says, under data_key_id; without one under a key that Redis holds for minutes.
    """

    run_id = models.UUIDField()
    scope_ids = ArrayField(models.UUIDField(), default=list)
    owner_id = models.UUIDField()
    ordinal = models.PositiveIntegerField()
    kind = models.CharField(max_length=16, choices=StepKind.choices)
    round = models.PositiveSmallIntegerField(default=0)
    intent = models.CharField(max_length=63, blank=True)
    policy_version = models.PositiveIntegerField()
    policy_version_id = models.UUIDField()
    kinds = ArrayField(models.CharField(max_length=KIND_CHARS), default=list)
    narrowed = ArrayField(models.CharField(max_length=40), default=list)
    event_id = models.UUIDField(null=True)
    document_ids = ArrayField(models.UUIDField(), default=list)
    passages = models.JSONField(default=list)
    scores = models.JSONField(default=dict)
    outcome = models.CharField(max_length=40, blank=True)
    tokens = models.PositiveIntegerField(default=0)
    elapsed_ms = models.PositiveIntegerField(default=0)
    data_key_id = models.UUIDField(null=True)
    sealed = models.BinaryField(null=True)
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant run_id scope_ids ordinal kind round intent policy_version policy_version_id kinds narrowed "
            "event_id document_ids passages scores outcome tokens elapsed_ms data_key_id recorded_at",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields("owner_id", Sort.IDENTIFIER, because="The account that asked."),
        Fields(
            "sealed",
            Sort.SEALED,
            because="What was asked in the step, and what was answered from documents.",
            unsearched=(
                "Only who asked can read it. It is removed in time, and before that with its asker, with a document "
                "that it was written from, with a scope that was searched, and with its part of the log."
            ),
        ),
        cleared_by="research.steps",
        shown_in="research",
        stores=(
            RowStore(
                key="research.steps",
                label="Research: steps and answers",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.DOCUMENT: "t.document_ids && %(document)s::uuid[]",
                    TargetType.EVENT_GROUP: "t.event_id = ANY (%(event_group)s::uuid[])",
                    TargetType.USER: "t.owner_id = ANY (%(user)s::uuid[])",
                    TargetType.SCOPE: f"t.scope_ids && {SCOPES_BELOW}",
                    TargetType.TENANT: OF_TENANT,
                },
            ),
        ),
    )

    class Meta:
        app_label = "research"
        ordering = ("run_id", "ordinal")
        constraints = (models.UniqueConstraint(fields=["tenant", "run_id", "ordinal"], name="research_step_once"),)

    def __str__(self) -> str:
        return f"step {self.ordinal} of research {self.run_id}"
