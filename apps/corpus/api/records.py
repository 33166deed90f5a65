"""Structured records: taken in by the id that their source gives them, shown, and proposed for removal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.api.documents import document_json
from apps.corpus.api.record_fields import OUTCOMES, TYPES, ExactJsonParser, RecordFieldsSerializer, ScopeField
from apps.corpus.api.removals import RemovalSerializer, removal_json
from apps.corpus.api.serializers import DocumentSerializer
from apps.corpus.errors import RemovalReasonError
from apps.corpus.models import Document
from apps.corpus.services.ingest.errors import (
    InvalidRecordError,
    KindNotYoursError,
    RetiredKindError,
    UnknownKindError,
)
from apps.corpus.services.records.identity import record_document, record_lineage
from apps.corpus.services.records.remove import record_remove
from apps.corpus.services.records.upsert import Outcome, RecordResult, record_upsert
from apps.corpus.services.removals import REASONS
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer, require_no_fields
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key

ADDRESS: Final = "/api/v1/records/{source}/{external_id}/"
ERRORS: Final[Mapping[type[Exception], str]] = {
    ScopeNotGrantedError: "scope",
    UnknownKindError: "kind",
    RetiredKindError: "kind",
    KindNotYoursError: "kind",
    InvalidRecordError: "record",
}
_PUT = """\
curl -X PUT "{base}/api/v1/records/flows/liquidity-2024-12/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" -H "Content-Type: application/json" \\
  -d '{"scope": "'"$SCOPE"'", "kind": "run", "type": "workflow_output",
       "record": {"summary": "All limits were kept.", "limits": [{"name": "cash", "value": 5.00}]}}'"""


class RecordScopeSerializer(StrictSerializer):
    scope = ScopeField()


class RecordRemovalReasonSerializer(RecordScopeSerializer):
    reason = serializers.ChoiceField(
        choices=[(each.value, each.name) for each in REASONS],
        required=False,
        help_text="Why it is to be removed. Not needed for a record that is removed at once.",
    )


class PutRecordSerializer(RecordFieldsSerializer):
    scope = ScopeField()


class StoredRecordSerializer(serializers.Serializer[Any]):
    outcome = serializers.ChoiceField(
        choices=OUTCOMES, help_text="`unchanged`: it was stored as it is, and nothing was written."
    )
    document = DocumentSerializer()


class RecordPlaceSerializer(serializers.Serializer[Any]):
    pointer = serializers.CharField(help_text="The JSON pointer (RFC 6901) of a field.")
    page = serializers.IntegerField(help_text="From 1.")
    char_start = serializers.IntegerField(help_text="Within the page's text, in Unicode code points from 0.")
    char_end = serializers.IntegerField(help_text="Exclusive.")


class RecordSerializer(serializers.Serializer[Any]):
    """Has a field of the name `source`: the one in the address."""

    external_id = serializers.CharField()
    type = serializers.ChoiceField(choices=TYPES, allow_null=True, help_text="Null for a redacted version.")
    document = DocumentSerializer(help_text="The newest version.")
    places = RecordPlaceSerializer(many=True, help_text="Which characters of the document's pages show which field.")

    def get_fields(self) -> dict[str, Any]:
        return {"source": serializers.CharField(), **super().get_fields()}


class RecordRemovalsSerializer(serializers.Serializer[Any]):
    removals = RemovalSerializer(many=True, help_text="One for each version, the newest first.")


