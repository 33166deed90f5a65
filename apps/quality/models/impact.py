"""The impact that a policy version would have, computed before anybody decides on it."""

from __future__ import annotations

from typing import Final

from django.db import models

from apps.intents.models import PolicyVersion
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, TargetType, Texts
from apps.tenants.personal_data.stores import OF_TENANT, SCOPES_BELOW

# Matches previews whose JSON holds the ids of documents.
_NAMES: Final = """EXISTS (
    SELECT FROM jsonb_path_query(t.result, 'lax $.**.document_id') AS named (id)
     WHERE named.id #>> '{{}}' = ANY ({}))"""
_IN_SCOPES: Final = f"""ARRAY(
    SELECT d.id::text FROM corpus_document d
     WHERE d.tenant_id = %(open_tenant)s AND d.scope_id = ANY ({SCOPES_BELOW}))"""  # noqa: S608 (constants)


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

    personal_data = PersonalData(
        Fields(
            "id tenant attempts next_attempt_at lease_owner lease_until error_code version revision "
            "content_sha256 base base_sha256 state done total requested_at started_at finished_at",
            Sort.NONE,
            because="Ids, counts, times and codes; the digests are of policies.",
        ),
        Fields(
            "requested_by",
            Sort.IDENTIFIER,
            because="The name of whoever asked for the preview.",
            cleared_by=("retrieval.impact_requesters", "retrieval.impacts"),
            withheld="Your name beside a preview of a policy that you asked for. Your acts include that you asked.",
        ),
        Fields("error_detail", Sort.FREE_TEXT, because="What went wrong, in words."),
        Fields("result", Sort.DERIVED, because="Which documents questions would reach: ids and figures."),
        cleared_by="retrieval.impacts",
        withheld="A computation about a policy: figures, and ids of documents. It says nothing about you.",
        stores=(
            # A preview is computed again when somebody opens it, so one that names a removed document is of no use.
            RowStore(
                key="retrieval.impacts",
                label="Previews of a policy's effect that name the documents",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.DOCUMENT: _NAMES.format("%(document)s::text[]"),
                    TargetType.SCOPE: _NAMES.format(_IN_SCOPES),
                    TargetType.TENANT: OF_TENANT,
                },
            ),
            # The requester is stated only by name. The request's event is the first about the version from that moment
            # on.
            RowStore(
                key="retrieval.impact_requesters",
                label="Names of a person on previews that they asked for",
                phase=Phase.DERIVED,
                found_by={
                    TargetType.USER: (
                        "t.requested_by <> '' AND (SELECT e.actor_kind = 'user' "
                        "AND e.actor_id = ANY (%(user)s::uuid[]) "
                        "FROM audit_event e WHERE e.tenant_id = t.tenant_id AND e.subject_id = t.version_id "
                        "AND e.action = 'retrieval.impact.requested' AND e.occurred_at >= t.requested_at "
                        "ORDER BY e.occurred_at, e.id LIMIT 1)"
                    )
                },
                emptied={"requested_by": "''"},
            ),
        ),
        texts=Texts("retrieval.impacts", "Previews of policies", "requested_by error_detail"),
    )

    class Meta:
        app_label = "retrieval"
        ordering = ("-requested_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "version", "revision", "base"], name="policy_impact_once"),
        )
        indexes = (models.Index(fields=["tenant", "state", "next_attempt_at"], name="policy_impact_due"),)

    def __str__(self) -> str:
        return f"impact of {self.version_id}"
