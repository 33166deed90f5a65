"""Fields that take JSON's own types to the letter, where DRF's would turn one into another."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.intents.policy_file.literals import LARGEST


class TextField(serializers.CharField):
    """A text to the letter: nothing is trimmed, and a number is no text. Blank ones are refused."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if not data.strip():
            self.fail("blank")
        return super().to_internal_value(data)


@extend_schema_field({"type": "number", "format": "double", "exclusiveMinimum": -LARGEST, "exclusiveMaximum": LARGEST})
class NumberField(serializers.FloatField):
    """A number that a double holds: 1e999 is valid JSON, and infinite."""

    default_error_messages = {"too_large": f"Enter a number between -{LARGEST:.0e} and {LARGEST:.0e}."}

    def to_internal_value(self, data: Any) -> float:
        if not isinstance(data, int | float) or isinstance(data, bool):
            self.fail("invalid")
        if not abs(data) < LARGEST:
            self.fail("too_large")
        return float(data)
