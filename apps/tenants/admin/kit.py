"""Unfold's classes with Django's types: Unfold ships none, and a class can't inherit from an unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.admin import ChoicesFieldListFilter as ChoicesDropdownFilter
    from django.contrib.admin import ModelAdmin as _ModelAdmin
    from django.contrib.admin import RelatedFieldListFilter as RelatedDropdownFilter
    from django.contrib.admin import SimpleListFilter as DropdownFilter
    from django.contrib.admin import SimpleListFilter as TextFilter
    from django.contrib.admin.filters import FieldListFilter as RangeDateTimeFilter
    from django.contrib.admin.views.main import ChangeList

    ModelAdmin = _ModelAdmin[Any]
else:
    from unfold.admin import ModelAdmin
    from unfold.contrib.filters.admin import (
        ChoicesDropdownFilter,
        DropdownFilter,
        RangeDateTimeFilter,
        RelatedDropdownFilter,
        TextFilter,
    )
    from unfold.views import ChangeList

__all__ = [
    "ChangeList",
    "ChoicesDropdownFilter",
    "DropdownFilter",
    "ModelAdmin",
    "RangeDateTimeFilter",
    "RelatedDropdownFilter",
    "TextFilter",
]
