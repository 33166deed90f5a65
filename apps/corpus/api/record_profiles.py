"""Data profiles: a CSV file in, its summary stored as a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.conf import settings
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.corpus.api.kind import KindKeyField
from apps.corpus.api.record_fields import DetailsSerializer, ScopeField
from apps.corpus.api.records import ERRORS, StoredRecordSerializer, record_response
from apps.corpus.api.upload import FORM_OVERHEAD_BYTES
from apps.corpus.extraction import ExtractionError
from apps.corpus.services.ingest.errors import EmptyUploadError, UploadTooLargeError
from apps.corpus.services.records.profile import profile_upsert
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.parsers import StrictMultiPartParser
from apps.tenants.api.views import ApiView
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key

_SAMPLE: Final = """\
printf 'day,nav\\n2024-12-30,101.20\\n2024-12-31,101.90\\n' | \\
  curl "{base}/api/v1/records/warehouse/nav-daily/profile/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -F "file=@-;filename=nav.csv;type=text/csv" \\
  -F "scope=$SCOPE" \\
  -F "kind=dataset_summary\""""


class ProfileSerializer(DetailsSerializer):
    file = serializers.FileField(allow_empty_file=True, max_length=255, help_text="A CSV file. It is not stored.")
    scope = ScopeField()
    kind = KindKeyField(help_text="The key of a kind of your policy, which decides what may reach the profile.")
    header = serializers.ChoiceField(
        choices=[("yes", "YES"), ("no", "NO")],
        default="yes",
        help_text="Whether the first row has the names of the columns. The profile shows them.",
    )


class RecordProfileView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.DOCUMENT_ADD}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        **ERRORS,
        ExtractionError: "file",
        EmptyUploadError: "file",
        UploadTooLargeError: "file",
    }
    parser_classes = (StrictMultiPartParser,)
    body_limit_bytes = settings.GLASSBOX_MAX_UPLOAD_BYTES + FORM_OVERHEAD_BYTES

    @extend_schema(
        operation_id="put_data_profile",
        tags=["Records"],
        summary="Store the profile of a CSV file",
        description=(
            "Summarises a CSV file (columns, types, counts, missing and distinct values, quantiles of numbers and "
            "dates) and stores the summary as a record of the type `data_profile`, by the rules of `put_record`. The "
            "file is not stored; the profile has its SHA-256. Texts are never shown. Numbers and dates are shown for "
            "columns with at least 20 values, 10 of them distinct, unless the column may be about people or numbers "
            "things. If any column may be about people, the least and the greatest value of the others are left out, "
            "and quantiles beyond which fewer than five values lie."
        ),
        request={"multipart/form-data": ProfileSerializer},
        responses={
            202: OpenApiResponse(StoredRecordSerializer, description="Created or changed; being read."),
            200: OpenApiResponse(StoredRecordSerializer, description="Unchanged."),
        },
        extensions=sample(_SAMPLE),
    )
    @idempotent
    def post(self, request: Request, source: str, external_id: str) -> ActResponse:
        form = ProfileSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        said: dict[str, Any] = form.validated_data
        result = profile_upsert(
            content=said["file"].read(),
            filename=said["file"].name or "",
            source=source,
            external_id=external_id,
            scope_id=ScopeId(scope_by_key(said["scope"]).id),
            kind=said["kind"],
            header=said["header"] == "yes",
            metadata=said["metadata"],
        )
        return record_response(result)
