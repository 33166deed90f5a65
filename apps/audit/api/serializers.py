"""Events, as a client sees them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.audit.models import Event, Outcome
from apps.audit.registry import event_class
from apps.audit.selectors import GroupState, readings_of
from apps.tenants.api.serializers import Field, choices_of
from apps.tenants.principals import PrincipalKind


class ActorSerializer(serializers.Serializer[Event]):
    kind = serializers.ChoiceField(choices=choices_of(PrincipalKind), source="actor_kind")
    id = serializers.UUIDField(source="actor_id", allow_null=True, help_text="null for the system itself.")

    def get_fields(self) -> dict[str, Field]:
        label = serializers.CharField(source="actor_label", help_text="The name at that time.")
        return {**super().get_fields(), "label": label}


class SubjectSerializer(serializers.Serializer[Event]):
    type = serializers.CharField(source="subject_type")
    id = serializers.UUIDField(source="subject_id", allow_null=True)


class EventSerializer(serializers.Serializer[Event]):
    id = serializers.UUIDField()
    action = serializers.CharField(help_text="Such as retrieval.question.answered.")
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    occurred_at = serializers.DateTimeField()
    actor = ActorSerializer(source="*")
    subject = SubjectSerializer(
        source="*", help_text="The subject of the act; an empty type means the tenant as a whole."
    )
    scope_ids = serializers.ListField(child=serializers.UUIDField(), help_text="The scopes that the act touched.")

    def get_fields(self) -> dict[str, Field]:
        return {**super().get_fields(), "label": serializers.SerializerMethodField(help_text="The action in words.")}

    def get_label(self, event: Event) -> str:
        return event_class(event.action).label


class EventDetailSerializer(EventSerializer):
    payload = serializers.DictField(
        child=serializers.DictField(child=serializers.JSONField()),
        help_text=(
            "The contents by field group: core, actor, question, answer, passages. A question is a keyed digest. Its "
            "text is included only if the intent's policy records it, encrypted."
        ),
    )
    groups = serializers.DictField(
        child=serializers.ChoiceField(choices=choices_of(GroupState)),
        help_text=(
            "The state of each field group that the event was written with: intact; removed (no longer stored); or "
            "damaged (differs from what was recorded, and is not shown)."
        ),
    )
    commitments = serializers.DictField(
        child=serializers.CharField(),
        help_text="The commitment to each group's content, in hex. It stays when the group is removed.",
    )

    http_request_id = serializers.CharField(
        help_text="The id of the request that caused it, as in the X-Request-ID of its answer; empty if none."
    )

    def to_representation(self, instance: Event) -> dict[str, Any]:
        reading = readings_of([instance])[instance.id]
        # As it was written: numbers and nulls are evidence too.
        return {
            **self._base(instance),
            "payload": reading.payload,
            "groups": {group: state.value for group, state in sorted(reading.states.items())},
            "commitments": instance.commitments,
            "http_request_id": reading.request_id,
        }

    def _base(self, event: Event) -> dict[str, Any]:
        shown: dict[str, Any] = EventSerializer(event, context=self.context).data
        return shown
