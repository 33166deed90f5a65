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
        help_text="Keys of the scopes within which it is told of events; it never reaches others."
    )
    created_at = serializers.DateTimeField()
    paused_at = serializers.DateTimeField(allow_null=True, help_text="Since when nothing is sent; null while it is.")
    pause_reason = serializers.ChoiceField(
        choices=PauseReason.choices,
        allow_null=True,
        help_text="person: somebody paused it. failing: nothing was taken for three days. gone: it answered 410.",
    )
    failing_since = serializers.DateTimeField(allow_null=True, help_text="Since when no attempt succeeded.")
    delivered_at = serializers.DateTimeField(allow_null=True, help_text="When something was last taken.")
    previous_secret_until = serializers.DateTimeField(
        source="previous_until",
        allow_null=True,
        help_text="Until then the secret before the newest signs as well.",
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
        help_text="`whsec_` and base64. Told this once: null where the request is answered again by its "
        "Idempotency-Key. Rotate for another.",
    )


class _ClassesField(serializers.ListField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            child=serializers.CharField(max_length=100),
            min_length=1,
            max_length=_MOST_CLASSES,
            help_text="Of events; GET /api/v1/webhooks/classes/ lists them.",
            **kwargs,
        )


class WebhookCreateSerializer(StrictSerializer):
    url = serializers.CharField(
        max_length=MAX_URL_CHARS, help_text="https, on port 443, and not into a private network, unless a setting says."
    )
    classes = _ClassesField()
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=127),
        max_length=100,
        default=list,
        help_text="Keys of scopes, with all below them that you reach. All that you reach when empty or absent. They "
        "stay what they are: a scope that is made later is not among them.",
    )


class WebhookChangeSerializer(StrictSerializer):
    url = serializers.CharField(max_length=MAX_URL_CHARS, required=False)
    classes = _ClassesField(required=False)
    paused = serializers.BooleanField(
        required=False,
        help_text="true: send nothing from now on; what comes meanwhile waits in the log. false: send again.",
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
        allow_null=True, help_text="null while it is made, and for good where the worker died in it."
    )
    status = serializers.IntegerField(allow_null=True, help_text="Of HTTP; null where no answer came.")
    error = serializers.CharField(
        help_text="Empty where it was taken, else a code: address_refused, connect, dns, protocol, redirect, secret, "
        "status, timeout, tls, url, worker_lost."
    )


class WebhookDeliverySerializer(serializers.Serializer[WebhookDelivery]):
    id = serializers.UUIDField(help_text="The header webhook-id; the same whenever it is sent again.")
    event_id = serializers.UUIDField()
    created_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    attempts = serializers.SerializerMethodField(help_text="How many were made.")
    next_attempt_at = serializers.DateTimeField(
        allow_null=True, help_text="Not before then; null where it is as soon as possible, or never."
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
