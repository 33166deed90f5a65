"""What this floor shows of itself: the caller and the scopes. And a base that refuses what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, cast

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request

from apps.tenants.api.forms import form_problems
from apps.tenants.models import Scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role

Field = serializers.Field[Any, Any, Any, Any]


def choices_of(names: type[Enum]) -> list[tuple[str, str]]:
    """An enumeration as choices, in the form by which ENUM_NAME_OVERRIDES knows it in the OpenAPI document."""
    return [(each.value, each.name) for each in names]


# The JSON types that a field takes, the first that fits; DRF's own fields turn a 5 into "5" and "yes" into true.
_TYPES: Final[tuple[tuple[type[Field], tuple[type, ...], str], ...]] = (
    (serializers.BooleanField, (bool,), "Must be true or false."),
    (serializers.IntegerField, (int,), "Must be a whole number."),
    (serializers.FloatField, (int, float), "Must be a number."),
    (serializers.ListField, (list,), "Must be a list."),
    (serializers.CharField, (str,), "Must be a text."),
    (serializers.UUIDField, (str,), "Must be a text."),
    (serializers.ChoiceField, (str,), "Must be a text."),
    (serializers.DateTimeField, (str,), "Must be a text."),
    (serializers.DateField, (str,), "Must be a text."),
)


class StrictSerializer(serializers.Serializer[Any]):
    """Takes what it knows, as it is declared, and refuses the rest.

    An unknown field: `{"scope": [...]}` for `scopes` would otherwise ask everywhere and look right. Of JSON a value of
    another type than the field's own. Of a form or an address, what forms.py says.
    """

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)
        unknown = sorted(set(data) - set(self.fields), key=str)
        hint = f"Known: {', '.join(self.fields)}." if self.fields else "This takes none."
        problems: dict[str, Any] = {str(name): [f"Unknown field. {hint}"] for name in unknown}
        if isinstance(data, QueryDict):
            problems |= form_problems(data, lists=self.lists())
        else:
            wrong = {name: _wrong_type(self.fields[name], data[name]) for name in data if name in self.fields}
            problems |= {name: problem for name, problem in wrong.items() if problem}
        if unknown:
            raise serializers.ValidationError(problems)
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError(_merged(cast("dict[str, Any]", error.detail), problems)) from None
        if problems:
            raise serializers.ValidationError(problems)
        return value

    def lists(self) -> frozenset[str]:
        """The fields that a form may name more than once."""
        return frozenset(name for name, field in self.fields.items() if isinstance(field, serializers.ListField))


def _merged(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> dict[Any, Any]:
    """What is wrong at the same place of a list stays one list of messages: that of the second."""
    both = {name: _merged(first[name], each) for name, each in second.items() if _are_mappings(first.get(name), each)}
    return {**first, **second, **both}


def _are_mappings(*values: object) -> bool:
    return all(isinstance(value, Mapping) for value in values)


def _wrong_type(field: Field, value: Any) -> Any:
    """Why a JSON value is not of the field's type, by its place where it is a list; nothing where it is."""
    if value is None:
        return None
    for kind, types, message in _TYPES:
        if isinstance(field, kind):
            if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
                return [message]
            break
    if isinstance(field, serializers.ListField):
        children = {place: _wrong_type(field.child, each) for place, each in enumerate(value)}
        return {place: problem for place, problem in children.items() if problem} or None
    return None


def revision_field(help_text: str) -> serializers.IntegerField:
    """What was read, in the body of a step: another one than stands there is 409, and nothing is done."""
    return serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text=help_text)


def require_no_fields(request: Request) -> None:
    """For what takes no body: a field would look as if it had been heeded. Raises: ValidationError, by field."""
    StrictSerializer(data=request.data or {}).is_valid(raise_exception=True)


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
            help_text="The key of the scope above, if you hold it. A grant covers scopes below, never above.",
        )
        return {**super().get_fields(), "parent": parent}


class TenantBriefSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    residency_region = serializers.CharField(help_text="The region in which this tenant's data stays.")


class PersonalKeySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    prefix = serializers.CharField(help_text="The characters after gbx_.")
    expires_at = serializers.DateTimeField()


class MeSerializer(LabelledSerializer):
    kind = serializers.ChoiceField(choices=choices_of(PrincipalKind))
    id = serializers.UUIDField(help_text="The id under which events name you.")
    personal_key = PersonalKeySerializer(
        allow_null=True, help_text="The personal key that a person is using; null otherwise."
    )
    tenant = TenantBriefSerializer()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))
    permissions = serializers.ListField(
        child=serializers.ChoiceField(choices=choices_of(Permission)),
        help_text="What these roles may do, by the names used in refusals.",
    )
    scopes = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of all scopes that you reach, including those below your grants."
    )
