"""What an upload may say, checked field by field before anything is stored."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers

from apps.corpus.api.kind import KindKeyField
from apps.corpus.description import InvalidFieldError
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.services.ingest.document import IngestResult, document_ingest
from apps.corpus.services.ingest.errors import OtherwiseDescribedError
from apps.corpus.services.ingest.metadata import metadata_from_row
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.ids import ScopeId
from apps.tenants.selectors.tenants import scope_by_key

# A form's own lines around the file.
FORM_OVERHEAD_BYTES = 256 * 1024
_NOT_ABOUT_IT = frozenset({"file", "scope", "kind", "replaces"})


class UploadSerializer(StrictSerializer):
    file = serializers.FileField(
        allow_empty_file=True, max_length=255, help_text="PDF, HTML, DOCX, Markdown, CSV, JSON or text."
    )
    scope = serializers.CharField(max_length=127, help_text="The key of one of your scopes; see GET /api/v1/scopes/.")
    kind = KindKeyField(
        help_text="The key of a kind of your policy, which decides what may reach it; see its `budgets`."
    )
    title = serializers.CharField(
        max_length=300,
        required=False,
        help_text="By default taken from the file's name, or from the document itself if the name has no words.",
    )
    company = serializers.CharField(max_length=200, required=False)
    ticker = serializers.CharField(max_length=16, required=False)
    period = serializers.CharField(
        max_length=20, required=False, help_text="A fiscal year or quarter: FY2024, 2024, Q4 2024, 2024Q4."
    )
    document_type = serializers.ChoiceField(choices=DocumentType.choices, required=False)
    source_type = serializers.ChoiceField(
        choices=SourceType.choices,
        required=False,
        help_text="By default that of its kind in the policy; where that is `internal`, that of the document type.",
    )
    published_on = serializers.DateField(required=False)
    language = serializers.RegexField(
        r"^[a-z]{2}$", required=False, help_text="ISO 639-1, such as en. By default detected from the text."
    )
    jurisdictions = serializers.ListField(
        child=serializers.CharField(max_length=16), max_length=50, required=False, help_text="Repeat the field."
    )
    external_id = serializers.CharField(
        max_length=200,
        required=False,
        help_text="The id in your system. Another file with the same id becomes the next version.",
    )
    replaces = serializers.UUIDField(required=False, help_text="The id of the document whose next version this is.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Read what is said about the document, and refuse what can't be understood beside its field."""
        fields = dict(super().validate(attrs))
        try:
            fields["metadata"] = metadata_from_row(
                {name: value for name, value in fields.items() if name not in _NOT_ABOUT_IT},
                filename=fields["file"].name or "",
            )
        except InvalidFieldError as error:
            raise serializers.ValidationError({error.data["field"]: error.detail}) from error
        return fields


def ingest_upload(fields: dict[str, Any]) -> IngestResult:
    """Take a validated upload in.

    Raises: what document_ingest raises. What only reading can tell (a file without text) is found by the job and stands
            on the document. OtherwiseDescribedError: these bytes are there, and something else is said
            of them.
    """
    file: UploadedFile[bytes] = fields["file"]
    scope = scope_by_key(fields["scope"])
    content = file.read()
    filename = file.name or ""
    result = document_ingest(
        content=content,
        filename=filename,
        scope_id=ScopeId(scope.id),
        kind=fields["kind"],
        replaces=fields.get("replaces"),
        metadata=fields["metadata"],
    )
    # What the file's name says is no claim of the client's.
    differs = [name for name in result.differs if name in fields]
    if differs:
        raise OtherwiseDescribedError(document=result.document.id, fields=", ".join(differs))
    return result
