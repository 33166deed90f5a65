"""The base of the lists' filters. django-filter has no type information, so what views use of it is stated here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:

    class FilterSet:
        """Filters by query parameter; a value that a filter can't read is refused, beside its name."""

        base_filters: ClassVar[Mapping[str, Any]]
else:
    from django_filters.rest_framework import FilterSet

__all__ = ["FilterSet"]
