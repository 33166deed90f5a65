"""Webhooks, the addresses of a tenant's own programs that are told of events, and what was sent to each."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.audit.models.data_key import DataKey
from apps.tenants.models.base import TenantForeignKey, TenantModel
from apps.tenants.personal_data import Fields, PersonalData, Phase, Sort, TenantStore, reasons


class PauseReason(models.TextChoices):
    """Why nothing is sent to an endpoint. The platform sets all reasons but the first."""

    PERSON = "person", "Somebody paused it"
    FAILING = "failing", "It failed for three days"
    GONE = "gone", "It answered that it is gone (410)"


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    GIVEN_UP = "given_up", "Given up"


class Webhook(TenantModel):
    """An endpoint: its address, the classes of its events, and its scopes, which never change.

    A reader who does not hold all of its scopes does not see its row. cursor: the leaf of the log at which the next
    collection begins; each earlier event has its delivery or was not meant for this endpoint. sealed: its secrets
    (apps/audit/webhooks/secrets.py), the newest first; the older one also signs until previous_until. failures: the
    number of consecutive failed attempts since failing_since. next_attempt_at: nothing is sent before this time.
    lease_*: the worker that is sending now.
    """

    url = models.TextField()
    actions = ArrayField(models.CharField(max_length=100))
    scope_ids = ArrayField(models.UUIDField())
    sealed = models.BinaryField()
    data_key = TenantForeignKey(DataKey, on_delete=models.PROTECT, related_name="+")
    previous_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    paused_at = models.DateTimeField(null=True)
    pause_reason = models.CharField(max_length=16, choices=PauseReason.choices, blank=True)

    cursor = models.BigIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    next_attempt_at = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant actions scope_ids data_key previous_until created_at paused_at pause_reason cursor "
            "failures failing_since delivered_at given_up_at next_attempt_at lease_owner lease_until",
            Sort.NONE,
            because="Ids, codes, counts and times.",
        ),
        Fields(
            "url",
            Sort.CREDENTIAL,
            because="The address of a program of the firm's, which may be as good as a password.",
            stays="It is of a program, and the firm changes or deletes it.",
            withheld="The address of a program of the firm's, not yours.",
        ),
        Fields(
            "sealed",
            Sort.CREDENTIAL,
            because="The secrets that deliveries are signed with, under a data key of the tenant.",
            withheld=reasons.A_PROOF,
        ),
        cleared_by="audit.webhooks",
        stores=(
            # They hold ids beside the address and the secret, so they go with their tenant alone.
            TenantStore(
                key="audit.webhooks",
                label="Webhooks, with their addresses and secrets, and what was sent to each",
                phase=Phase.CACHES,
                tables=("audit_webhookattempt", "audit_webhookdelivery", "audit_webhook"),
            ),
        ),
    )

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            # A delivery's foreign key refers to this constraint.
            models.UniqueConstraint(fields=["tenant", "id", "scope_ids"], name="webhook_in_its_scopes"),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True, pause_reason="")
                | Q(paused_at__isnull=False, pause_reason__in=["person", "failing", "gone"]),
                name="webhook_paused_for_a_reason",
            ),
            models.CheckConstraint(condition=Q(url__startswith="https://"), name="webhook_by_https"),
            models.CheckConstraint(condition=Q(cursor__gte=0), name="webhook_cursor_in_the_log"),
        )

    def __str__(self) -> str:
        return f"webhook {self.id}"


class WebhookDelivery(TenantModel):
    """One event for one endpoint, in any state. It holds only ids; the message is made from the event at each attempt.

    scope_ids are the endpoint's and event_scope_ids the event's, both enforced by foreign keys; the first contain the
    second. place: of the event in the log, which is the order of sending; null for a test, which is sent first.
    attempts: since it was first to be sent, or last sent again; earlier: the attempts before that.
    """

    webhook_id = models.UUIDField()
    scope_ids = ArrayField(models.UUIDField())
    event_id = models.UUIDField()
    event_scope_ids = ArrayField(models.UUIDField())
    place = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    state = models.CharField(max_length=16, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    earlier = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    personal_data = PersonalData(
        Fields(
            "id tenant webhook_id scope_ids event_id event_scope_ids place created_at state attempts earlier "
            "next_attempt_at ended_at",
            Sort.NONE,
            because="Ids, codes, counts and times of what was sent, and no content: the receiver asks for that.",
            cleared_by="audit.webhooks",
        ),
    )

    class Meta:
        # The ids of events are in the order of their times.
        ordering = ("-event_id",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "webhook_id", "event_id"], name="webhook_delivery_once"),
            models.UniqueConstraint(fields=["tenant", "id", "scope_ids"], name="webhook_delivery_in_its_scopes"),
            models.CheckConstraint(
                condition=Q(state="waiting", ended_at__isnull=True)
                | Q(state__in=["delivered", "given_up"], ended_at__isnull=False),
                name="webhook_delivery_waits_or_ended",
            ),
            models.CheckConstraint(
                condition=Q(event_scope_ids__contained_by=models.F("scope_ids")),
                name="webhook_delivery_within_scopes",
            ),
        )
        indexes = (
            # The index includes the scopes, or a range of places would visit rows that the reader does not see.
            models.Index(
                fields=["tenant", "webhook_id", "scope_ids", "place"],
                condition=Q(state="waiting"),
                name="webhook_delivery_waiting",
            ),
        )

    def __str__(self) -> str:
        return f"delivery {self.id}"


class WebhookAttempt(TenantModel):
    """One request to an endpoint, written before the request is made. Without a duration, the worker died during it.

    status: of HTTP; null if no answer came. error: a code (apps/audit/webhooks/sending.py); empty for a success.
    Nothing of the receiver's answer is kept.
    """

    delivery_id = models.UUIDField()
    scope_ids = ArrayField(models.UUIDField())
    number = models.PositiveIntegerField()
    began_at = models.DateTimeField(db_default=Now(), editable=False)
    duration_ms = models.PositiveIntegerField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=32, blank=True)

    personal_data = PersonalData(
        Fields(
            "id tenant delivery_id scope_ids number began_at duration_ms status error",
            Sort.NONE,
            because="Ids, codes, counts and times of what was sent, and no content: the receiver asks for that.",
            cleared_by="audit.webhooks",
        ),
    )

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "delivery_id", "number"], name="webhook_attempt_once"),
        )

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.delivery_id}"
