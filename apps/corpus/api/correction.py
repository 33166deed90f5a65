"""What can be corrected of a document, checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from rest_framework import serializers

from apps.corpus.description import InvalidFieldError
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Document
from apps.corpus.services.correct import document_correct
from apps.tenants.api.serializers import StrictSerializer

_SCOPE: Final = (
    "The scope decides who can read a document, and is not corrected here. Move it with POST to its address, followed "
    "by move/."
)


class CorrectionSerializer(StrictSerializer):
    kind = serializers.CharField(
        max_length=32,
        required=False,
        help_text="The key of a kind in use. It decides which questions reach the document, so you need the right to "
        "correct both kinds.",
    )
    title = serializers.CharField(max_length=300, required=False)
    document_type = serializers.ChoiceField(choices=DocumentType.choices, required=False)
    source_type = serializers.ChoiceField(choices=SourceType.choices, required=False)
    company = serializers.CharField(max_length=200, required=False, allow_blank=True)
    ticker = serializers.CharField(max_length=16, required=False, allow_blank=True)
    fiscal_year = serializers.IntegerField(min_value=1900, max_value=2100, required=False, allow_null=True)
    fiscal_quarter = serializers.IntegerField(
        min_value=1,
        max_value=4,
        required=False,
        allow_null=True,
        help_text="The quarter of the fiscal year; not allowed without a year.",
    )
    published_on = serializers.DateField(required=False, allow_null=True)
    language = serializers.RegexField(
        r"^([a-z]{2})?$", required=False, allow_blank=True, help_text="ISO 639-1, such as en."
    )
    jurisdictions = serializers.ListField(
        child=serializers.CharField(max_length=16),
        max_length=50,
        required=False,
        help_text="All jurisdictions, not only new ones.",
    )
    external_id = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="The id in your system. From then on an upload with this id becomes the next version.",
    )

    def to_internal_value(self, data: Any) -> Any:
        try:
            return super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(data, Mapping) or not isinstance(error.detail, dict):
                raise
            told = {"scope": [_SCOPE]} if "scope" in data else {}
            raise serializers.ValidationError({**error.detail, **told}) from None


def correct(document_id: UUID, changes: Mapping[str, Any]) -> Document:
    """Raises: what document_correct raises; ValidationError: a value that can't be understood, beside its field."""
    try:
        said = dict(changes)
        return document_correct(document_id=document_id, kind=said.pop("kind", None), changes=said)
    except InvalidFieldError as error:
        raise serializers.ValidationError({error.data["field"]: error.detail}) from error
