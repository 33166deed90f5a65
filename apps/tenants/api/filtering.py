"""What lists can be narrowed by: filters that refuse what they can't read, and say in the OpenAPI document what it is.

django-filter has no type information, so what views use of it is stated here. Its own filters take a word for no
filter, a fraction for a number, and a text of any length; and drf-spectacular finds no bounds in them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from django import forms
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field

if TYPE_CHECKING:

    class FilterSet:
        """Filters by query parameter; a value that a filter can't read is refused, beside its name."""

        base_filters: ClassVar[Mapping[str, Any]]
else:
    from django_filters.rest_framework import FilterSet

__all__ = [
    "FilterSet",
    "SeveralFilter",
    "changed_filter",
    "flag_filter",
    "several_texts_filter",
    "text_filter",
    "whole_filter",
]

# How many values a repeated parameter may have whose values are the tenant's.
MOST_VALUES: Final = 40
# What a column of whole numbers holds.
_LARGEST: Final = 2**31 - 1


class _WholeFilter(filters.Filter):  # type: ignore[misc]
    field_class = forms.IntegerField


class _SeveralField(filters.MultipleChoiceFilter.field_class):  # type: ignore[misc]
    def validate(self, value: list[str]) -> None:
        super().validate(value)
        if len(set(value)) < len(value):
            raise forms.ValidationError("Name each once.")


class SeveralFilter(filters.MultipleChoiceFilter):  # type: ignore[misc]
    """A parameter that may be repeated: what fits any of its values is found."""

    field_class = _SeveralField

    def __init__(self, **options: Any) -> None:
        super().__init__(distinct=False, **options)


class _KnownTextsField(_SeveralField):
    def __init__(self, *args: Any, known: Callable[[], Container[str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self._known = known

    def validate(self, value: list[str]) -> None:
        self.choices = [(each, each) for each in value if each in self._known()] if value else []
        super().validate(value)


class _KnownTextsFilter(SeveralFilter):
    field_class = _KnownTextsField


def several_texts_filter(known: Callable[[], Container[str]], **options: Any) -> Any:
    """A parameter that may be repeated; which values there are is asked at each request, as it is the tenant's."""
    schema = {"type": "string", "minLength": 1, "maxLength": 32}
    return _described(_KnownTextsFilter(known=known, choices=[], **options), schema, options)


def text_filter(*, max_length: int = 300, **options: Any) -> Any:
    schema = {"type": "string", "minLength": 1, "maxLength": max_length}
    return _described(filters.CharFilter(max_length=max_length, **options), schema, options)


def whole_filter(*, min_value: int, max_value: int = _LARGEST, **options: Any) -> Any:
    schema = {"type": "integer", "minimum": min_value, "maximum": max_value}
    return _described(_WholeFilter(min_value=min_value, max_value=max_value, **options), schema, options)


def flag_filter(**options: Any) -> Any:
    """true or false. Not a BooleanFilter: that takes a word it does not know for no filter at all."""
    choices = (("true", "true"), ("false", "false"))
    filter_ = filters.TypedChoiceFilter(choices=choices, coerce="true".__eq__, **options)
    return _described(filter_, {"type": "boolean"}, options)


def changed_filter() -> Any:
    """`updated_since`, for a list in ChangePages."""
    return filters.IsoDateTimeFilter(
        field_name="updated_at",
        lookup_expr="gte",
        help_text="Only items made or changed at or after this time (RFC 3339), in the order of the changes.",
    )


def _described(filter_: Any, schema: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    about = {"description": options["help_text"]} if "help_text" in options else {}
    return extend_schema_field({**schema, **about})(filter_)
