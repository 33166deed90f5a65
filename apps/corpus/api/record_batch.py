"""Several records in one request: each is stored or refused by itself, in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.corpus.api.documents import document_json
from apps.corpus.api.record_fields import OUTCOMES, ExactJsonParser, RecordFieldsSerializer, ScopeField
from apps.corpus.api.serializers import DocumentSerializer, FailureSerializer
from apps.corpus.services.ingest.errors import InvalidRecordError, RecordTwiceError
from apps.corpus.services.records.upsert import Outcome, RecordResult, record_upsert
from apps.errors import ApplicationError
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key

_MAX_RECORDS: Final = 100
_BODY_LIMIT_BYTES: Final = 16 * 1024 * 1024
_NOBODY: Final = UUID(int=0)
_SAMPLE: Final = """\
curl "{base}/api/v1/records/batch/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" -H "Content-Type: application/json" \\
  -d '{"scope": "'"$SCOPE"'", "records": [
       {"source": "flows", "external_id": "nav-1", "kind": "run", "type": "workflow_output",
        "record": {"nav": 101.20}},
       {"source": "flows", "external_id": "nav-2", "kind": "run", "type": "workflow_output",
        "record": {"nav": 99.80}}]}'"""


class NamedRecordSerializer(RecordFieldsSerializer):
    external_id = serializers.CharField(help_text="The id that its source gives it.")

    def get_fields(self) -> dict[str, Any]:
        return {"source": serializers.CharField(help_text="The system that it comes from."), **super().get_fields()}


class RecordBatchSerializer(StrictSerializer):
    scope = ScopeField()
    records = serializers.ListField(
        child=serializers.JSONField(),
        min_length=1,
        max_length=_MAX_RECORDS,
        help_text="Each has the fields of `put_record`, but for the scope, with `source` and `external_id`.",
    )


class BatchOutcomeSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField(help_text="In `records`, from 0.")
    outcome = serializers.ChoiceField(choices=[*OUTCOMES, ("refused", "REFUSED")])
    document = DocumentSerializer(allow_null=True)
    error = FailureSerializer(allow_null=True)


class RecordBatchOutcomeSerializer(serializers.Serializer[Any]):
    records = BatchOutcomeSerializer(many=True)


class RecordBatchView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.DOCUMENT_ADD}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scope"}
    parser_classes = (ExactJsonParser,)
    body_limit_bytes = _BODY_LIMIT_BYTES

    @extend_schema(
        operation_id="put_records",
        tags=["Records"],
        summary="Store several records",
        description=(
            f"Up to {_MAX_RECORDS} records of one scope in one request, each by the rules of `put_record`. Each is "
            "stored or refused separately, and `records` says which, in the order of the request. A record that "
            "stands twice is refused both times: it is unclear which is meant. The status is 200 if nothing new was "
            "stored. JSON that can't be read refuses the whole request."
        ),
        request=RecordBatchSerializer,
        responses={
            202: OpenApiResponse(RecordBatchOutcomeSerializer, description="At least one is being read."),
            200: OpenApiResponse(RecordBatchOutcomeSerializer, description="Nothing new was stored."),
        },
        extensions=sample(_SAMPLE),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        body = RecordBatchSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        scope_id = ScopeId(scope_by_key(body.validated_data["scope"]).id)
        sent: list[Any] = body.validated_data["records"]
        named = [_name(each) for each in sent]
        twice = {name for name, count in Counter(named).items() if name is not None and count > 1}
        results: dict[int, RecordResult | tuple[str, str]] = {}
        # In the order of their names: two requests with the same records then wait for each other and no more.
        for position in sorted(range(len(sent)), key=lambda place: (named[place] or ("", ""), place)):
            if named[position] in twice:
                twice_error = RecordTwiceError()
                results[position] = twice_error.code, twice_error.detail
            else:
                results[position] = _stored(sent[position], scope_id)
        made = [each for each in results.values() if isinstance(each, RecordResult)]
        return ActResponse(
            {"records": [_told(position, result) for position, result in sorted(results.items())]},
            status=202 if any(each.outcome is not Outcome.UNCHANGED for each in made) else 200,
            subject_id=made[0].document.id if made else _NOBODY,
            scope_ids=[scope_id],
        )


def _name(sent: Any) -> tuple[str, str] | None:
    if not isinstance(sent, Mapping):
        return None
    name = sent.get("source"), sent.get("external_id")
    return (name[0], name[1]) if isinstance(name[0], str) and isinstance(name[1], str) else None


def _stored(sent: Any, scope_id: ScopeId) -> RecordResult | tuple[str, str]:
    """Return what became of one record, or the code and the words of what is wrong with it."""
    fields = NamedRecordSerializer(data=sent)
    if not fields.is_valid():
        return InvalidRecordError.code, " ".join(_said(fields.errors, ()))
    said = fields.validated_data
    try:
        with transaction.atomic():
            return record_upsert(
                type=said["type"],
                source=said["source"],
                external_id=said["external_id"],
                body=said["record"],
                scope_id=scope_id,
                kind=said["kind"],
                metadata=said["metadata"],
            )
    except ApplicationError as error:
        return error.code, error.detail
    except ValidationError as error:
        return InvalidRecordError.code, " ".join(error.messages)


def _said(errors: Any, path: tuple[str, ...]) -> list[str]:
    if isinstance(errors, Mapping):
        return [said for name, inner in errors.items() for said in _said(inner, (*path, str(name)))]
    place = ".".join(part for part in path if part != "non_field_errors")
    return [f"{place}: {each}" if place else str(each) for each in errors]


def _told(position: int, result: RecordResult | tuple[str, str]) -> dict[str, Any]:
    if isinstance(result, RecordResult):
        return {
            "position": position,
            "outcome": result.outcome.value,
            "document": document_json(result.document.id),
            "error": None,
        }
    code, detail = result
    return {"position": position, "outcome": "refused", "document": None, "error": {"code": code, "detail": detail}}
