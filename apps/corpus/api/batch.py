"""Several files in one request: the same rules as the admin's upload of several, and each one's outcome by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.corpus.api.documents import document_json
from apps.corpus.api.kind import KindKeyField
from apps.corpus.api.serializers import DocumentSerializer, FailureSerializer
from apps.corpus.api.upload import FORM_OVERHEAD_BYTES
from apps.corpus.services.ingest.each import FileOutcome, Upload, uploads_ingest
from apps.corpus.services.ingest.errors import DescribedTwiceError, OtherwiseDescribedError
from apps.corpus.services.ingest.manifest import ManifestRow, UnusableLineError, read_line
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.parsers import StrictMultiPartParser
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key

_MAX_FILES = 100
_MANIFEST_CHARS = 1_000_000
_NOBODY = UUID(int=0)
_SAMPLE = """\
curl "{base}/api/v1/documents/batch/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -F 'file="# Fees";filename=fees.md;type=text/markdown' \\
  -F 'file="# Dealing";filename=dealing.md;type=text/markdown' \\
  -F "scope=$SCOPE" \\
  -F "kind=compliance_profile" \\
  --form-string 'manifest={"file": "fees.md", "title": "Fees of the fund"}'"""


class BatchUploadSerializer(StrictSerializer):
    file = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True, max_length=255),
        min_length=1,
        max_length=_MAX_FILES,
        help_text="Repeat the field for each file. Each file needs its own name.",
    )
    scope = serializers.CharField(max_length=127, help_text="The key of one of your scopes; see GET /api/v1/scopes/.")
    kind = KindKeyField(help_text="The kind of each file for which the manifest names none: its key.")
    manifest = serializers.CharField(
        max_length=_MANIFEST_CHARS,
        required=False,
        help_text="JSON lines. Each names a file of this request in `file`, and can have the fields of an upload.",
    )


class LineSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="Counted from 1.")
    detail = serializers.CharField()


class FileOutcomeSerializer(serializers.Serializer[Any]):
    filename = serializers.CharField()
    outcome = serializers.ChoiceField(
        choices=["received", "present", "refused"], help_text="`present`: these bytes were already stored."
    )
    document = DocumentSerializer(allow_null=True)
    error = FailureSerializer(allow_null=True)


class BatchSerializer(serializers.Serializer[Any]):
    files = FileOutcomeSerializer(many=True)
    lines = LineSerializer(many=True, help_text="Lines of the manifest that could not be used, or only in part.")


@dataclass(slots=True)
class _Manifest:
    """What the lines say by file name, and what is wrong with them."""

    rows: dict[str, list[tuple[int, ManifestRow]]] = field(default_factory=lambda: defaultdict(list))
    problems: list[tuple[int, str]] = field(default_factory=list)


class DocumentBatchView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.DOCUMENT_ADD}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scope"}
    parser_classes = (StrictMultiPartParser,)
    body_limit_bytes = settings.GLASSBOX_MAX_UPLOAD_BYTES + FORM_OVERHEAD_BYTES

    @extend_schema(
        operation_id="upload_documents",
        tags=["Documents"],
        summary="Upload several documents",
        description=(
            f"Up to {_MAX_FILES} files in one request. Each is accepted or refused separately, by the rules of "
            "`upload_document`; follow the `job` of each. A file that two lines of the manifest describe is "
            "refused: it is unclear which of them applies. The status is 200 if nothing new was stored."
        ),
        request={"multipart/form-data": BatchUploadSerializer},
        responses={
            202: OpenApiResponse(BatchSerializer, description="The outcome for each file; at least one is being read."),
            200: OpenApiResponse(BatchSerializer, description="The outcome for each file; nothing new was stored."),
        },
        extensions=sample(_SAMPLE),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        form = BatchUploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        scope_id = ScopeId(scope_by_key(said["scope"]).id)
        manifest = _read(said.get("manifest", ""), {each.name or "" for each in said["file"]})
        outcomes: list[FileOutcome] = []
        for each in said["file"]:
            rows = manifest.rows.get(each.name or "", [])
            if len(rows) > 1:
                lines = " and ".join(str(number) for number, _ in rows)
                error = DescribedTwiceError(filename=each.name, lines=lines)
                outcomes.append(FileOutcome(filename=each.name, code=error.code, reasons=(error.detail,)))
                continue
            fields = rows[0][1].fields if rows else {}
            upload = Upload(
                filename=each.name or "", read=each.read, kind=str(fields.get("kind") or said["kind"]), fields=fields
            )
            outcomes += [_refused_where_other(outcome) for outcome in uploads_ingest([upload], scope_id=scope_id)]
        made = [outcome.result for outcome in outcomes if outcome.result is not None]
        return ActResponse(
            {
                "files": [_told(outcome) for outcome in outcomes],
                "lines": [{"line": number, "detail": detail} for number, detail in sorted(manifest.problems)],
            },
            status=202 if any(result.created for result in made) else 200,
            subject_id=made[0].document.id if made else _NOBODY,
            scope_ids=[scope_id],
        )


def _read(text: str, names: set[str]) -> _Manifest:
    manifest = _Manifest()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = read_line(line.encode())
        except UnusableLineError as error:
            manifest.problems.append((number, str(error)))
            continue
        if row.name not in names:
            manifest.problems.append((number, "It names a file that is not in this request."))
            continue
        manifest.problems += [(number, note) for note in row.notes]
        manifest.rows[row.name].append((number, row))
    return manifest


def _refused_where_other(outcome: FileOutcome) -> FileOutcome:
    """As a single upload: what is said of bytes that are there, and is stored otherwise, is not passed over."""
    if outcome.result is None or not outcome.differs:
        return outcome
    error = OtherwiseDescribedError(document=outcome.result.document.id, fields=", ".join(outcome.differs))
    return FileOutcome(filename=outcome.filename, code=error.code, reasons=(error.detail,))


def _told(outcome: FileOutcome) -> dict[str, Any]:
    result = outcome.result
    return {
        "filename": outcome.filename,
        "outcome": "refused" if result is None else "received" if result.created else "present",
        "document": None if result is None else document_json(result.document.id),
        "error": {"code": outcome.code, "detail": " ".join(outcome.reasons)} if result is None else None,
    }
