"""Addresses of a tenant's own programs that are told of events, and what was sent to each."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.audit.models.data_key import DataKey
from apps.tenants.models.base import TenantForeignKey, TenantModel


class PauseReason(models.TextChoices):
    """Why nothing is sent to an endpoint. All but the first are the platform's."""

    PERSON = "person", "Somebody paused it"
    FAILING = "failing", "It failed for three days"
    GONE = "gone", "It answered that it is gone (410)"


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    GIVEN_UP = "given_up", "Given up"


class Webhook(TenantModel):
    """An endpoint: where to, of which classes of events, and within which scopes, which never change.

    Whoever holds not all of its scopes sees no row of it. cursor: the leaf of the log at which it goes on; what lies
    before has its delivery, or was not for it. sealed: its secrets (apps/audit/webhooks/secrets.py), the newest first;
    the older one signs as well until previous_until. failures: attempts that failed, one after another, since
    failing_since. next_attempt_at: not before it is anything sent; lease_*: the worker that sends now.
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

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            # What the foreign key of a delivery refers to.
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
    """One event for one endpoint, whatever becomes of it. It holds ids; what is sent is made from the event each time.

    scope_ids are the endpoint's and event_scope_ids the event's, each held to be by a foreign key; the first contain
    the second. place: of the event in the log, in whose order they are sent; null for a test, which goes first.
    attempts: since it was to be sent, or sent again; earlier: those before that.
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

    class Meta:
        # Ids of events are in the order of their times.
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
            # With the scopes: a range of places would visit rows that the reader does not see.
            models.Index(
                fields=["tenant", "webhook_id", "scope_ids", "place"],
                condition=Q(state="waiting"),
                name="webhook_delivery_waiting",
            ),
        )

    def __str__(self) -> str:
        return f"delivery {self.id}"


class WebhookAttempt(TenantModel):
    """One request to an endpoint. Written before it is made: without a duration, the worker died in it.

    status: of HTTP; null where no answer came. error: a code (apps/audit/webhooks/sending.py); empty for one that was
    taken. Nothing of what the receiver said is kept.
    """

    delivery_id = models.UUIDField()
    scope_ids = ArrayField(models.UUIDField())
    number = models.PositiveIntegerField()
    began_at = models.DateTimeField(db_default=Now(), editable=False)
    duration_ms = models.PositiveIntegerField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=32, blank=True)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["tenant", "delivery_id", "number"], name="webhook_attempt_once"),
        )

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.delivery_id}"
