"""What this floor shows of itself: the caller and the scopes. And a base that refuses what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from rest_framework import serializers

from apps.tenants.models import Scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role

Field = serializers.Field[Any, Any, Any, Any]


def choices_of(names: type[Enum]) -> list[tuple[str, str]]:
    """An enumeration as choices, in the form by which ENUM_NAME_OVERRIDES knows it in the OpenAPI document."""
    return [(each.value, each.name) for each in names]


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses unknown fields: `{"scope": [...]}` for `scopes` would otherwise ask everywhere and look right."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            known = ", ".join(self.fields)
            raise serializers.ValidationError({str(name): [f"Unknown field. Known: {known}."] for name in unknown})
        return super().to_internal_value(data)


class LabelledSerializer(serializers.Serializer[Any]):
    """Has a field `label`, which a class body can't declare: every DRF field has an attribute of that name."""

    def get_fields(self) -> dict[str, Field]:
        return {**super().get_fields(), "label": serializers.CharField()}


class ScopeSerializer(serializers.ModelSerializer[Scope]):
    class Meta:
        model = Scope
        fields = ("id", "key", "name", "created_at")
        read_only_fields = fields

    def get_fields(self) -> dict[str, Field]:
        # As with label: `parent` is an attribute of every field.
        parent = serializers.CharField(
            source="parent.key",
            default=None,
            allow_null=True,
            read_only=True,
            help_text="The key of the scope above, if you hold it; a grant reaches down, never up.",
        )
        return {**super().get_fields(), "parent": parent}


class TenantBriefSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    residency_region = serializers.CharField(help_text="Where this tenant's data stays.")


class PersonalKeySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    prefix = serializers.CharField(help_text="The characters after gbx_.")
    expires_at = serializers.DateTimeField()


class MeSerializer(LabelledSerializer):
    kind = serializers.ChoiceField(choices=choices_of(PrincipalKind))
    id = serializers.UUIDField(help_text="The id under which events name you.")
    personal_key = PersonalKeySerializer(
        allow_null=True, help_text="The key of their own by which a person asks; null for everybody else."
    )
    tenant = TenantBriefSerializer()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))
    permissions = serializers.ListField(
        child=serializers.ChoiceField(choices=choices_of(Permission)),
        help_text="What these roles may do, by the names that a refusal uses.",
    )
    scopes = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of all scopes that you reach, those below your grants included."
    )
