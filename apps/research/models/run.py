"""Research: work on one question in several rounds, each look a question of its own within the first one's bounds."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW

KIND_CHARS = 32


class RunMode(models.TextChoices):
    DIRECT = "direct", "Direct"
    STANDARD = "standard", "Standard"
    DETAILED = "detailed", "Detailed"
    DEEP_SEARCH = "deep_search", "Deep search"


class RunState(models.TextChoices):
    PLANNED = "planned", "Waits for you to start it"
    QUEUED = "queued", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    STOPPED = "stopped", "Stopped"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


ENDED = (RunState.DONE, RunState.STOPPED, RunState.CANCELLED, RunState.FAILED)


class ResearchRun(LeasedJob):
    """One piece of research. The database shows it to its owner alone; the platform writes it.

    owner_id: the person who asked; owner_key_id: the key that they asked by, if any. event_id: the event that asked.
    intent, permitted_kinds: what the question was classified as, and what every step may reach at most.
    sealed: question, filters and plan, under data_key_id; without one under a key that Redis holds for minutes.
    steps, rounds, searches, tokens, spent_ms: what was used of the budget. confidence: 0 to 100.
    stopped_by: why no further round follows, as a code.
    """

    task = "apps.research.tasks.carry_out_run"
    label = "research"
    counted_as = "research"
    reason = "carry out research"
    waiting = (RunState.QUEUED,)
    running = RunState.RUNNING

    scope_ids = ArrayField(models.UUIDField(), default=list)
    owner_id = models.UUIDField()
    owner_key_id = models.UUIDField(null=True)
    event_id = models.UUIDField()
    mode = models.CharField(max_length=16, choices=RunMode.choices)
    state = models.CharField(max_length=16, choices=RunState.choices, default=RunState.QUEUED)
    intent = models.CharField(max_length=63, blank=True)
    policy_version = models.PositiveIntegerField()
    policy_version_id = models.UUIDField()
    permitted_kinds = ArrayField(models.CharField(max_length=KIND_CHARS), default=list)
    withheld = ArrayField(models.CharField(max_length=KIND_CHARS), default=list)
    recording_mode = models.CharField(max_length=32)

    rounds_most = models.PositiveSmallIntegerField()
    confidence_wanted = models.PositiveSmallIntegerField()
    searches_most = models.PositiveSmallIntegerField()
    tokens_most = models.PositiveIntegerField()
    seconds_most = models.PositiveIntegerField()

    steps = models.PositiveIntegerField(default=0)
    rounds = models.PositiveSmallIntegerField(default=0)
    searches = models.PositiveSmallIntegerField(default=0)
    tokens = models.PositiveIntegerField(default=0)
    spent_ms = models.PositiveBigIntegerField(default=0)
    confidence = models.PositiveSmallIntegerField(default=0)
    stopped_by = models.CharField(max_length=40, blank=True)

    cancel_requested_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField()
    data_key_id = models.UUIDField(null=True)
    sealed = models.BinaryField()

    personal_data = PersonalData(
        Fields(
            "id tenant attempts next_attempt_at lease_owner lease_until error_code scope_ids event_id mode state "
            "intent policy_version policy_version_id permitted_kinds withheld recording_mode rounds_most "
            "confidence_wanted searches_most tokens_most seconds_most steps rounds searches tokens spent_ms confidence "
            "stopped_by cancel_requested_at requested_at started_at finished_at expires_at data_key_id",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields("owner_id owner_key_id", Sort.IDENTIFIER, because="The account that asked, and its key."),
        Fields(
            "sealed",
            Sort.SEALED,
            because="What a person asked, and the plan made of it.",
            unsearched=(
                "Only who asked can read it. It is removed in time, and before that with its asker, with a scope that "
                "it was asked in, and with its part of the log."
            ),
        ),
        cleared_by="research.runs",
        shown_in="research",
        stores=(
            RowStore(
                key="research.runs",
                label="Research: questions and plans",
                phase=Phase.DERIVED,
                found_by={
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
        ordering = ("-requested_at", "-id")
        indexes = (models.Index(fields=["tenant", "owner_id"], name="research_run_by_owner"),)

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    def __str__(self) -> str:
        return f"research {self.id}"
