"""What clients send and read of API keys, and how lists of them are filtered."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from rest_framework import serializers

from apps.tenants.api.directory_parts import ReachSerializer, reach_shown, reason_field, scopes_field
from apps.tenants.api.filtering import FilterSet, SeveralFilter, flag_filter, text_filter
from apps.tenants.api.serializers import StrictSerializer, choices_of
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from apps.tenants.selectors.keys import KeyState, has_ended, key_state

_LONGEST_OVERLAP: Final = timedelta(days=7)


class KeyStandingSerializer(ReachSerializer):
    """Without its name, which may hold a person's: what a repeated request may be answered with, a day later."""

    id = serializers.UUIDField()
    prefix = serializers.CharField(help_text="The characters after gbx_.")
    role = serializers.ChoiceField(choices=Role.choices)
    state = serializers.ChoiceField(
        choices=choices_of(KeyState),
        help_text="`opens_nothing`: its person's account is deactivated, or they lost its role.",
    )
    person_id = serializers.UUIDField(allow_null=True, help_text="Whom it acts for; null for a tenant's key.")
    with_second_factor = serializers.BooleanField(
        help_text="Whether its person had just used their second factor. If so, it may decide on what others propose."
    )
    rotated_from_id = serializers.UUIDField(allow_null=True, help_text="The key that it replaces.")
    created_by_id = serializers.UUIDField(allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="null: it does not expire.")
    revoked_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Any) -> Any:
        shown = {
            name: getattr(instance, name)
            for name in (
                *("id", "prefix", "role", "person_id", "with_second_factor", "rotated_from_id", "created_by_id"),
                *("created_at", "expires_at", "revoked_at", "name", "last_used_at"),
            )
        }
        # The secret is put beside it by who made it, and is nowhere to be read.
        now = {"state": key_state(instance).value, "secret": None}
        return super().to_representation({**shown, **now, **reach_shown(instance.scope_keys)})


class KeySerializer(KeyStandingSerializer):
    name = serializers.CharField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="To the minute.")


class MadeKeySerializer(KeyStandingSerializer):
    secret = serializers.CharField(
        allow_null=True, help_text="The key as a client sends it; null if this request was sent before."
    )


class KeyFilter(FilterSet):
    role = SeveralFilter(choices=Role.choices, help_text="Repeat it to match any of several.")
    ended = flag_filter(method="with_end", help_text="true for those that were revoked or have expired.")
    person_id = filters.UUIDFilter(help_text="Only keys that act for this person.")
    prefix = text_filter(max_length=16, help_text="The twelve characters after gbx_.")
    q = text_filter(max_length=200, field_name="name", lookup_expr="icontains", help_text="A part of the name.")

    class Meta:
        model = ApiKey
        fields: list[str] = []

    def with_end(self, queryset: QuerySet[ApiKey], name: str, value: bool) -> QuerySet[ApiKey]:
        return queryset.filter(has_ended()) if value else queryset.exclude(has_ended())


def _expiry_field() -> serializers.DateTimeField:
    return serializers.DateTimeField(allow_null=True, help_text="When it expires; null for never.")


class _EndingSerializer(StrictSerializer):
    def validate_expires_at(self, value: datetime | None) -> datetime | None:
        if value is not None and value <= timezone.now():
            raise serializers.ValidationError("This time has passed. Choose a future time.")
        return value


class MakeKeySerializer(_EndingSerializer):
    name = serializers.CharField(max_length=200, help_text="What uses it, such as Reporting portal.")
    role = serializers.ChoiceField(choices=Role.choices, help_text="What the client may do.")
    scopes = scopes_field()
    expires_at = _expiry_field()


class RotateKeySerializer(_EndingSerializer):
    overlap_hours = serializers.IntegerField(
        min_value=0,
        max_value=_LONGEST_OVERLAP // timedelta(hours=1),
        help_text="How long the old key still works, so that you can move its client; 0 ends it now.",
    )
    expires_at = _expiry_field()


class RenameKeySerializer(StrictSerializer):
    name = serializers.CharField(max_length=200)
    reason = reason_field()
