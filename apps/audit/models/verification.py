"""Verifications of a tenant's log, requested by a person or by the schedule, and their findings."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class VerificationState(models.TextChoices):
    WAITING = "waiting", "Waiting for a worker"
    RUNNING = "running", "Running"
    INTACT = "intact", "Intact"
    FINDINGS = "findings", "Findings"
    FAILED = "failed", "Could not be verified"


MOVING = (VerificationState.WAITING, VerificationState.RUNNING)
# Classes of findings that are no contradiction: they rest on events that no checkpoint covers.
UNPROVEN = frozenset({"UNSIGNED_REMOVAL", "UNSIGNED_TAIL"})
FINISHED = (VerificationState.INTACT, VerificationState.FINDINGS, VerificationState.FAILED)


class Verification(LeasedJob):
    """One verification of the whole log against the newest checkpoint that lies outside the database.

    started_by is the surrogate id of the person who asked (the name is in the event, where it can be removed). It is
    null for a verification by the schedule, which names the night (a day of UTC). checkpoint_size: of the outside
    checkpoint, in leaves; null if none had been exported yet. covered_size: leaves below the newest signed checkpoint
    that fits; null for rows of a release that did not record it. findings: {"totals": {class: count}, "first": [{class,
    leaf, event, group, size}]}, which holds only ids, places and counts. finding_count: all findings.

    Only glassbox_worker changes a row, and only until it is finished. After that nobody changes it, not even the owner,
    and nobody removes one (the database enforces both).
    """

    task = "apps.audit.tasks.run_verification"
    label = "verifications of a log"
    in_suspended = True
    reason = "verify the log"
    waiting = (VerificationState.WAITING,)
    running = VerificationState.RUNNING

    started_by = models.UUIDField(null=True)
    night = models.DateField(null=True)
    requested_at = models.DateTimeField(db_default=Now())

    state = models.CharField(max_length=16, choices=VerificationState.choices, default=VerificationState.WAITING)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    duration_ms = models.BigIntegerField(null=True)

    checkpoint_size = models.BigIntegerField(null=True)
    covered_size = models.BigIntegerField(null=True)
    events = models.BigIntegerField(default=0)
    leaves = models.BigIntegerField(default=0)
    groups = models.BigIntegerField(default=0)
    finding_count = models.BigIntegerField(default=0)
    findings = models.JSONField(default=dict)
    # The worker that finished the verification signs this note. Only the note is trusted, not the columns
    # (apps/audit/verify/statements.py).
    note = models.TextField(blank=True, db_default="")

    personal_data = PersonalData(
        Fields(
            "id tenant attempts next_attempt_at lease_owner lease_until error_code night requested_at state "
            "done total started_at finished_at duration_ms checkpoint_size covered_size events leaves groups "
            "finding_count findings note",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields(
            "started_by",
            Sort.IDENTIFIER,
            because="The account of whoever did it.",
            stays=reasons.ACCOUNTABLE,
            withheld=reasons.OWN_ACT,
        ),
    )

    class Meta:
        ordering = ("-requested_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=["tenant"], condition=Q(state__in=["waiting", "running"]), name="verification_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(started_by__isnull=False, night__isnull=True)
                | Q(started_by__isnull=True, night__isnull=False),
                name="verification_by_one_or_the_clock",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running"], finished_at__isnull=True)
                | Q(state="intact", finished_at__isnull=False, finding_count=0, error_code="")
                | Q(state="findings", finished_at__isnull=False, finding_count__gt=0, error_code="")
                | (Q(state="failed", finished_at__isnull=False, finding_count=0) & ~Q(error_code="")),
                name="verification_says_one_thing",
            ),
        )
        indexes = (models.Index(fields=["tenant", "-requested_at", "-id"], name="verification_by_time"),)

    def __str__(self) -> str:
        return f"verification of {self.requested_at:%Y-%m-%d %H:%M} UTC"

    @property
    def tail(self) -> int:
        """Return how many leaves no signed checkpoint covered yet."""
        return 0 if self.covered_size is None else self.leaves - self.covered_size

    @property
    def is_unproven(self) -> bool:
        """Return whether every finding only says that something rests on events that no checkpoint covers."""
        totals = self.findings.get("totals", {})
        return bool(totals) and UNPROVEN.issuperset(totals)

    @property
    def is_moving(self) -> bool:
        return self.state in MOVING
