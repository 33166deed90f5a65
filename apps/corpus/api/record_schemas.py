"""The schema of each type of record, by which an upsert checks its body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.api.record_fields import TYPES
from apps.corpus.extraction.record_schemas import SCHEMAS
from apps.tenants.api.examples import sample
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission


class RecordSchemaSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=TYPES)
    schema = serializers.DictField(help_text="A JSON Schema (2020-12) of the record's body.")


class RecordSchemasSerializer(serializers.Serializer[Any]):
    schemas = RecordSchemaSerializer(many=True)


class RecordSchemasView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.DOCUMENT_VIEW}

    @extend_schema(
        operation_id="list_record_schemas",
        tags=["Records"],
        summary="List the schemas of records",
        description=(
            "Returns the JSON Schema of the body of each type of record. `put_record`, a batch and a watched folder "
            "check by it, and name the JSON pointer of what is wrong. Fields that a schema does not name are allowed "
            "wherever it does not say otherwise: anywhere in a workflow's output, and beside the named fields of the "
            "others and of their entries, rules and limits."
        ),
        responses=RecordSchemasSerializer,
        extensions=sample('curl "{base}/api/v1/records/schemas/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request) -> Response:
        return Response({"schemas": [{"type": type.value, "schema": schema} for type, schema in SCHEMAS.items()]})
