"""What this floor shows of itself: the caller and the scopes. And a base that refuses what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from apps.tenants.models import Scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses unknown fields: `{"scope": [...]}` for `scopes` would otherwise ask everywhere and look right."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            known = ", ".join(self.fields)
            raise serializers.ValidationError({str(name): [f"Unknown field. Known: {known}."] for name in unknown})
        return super().to_internal_value(data)


class ScopeSerializer(serializers.ModelSerializer[Scope]):
    parent = serializers.CharField(
        source="parent.key",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="The key of the scope above, if you hold it; a grant reaches down, never up.",
    )

    class Meta:
        model = Scope
        fields = ("id", "key", "name", "parent", "created_at")
        read_only_fields = fields


class TenantBriefSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    residency_region = serializers.CharField(help_text="Where this tenant's data stays.")


class MeSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(
        choices=[(kind.value, kind.value) for kind in PrincipalKind if kind is not PrincipalKind.SYSTEM]
    )
    id = serializers.UUIDField(help_text="The id under which events name you.")
    label = serializers.CharField()
    tenant = TenantBriefSerializer()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))
    permissions = serializers.ListField(
        child=serializers.ChoiceField(choices=[(each.value, each.value) for each in Permission]),
        help_text="What these roles may do, by the names that a refusal uses.",
    )
    scopes = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of all scopes that you reach, those below your grants included."
    )
