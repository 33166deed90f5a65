"""A removal run: who decided on it, and how far it is. Rows are never removed."""

from __future__ import annotations

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons
from apps.tenants.waits import is_past


class RemovalOrigin(models.TextChoices):
    """As contracts.Origin."""

    PURGE = "purge", "Purge"
    LOG = "log", "Repair of the log"
    REQUEST = "request", "Erasure request"
    REMOVAL = "removal", "Removal of a document"


class RemovalState(models.TextChoices):
    """As contracts.RunState."""

    PROPOSED = "proposed", "Waits for approval"
    REJECTED = "rejected", "Rejected"
    APPROVED = "approved", "Approved"
    EXECUTING = "executing", "Being carried out"
    VERIFYING = "verifying", "Removed, being verified"
    COMPLETED = "completed", "Completed"
    PARTIALLY_COMPLETED = "partially_completed", "Completed except for what is held"
    FAILED = "failed", "Failed"


class RemovalProof(models.TextChoices):
    """As contracts.Proof."""

    COUNTS = "counts", "Counts of every store"
    PHYSICAL = "physical", "Counts, physical phase, residue scan and certificate"


class RemovalRun(LeasedJob):
    """A run that one person proposes, another approves and the eraser carries out. The database enforces who may do
    which step.

    reason_code: apps.erasure.log_removal.RemovalReason. frozen_at: from then on the proposer adds no target.
    Approval adds what came into a proposed scope or tenant since then. made_in: the transaction in which the run
    was made, the only one in which the proposer's targets can be added. attempts: the number of attempts in a row
    without progress.

    For a run with proof "physical": prepared_at is when the needles were made and the control passed; nothing is
    removed before. verifying_at is when every store counted zero. verification holds the results of control, physical
    phase and scan (counts, codes and names of tables); only the server's administrator can write it. end_events are the
    events of the log that say how the run ended, one for each time that it came to an end.

    staying: for a person's request, what was found of the person and is not a target, frozen with the proposal:
    [{"ground": "17_3_b", "store": "audit.payloads", "places": 2}]. redacted: also frozen, the documents of which a
    redacted version stays, and how many older versions are targets: [{"document": "<its id>", "version": 2,
    "older": 1}]; None if the run was proposed by a release that did not record it. unproven_...: why no physical
    proof is made (apps.erasure.runs.unproven.Unproven), who asked to do without one, and who agreed. Once agreed,
    the run ends without a physical proof, and this cannot be changed.

    revision: a counter that the database increments with each step and each statement about the proof.
    decided_revision: the revision that was last decided on.
    """

    task = "apps.erasure.tasks.carry_out_removal"
    process = "eraser"
    label = "approved removals"
    sweeps_itself = True
    in_suspended = True
    reason = "carry out a removal"
    waiting = (RemovalState.APPROVED,)
    postponed = (RemovalState.FAILED,)
    running = RemovalState.EXECUTING

    origin = models.CharField(max_length=16, choices=RemovalOrigin.choices)
    origin_id = models.UUIDField()
    state = models.CharField(max_length=24, choices=RemovalState.choices, default=RemovalState.PROPOSED)
    reason_code = models.CharField(max_length=32)
    made_in = models.CharField(max_length=24, default="", editable=False)
    frozen_at = models.DateTimeField(null=True)
    proposed_by = models.UUIDField()
    proposed_at = models.DateTimeField(db_default=Now())
    approved_by = models.UUIDField(null=True)
    approved_at = models.DateTimeField(null=True)
    rejected_by = models.UUIDField(null=True)
    rejected_at = models.DateTimeField(null=True)
    rejection_code = models.CharField(max_length=32, blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    proof = models.CharField(max_length=16, choices=RemovalProof.choices, default=RemovalProof.COUNTS)
    prepared_at = models.DateTimeField(null=True)
    verifying_at = models.DateTimeField(null=True)
    verification = models.JSONField(default=dict)
    end_events = ArrayField(models.UUIDField(), default=list)
    staying = models.JSONField(default=list)
    redacted = models.JSONField(null=True)
    unproven_code = models.CharField(max_length=32, blank=True, default="")
    unproven_asked_by = models.UUIDField(null=True)
    unproven_asked_at = models.DateTimeField(null=True)
    unproven_agreed_by = models.UUIDField(null=True)
    unproven_agreed_at = models.DateTimeField(null=True)
    revision = models.PositiveIntegerField(default=1, db_default=1)
    decided_revision = models.PositiveIntegerField(null=True, editable=False)

    personal_data = PersonalData(
        Fields(
            "id tenant origin origin_id state reason_code made_in frozen_at proposed_at approved_at rejected_at "
            "rejection_code started_at finished_at attempts next_attempt_at lease_owner lease_until error_code "
            "staying redacted unproven_code unproven_asked_at unproven_agreed_at revision decided_revision",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields(
            "proof prepared_at verifying_at verification end_events",
            Sort.NONE,
            because="Codes, counts, times, names of tables and places, a keyed digest: nothing of what is looked for.",
        ),
        Fields(
            "proposed_by approved_by rejected_by unproven_asked_by unproven_agreed_by",
            Sort.IDENTIFIER,
            because="The account of whoever did it.",
            stays=reasons.ACCOUNTABLE,
            withheld=reasons.OWN_ACT,
        ),
    )

    class Meta:
        app_label = "audit"
        ordering = ("-proposed_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True) | ~Q(approved_by=F("proposed_by")),
                name="removal_approved_by_another",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("proposed", "rejected"))
                | Q(approved_by__isnull=False, approved_at__isnull=False, frozen_at__isnull=False),
                name="removal_approved_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(unproven_agreed_by__isnull=True) | ~Q(unproven_agreed_by=F("unproven_asked_by")),
                name="removal_unproven_by_two",
            ),
            models.CheckConstraint(
                condition=Q(unproven_code="", unproven_asked_by__isnull=True, unproven_agreed_by__isnull=True)
                | (~Q(unproven_code="") & Q(unproven_asked_by__isnull=False, unproven_asked_at__isnull=False)),
                name="removal_unproven_for_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=("purge", "log", "request", "removal"), proof__in=("counts", "physical"))
                & Q(
                    state__in=(
                        "proposed",
                        "rejected",
                        "approved",
                        "executing",
                        "verifying",
                        "completed",
                        "partially_completed",
                        "failed",
                    )
                ),
                name="removal_known_words",
            ),
        )
        indexes = (
            models.Index(fields=["tenant", "origin_id"], name="removal_by_origin"),
            models.Index(
                fields=["tenant", "next_attempt_at"],
                condition=Q(state__in=("approved", "executing", "failed")),
                name="removal_due",
            ),
        )

    @classmethod
    def free(cls, now: datetime) -> Q:
        """Return the filter for runs that the eraser may take. Each waits for its time, even once its lease is over."""
        # Nothing goes before it is known what will be looked for afterwards, and that looking finds it.
        is_prepared = Q(proof=RemovalProof.COUNTS) | Q(prepared_at__isnull=False) | Q(unproven_agreed_by__isnull=False)
        return (
            Q(state=RemovalState.APPROVED) & cls.due(now) & is_prepared
            | Q(state=RemovalState.FAILED) & is_past("next_attempt_at", now)
            | Q(state=RemovalState.EXECUTING) & cls.due(now) & cls.lost(now)
        )

    @classmethod
    def sweep(cls) -> str:
        return "carry out approved removals"

    def __str__(self) -> str:
        return f"removal run {self.id}"

    @property
    def is_unproven(self) -> bool:
        """Return whether two people have agreed that the run ends without a physical proof."""
        return self.unproven_agreed_by is not None
