"""Documents, their contents and their jobs, as a client sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.corpus.extraction.contracts import HowPageRead
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Chunk, Document, DocumentStatus, IngestJob, JobStage, JobState, Page
from apps.corpus.progress import IngestProgress, progress_of_job


class FailureSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Stable, such as corpus.file_encrypted.")
    detail = serializers.CharField(help_text="What happened and what to do, for a person.")


class WarningSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()
    page = serializers.IntegerField(required=False, allow_null=True)
    row = serializers.IntegerField(required=False, allow_null=True)


class JobProgressSerializer(serializers.Serializer[Any]):
    """How far a document's way in has come."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=JobState.choices)
    stage = serializers.ChoiceField(choices=JobStage.choices)
    fraction = serializers.FloatField(help_text="0 to 1.")
    sentence = serializers.CharField(help_text="The state in one line, for a person.")
    pages_total = serializers.IntegerField()
    chunks_total = serializers.IntegerField()
    chunks_embedded = serializers.IntegerField()
    attempts = serializers.IntegerField()
    next_attempt_at = serializers.DateTimeField(allow_null=True, help_text="Set while it waits to try again.")
    error = FailureSerializer(allow_null=True)


class JobSerializer(JobProgressSerializer):
    warnings = WarningSerializer(many=True, help_text="What was lost or is doubtful in the text that was read.")
    document_id = serializers.UUIDField()
    document_title = serializers.CharField()
    scope = serializers.CharField(help_text="The scope's key.")
    actor = serializers.CharField(help_text="Who uploaded the document, or started the job again.")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField(
        help_text="When the job last progressed, waited, ended or was started again."
    )
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: IngestJob) -> dict[str, Any]:
        return super().to_representation(
            {
                **progress_fields(progress_of_job(instance)),
                "document_id": instance.document_id,
                "document_title": instance.document.title,
                "warnings": instance.document.warnings,
                "scope": instance.scope.key,
                "actor": instance.actor_label,
                "created_at": instance.requested_at,
                "updated_at": instance.updated_at,
                "started_at": instance.started_at,
                "finished_at": instance.finished_at,
            }
        )


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """One version of one document. Needs the context `progress`: the latest job's progress by document id."""

    kind = serializers.CharField(read_only=True, help_text="The key of a kind of the policy.")
    document_type = serializers.ChoiceField(choices=DocumentType.choices, read_only=True)
    source_type = serializers.ChoiceField(choices=SourceType.choices, read_only=True)
    status = serializers.ChoiceField(choices=DocumentStatus.choices, read_only=True)
    scope = serializers.CharField(source="scope.key", read_only=True, help_text="The scope's key.")
    jurisdictions = serializers.ListField(child=serializers.CharField(), read_only=True)
    warnings = WarningSerializer(many=True, read_only=True)
    error = serializers.SerializerMethodField()
    job = serializers.SerializerMethodField()

    class Meta:
        model = Document
        fields = (
            "id",
            "title",
            "kind",
            "scope",
            "status",
            "version",
            "series_id",
            "valid_from",
            "valid_to",
            "document_type",
            "source_type",
            "company",
            "ticker",
            "fiscal_year",
            "fiscal_quarter",
            "published_on",
            "language",
            "jurisdictions",
            "external_id",
            "filename",
            "media_type",
            "byte_size",
            "content_sha256",
            "page_count",
            "chunk_count",
            "created_at",
            "updated_at",
            "warnings",
            "error",
            "job",
        )
        read_only_fields = fields
        extra_kwargs = {
            "series_id": {"help_text": "The id that all versions of a document share."},
            "valid_from": {"help_text": "When this version became the current one."},
            "valid_to": {"help_text": "When it stopped being the current one."},
            "updated_at": {"help_text": "When it last changed: its details or its state. Its job has its own time."},
        }

    @extend_schema_field(FailureSerializer(allow_null=True))
    def get_error(self, document: Document) -> dict[str, str] | None:
        return failure(document.error_code, document.error_detail)

    @extend_schema_field(JobProgressSerializer(allow_null=True))
    def get_job(self, document: Document) -> dict[str, Any] | None:
        progress: Mapping[UUID, IngestProgress] = self.context["progress"]
        found = progress.get(document.id)
        return JobProgressSerializer(progress_fields(found)).data if found else None


class ChunkSerializer(serializers.ModelSerializer[Chunk]):
    class Meta:
        model = Chunk
        fields = (
            "id",
            "number",
            "is_parent",
            "parent_id",
            "kind",
            "text",
            "context_header",
            "section",
            "sec_item",
            "page_start",
            "page_end",
            "char_start",
            "char_end",
            "token_count",
            "content_sha256",
        )
        read_only_fields = fields
        extra_kwargs = {
            "context_header": {"help_text": "Where the passage comes from; embedded and indexed with the text."},
            "char_start": {"help_text": "Where the text begins on page_start, in Unicode code points from 0."},
            "char_end": {"help_text": "Where it ends, exclusive."},
        }


class PageSerializer(serializers.ModelSerializer[Page]):
    """The text of a page, against which quotes and character spans are checked."""

    how_read = serializers.ChoiceField(
        choices=[(each.value, each.name) for each in HowPageRead],
        read_only=True,
        help_text="`text`: the file's own text. `ocr`: recognised in a picture of the page. `not_read`: neither.",
    )

    class Meta:
        model = Page
        fields = ("document_id", "number", "text", "extracted", "how_read", "ocr_confidence")
        read_only_fields = fields
        extra_kwargs = {
            "extracted": {"help_text": "False if something is printed there that could not be read."},
            "ocr_confidence": {
                "help_text": "How sure text recognition is of the page, from 0 to 1: the mean over its characters; "
                "null for a page that it did not read."
            },
        }


def progress_fields(progress: IngestProgress) -> dict[str, Any]:
    return {
        "id": progress.job_id,
        "status": progress.state.value,
        "stage": progress.stage.value,
        "fraction": round(progress.fraction, 4),
        "sentence": progress.sentence,
        "pages_total": progress.pages,
        "chunks_total": progress.chunks_total,
        "chunks_embedded": progress.chunks_embedded,
        "attempts": progress.attempts,
        "next_attempt_at": progress.next_attempt_at,
        "error": failure(progress.error_code, progress.error_detail),
    }


def failure(code: str, detail: str) -> dict[str, str] | None:
    return {"code": code, "detail": detail} if code else None
