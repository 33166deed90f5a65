"""The impact that a policy version would have, computed before anybody decides on it."""

from __future__ import annotations

from django.db import models

from apps.intents.models import PolicyVersion
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.models.leased_job import LeasedJob


class ImpactState(models.TextChoices):
    QUEUED = "queued", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class PolicyImpact(LeasedJob):
    """The comparison of a version, at one revision, with the version that was in force at the request.

    result holds ids, counts and figures (apps/quality/impact/contracts.py). It is computed over all scopes and read by
    people who may hold fewer, so it holds no text and no title. Recorded questions count up to requested_at.
    """

    task = "apps.retrieval.tasks.run_impact"
    label = "previews of policies"
    counted_as = "previews"
    reason = "compute the impact of a policy version"
    waiting = (ImpactState.QUEUED,)
    running = ImpactState.RUNNING

    version = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="impacts")
    revision = models.PositiveIntegerField()
    content_sha256 = models.CharField(max_length=64)
    base = TenantForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="+")
    base_sha256 = models.CharField(max_length=64)

    state = models.CharField(max_length=16, choices=ImpactState.choices, default=ImpactState.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    requested_at = models.DateTimeField()
    requested_by = models.CharField(max_length=255)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    error_detail = models.TextField(blank=True)
    result = models.JSONField(default=dict)

    class Meta:
        app_label = "retrieval"
        ordering = ("-requested_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "revision", "base"], name="policy_impact_once"),
        )
        indexes = (models.Index(fields=["tenant", "state", "next_attempt_at"], name="policy_impact_due"),)

    def __str__(self) -> str:
        return f"impact of {self.version_id}"