class RecordView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.DOCUMENT_VIEW,
        "PUT": Permission.DOCUMENT_ADD,
        "DELETE": Permission.DOCUMENT_DELETE,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {**ERRORS, RemovalReasonError: "reason"}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {
        "GET": RecordScopeSerializer,
        "DELETE": RecordRemovalReasonSerializer,
    }
    parser_classes = (ExactJsonParser,)

    @extend_schema(
        operation_id="get_record",
        tags=["Records"],
        summary="Show a record",
        description=(
            "Returns the newest version of the document that holds the record, and where its pages show which field. "
            "The record itself is the document's content: see `get_document_content`. The answer is the same for a "
            "record that is not there and for one that you may not see."
        ),
        parameters=[RecordScopeSerializer],
        responses=RecordSerializer,
        extensions=sample(
            'curl "{base}/api/v1/records/flows/$RECORD_ID/?scope=$SCOPE" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, source: str, external_id: str) -> Response:
        scope_id = ScopeId(scope_by_key(self.asked()["scope"]).id)
        document = record_document(scope_id, source, external_id)
        lineage = record_lineage(document)
        return Response(
            {
                "source": source,
                "external_id": external_id,
                "type": lineage.record.type.value if lineage else None,
                "document": document_json(document.id),
                "places": [
                    {
                        "pointer": place.pointer,
                        "page": place.page,
                        "char_start": place.start,
                        "char_end": place.end,
                    }
                    for place in (lineage.places if lineage else ())
                ],
            }
        )

    @extend_schema(
        operation_id="put_record",
        tags=["Records"],
        summary="Store a record, or change it",
        description=(
            "Stores the record under the id that its source gives it in this scope, as a document whose text is made "
            "of the record. The same record again changes nothing: the answer is 200 with the outcome `unchanged`, "
            "whatever the order of its keys. Another body, title or other detail makes the next version of the same "
            "document: 202, and the version takes over when its `job` has succeeded. Numbers are kept as they are "
            "written: 1.50 is another value than 1.5. Kind and type do not change: 409. The answer is 409, too, for a "
            "changed record whose removal is proposed; after it was removed, the record starts anew. A data profile "
            "is made by the product: see `put_data_profile`."
        ),
        request=PutRecordSerializer,
        responses={
            202: OpenApiResponse(StoredRecordSerializer, description="Created or changed; being read."),
            200: OpenApiResponse(StoredRecordSerializer, description="Unchanged."),
        },
        extensions=sample(_PUT),
    )
    @idempotent
    def put(self, request: Request, source: str, external_id: str) -> ActResponse:
        body = PutRecordSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        result = record_upsert(
            type=said["type"],
            source=source,
            external_id=external_id,
            body=said["record"],
            scope_id=ScopeId(scope_by_key(said["scope"]).id),
            kind=said["kind"],
            metadata=said["metadata"],
        )
        return record_response(result)

    @extend_schema(
        operation_id="delete_record",
        tags=["Records"],
        summary="Propose that a record is removed",
        description=(
            "Proposes the removal of each version of the record, as `delete_document` does: somebody else approves "
            "each at its address. All are proposed or none. Versions of your own that never were searchable are "
            "removed at once; if all were, the answer is 204."
        ),
        parameters=[RecordRemovalReasonSerializer],
        responses={
            202: OpenApiResponse(RecordRemovalsSerializer, description="Proposed; nothing is removed yet."),
            204: OpenApiResponse(description="Removed."),
        },
        extensions=sample(
            'curl -X DELETE "{base}/api/v1/records/flows/$RECORD_ID/?scope=$SCOPE&reason=duplicate" '
            '-H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    @idempotent
    def delete(self, request: Request, source: str, external_id: str) -> ActResponse:
        require_no_fields(request)
        scope_id = ScopeId(scope_by_key(self.asked()["scope"]).id)
        document: Document = record_document(scope_id, source, external_id)
        runs = record_remove(
            scope_id=scope_id, source=source, external_id=external_id, reason=self.asked().get("reason", "")
        )
        if not runs:
            return ActResponse(status=204, subject_id=document.id, scope_ids=[scope_id])
        told = {"removals": [removal_json(run.id) for run in runs]}
        return ActResponse(told, status=202, subject_id=runs[0].id, scope_ids=[scope_id])


def record_response(result: RecordResult) -> ActResponse:
    return ActResponse(
        outcome_json(result.outcome, result.document.id),
        status=200 if result.outcome is Outcome.UNCHANGED else 202,
        headers={"Location": f"/api/v1/documents/{result.document.id}/"},
        subject_id=result.document.id,
        scope_ids=[ScopeId(result.document.scope_id)],
    )


def outcome_json(outcome: Outcome, document_id: UUID) -> dict[str, Any]:
    return {"outcome": outcome.value, "document": document_json(document_id)}
