"""Webhooks, as a client sees them and says them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from apps.audit.models import DeliveryState, PauseReason, Webhook, WebhookAttempt, WebhookDelivery
from apps.audit.registry import event_class
from apps.audit.webhooks.addresses import MAX_URL_CHARS
from apps.tenants.api.serializers import Field, StrictSerializer

_MOST_CLASSES = 200


class WebhookSerializer(serializers.Serializer[Webhook]):
    id = serializers.UUIDField()
    url = serializers.CharField()
    classes = serializers.ListField(child=serializers.CharField(), source="actions", help_text="Of events.")
    scopes = serializers.SerializerMethodField(
        help_text="Keys of the scopes whose events it receives; it never receives events of others."
    )
    created_at = serializers.DateTimeField()
    paused_at = serializers.DateTimeField(allow_null=True, help_text="When sending stopped; null while it is active.")
    pause_reason = serializers.ChoiceField(
        choices=PauseReason.choices,
        allow_null=True,
        help_text=(
            "person: somebody paused it. failing: the receiver accepted nothing for three days. gone: it answered 410."
        ),
    )
    failing_since = serializers.DateTimeField(allow_null=True, help_text="Since when no attempt succeeded.")
    delivered_at = serializers.DateTimeField(allow_null=True, help_text="When a delivery was last accepted.")
    previous_secret_until = serializers.DateTimeField(
        source="previous_until",
        allow_null=True,
        help_text="Until then the previous secret also signs.",
    )

    def get_scopes(self, webhook: Webhook) -> list[str]:
        keys: dict[Any, str] = self.context["scope_keys"]
        return sorted(keys[each] for each in webhook.scope_ids if each in keys)

    def to_representation(self, instance: Webhook) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        return {**shown, "pause_reason": shown["pause_reason"] or None}


class WebhookSecretSerializer(WebhookSerializer):
    secret = serializers.CharField(
        allow_null=True,
        help_text="`whsec_` and base64. Shown only this once: null if the request is repeated with its "
        "Idempotency-Key. Rotate the secret to get another.",
    )


class _ClassesField(serializers.ListField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=serializers.CharField(max_length=100),
            min_length=1,
            max_length=_MOST_CLASSES,
            help_text="Classes of events; GET /api/v1/webhooks/classes/ lists them.",
            **kwargs,
        )


class WebhookCreateSerializer(StrictSerializer):
    url = serializers.CharField(
        max_length=MAX_URL_CHARS,
        help_text="https on port 443, and not into a private network, unless a setting permits it.",
    )
    classes = _ClassesField()
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=127),
        max_length=100,
        default=list,
        help_text="Keys of scopes, including everything below them that you reach. If empty or absent: all scopes "
        "that you reach. The list does not change: scopes made later are not added.",
    )


class WebhookChangeSerializer(StrictSerializer):
    url = serializers.CharField(max_length=MAX_URL_CHARS, required=False)
    classes = _ClassesField(required=False)
    paused = serializers.BooleanField(
        required=False,
        help_text="true: send nothing from now on; new events wait in the log. false: send again.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError(f"Say what changes: {', '.join(self.fields)}.")
        return attrs


class WebhookClassSerializer(serializers.Serializer[Any]):
    """`class` and `label` can't be declared in a class body."""

    def get_fields(self) -> dict[str, Field]:
        return {
            "class": serializers.CharField(help_text="Such as corpus.document.ready."),
            "label": serializers.CharField(help_text="In words."),
        }


class WebhookClassesSerializer(serializers.Serializer[Any]):
    results = WebhookClassSerializer(many=True)


class WebhookAttemptSerializer(serializers.Serializer[WebhookAttempt]):
    number = serializers.IntegerField()
    began_at = serializers.DateTimeField()
    duration_ms = serializers.IntegerField(
        allow_null=True, help_text="null while the attempt is running, and permanently if the worker stopped during it."
    )
    status = serializers.IntegerField(allow_null=True, help_text="The HTTP status; null if there was no answer.")
    error = serializers.CharField(
        help_text="Empty if it was accepted, otherwise a code: address_refused, connect, dns, protocol, redirect, "
        "secret, status, timeout, tls, url, worker_lost."
    )


class WebhookDeliverySerializer(serializers.Serializer[WebhookDelivery]):
    id = serializers.UUIDField(help_text="The header webhook-id; the same for every repetition.")
    event_id = serializers.UUIDField()
    created_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    attempts = serializers.SerializerMethodField(help_text="How many were made.")
    next_attempt_at = serializers.DateTimeField(
        allow_null=True, help_text="The earliest time of the next attempt; null means as soon as possible, or never."
    )
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_fields(self) -> dict[str, Field]:
        return {**super().get_fields(), "class": serializers.SerializerMethodField(method_name="class_of")}

    def class_of(self, delivery: WebhookDelivery) -> str:
        actions: dict[Any, str] = self.context["actions"]
        return actions[delivery.event_id]

    def get_attempts(self, delivery: WebhookDelivery) -> int:
        return delivery.earlier + delivery.attempts


class WebhookDeliveryDetailSerializer(WebhookDeliverySerializer):
    log = serializers.SerializerMethodField(help_text="Each attempt, the first first.")

    def get_log(self, delivery: WebhookDelivery) -> list[dict[str, Any]]:
        rows: Iterable[WebhookAttempt] = WebhookAttempt.objects.filter(delivery_id=delivery.id)
        return [dict(WebhookAttemptSerializer(each).data) for each in rows]


def offered_json(actions: tuple[str, ...]) -> dict[str, Any]:
    return {"results": [{"class": action, "label": event_class(action).label} for action in actions]}
