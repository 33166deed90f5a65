"""The events of the log. Rows are inserted and read; no running process may change or remove one."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.tenants.models.base import TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Sort, reasons


class Outcome(models.TextChoices):
    SUCCESS = "success", "Success"
    REFUSED = "refused", "Refused"
    DEGRADED = "degraded", "Degraded"
    FAILED = "failed", "Failed"


class Event(TenantModel):
    """One event, written in the transaction of the act that it records.

    scope_ids are the scopes that the act touched: a reader must hold all of them. The actor is a surrogate id and the
    label of that moment, never a foreign key, so that an event outlives its actor. commitments holds, for each field
    group (see apps/audit/registry.py), the commitment to its content (see apps/audit/canonical.py), in hex. The content
    itself is in Payload, sealed.
    """

    scope_ids = ArrayField(models.UUIDField(), default=list)
    action = models.CharField(max_length=100)
    outcome = models.CharField(max_length=16, choices=Outcome.choices)
    occurred_at = models.DateTimeField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    actor_label = models.CharField(max_length=255)
    subject_type = models.CharField(max_length=64, blank=True)
    subject_id = models.UUIDField(null=True)
    commitments = models.JSONField()

    personal_data = PersonalData(
        Fields(
            "id tenant scope_ids action outcome occurred_at actor_kind subject_type",
            Sort.NONE,
            because="Ids, codes and times.",
        ),
        Fields("actor_id subject_id", Sort.IDENTIFIER, because="Ids, also of accounts.", stays=reasons.EVIDENCE),
        Fields(
            "actor_label",
            Sort.IDENTIFIER,
            because="The actor's name of that moment.",
            cleared_by=("audit.payloads", "audit.log_contents"),
        ),
        Fields(
            "commitments",
            Sort.DERIVED,
            because="What binds each field group.",
            stays="It tells nothing of a group that is gone: the salt, 32 random bytes, went with it.",
            withheld=reasons.DIGESTS,
        ),
        shown_in="events",
    )

    class Meta:
        ordering = ("-occurred_at", "-id")
        indexes = (
            models.Index(fields=["tenant", "-occurred_at", "-id"], name="event_by_time"),
            models.Index(fields=["tenant", "action", "-occurred_at"], name="event_by_action"),
            models.Index(fields=["tenant", "subject_id"], name="event_by_subject"),
        )
        # A payload's foreign key refers to this constraint.
        constraints = (models.UniqueConstraint(fields=["tenant", "id", "scope_ids"], name="event_in_its_scopes"),)

    def __str__(self) -> str:
        return f"{self.action} {self.occurred_at:%Y-%m-%d %H:%M:%S} UTC"
