"""Moving a document to another scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.corpus.api.documents import document_json, visible_document
from apps.corpus.api.removals import RemovalSerializer, removal_json
from apps.corpus.api.serializers import DocumentSerializer
from apps.corpus.services.move import document_move
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key


class MoveSerializer(StrictSerializer):
    scope = serializers.CharField(max_length=127, help_text="The key of one of your scopes; see GET /api/v1/scopes/.")
    words = serializers.CharField(
        max_length=1000,
        required=False,
        help_text="Why it belongs there, for whoever decides on the removal; the log keeps it. Name nobody.",
    )


class MovedSerializer(serializers.Serializer[Any]):
    document = DocumentSerializer(help_text="The document in the other scope, which is being read.")
    removals = RemovalSerializer(
        many=True,
        help_text="One for each version in the present scope, the newest first; none if it was moved at once.",
    )


class DocumentMoveView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.DOCUMENT_DELETE}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scope"}

    @extend_schema(
        operation_id="move_document",
        tags=["Documents"],
        summary="Move a document to another scope",
        description=(
            "Files the document and its earlier versions in the other scope, with kinds and details, and proposes to "
            "remove them from the present one: the answer is 202 with both. Nobody takes a document from its readers "
            "alone: somebody else approves each removal at its address, and until then both copies answer. The copy "
            "has an id of its own, and questions as of an earlier date do not find it. Your own upload that was never "
            "searchable is moved at once. If the other scope holds the same bytes as the same kind, that document is "
            "the answer, unchanged. You must be allowed to upload documents of this kind and to propose their "
            "removal, and this needs a person (a session, or a key that acts for you). The answer is 200 if the "
            "document is in that scope already; it is 409 if something keeps it, it is not the current version, it is "
            "a record, it is past its latest date, something of it is restricted, one of the scopes or the same file "
            "there is to be removed, the erasure of one of the scopes is requested, or the other "
            "scope has its `external_id`."
        ),
        request=MoveSerializer,
        responses={
            200: OpenApiResponse(MovedSerializer, description="It is in that scope already."),
            202: OpenApiResponse(MovedSerializer, description="Filed there; its removal here is proposed."),
        },
        extensions=sample(
            'curl "{base}/api/v1/documents/$DOCUMENT_ID/move/" -H "Authorization: Bearer $GLASSBOX_KEY" '
            '-H "Content-Type: application/json" \\\n'
            '  -d \'{"scope": "\'"$OTHER_SCOPE"\'", "words": "Filed in the wrong fund."}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        here = ScopeId(visible_document(id).scope_id)
        body = MoveSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        there = ScopeId(scope_by_key(said["scope"]).id)
        moved = document_move(document_id=id, scope_id=there, words=said.get("words", ""))
        told = {
            "document": document_json(moved.made.id),
            "removals": [removal_json(run.id) for run in moved.removals],
        }
        return ActResponse(
            told,
            status=200 if moved.made.id == id else 202,
            headers={"Location": f"/api/v1/documents/{moved.made.id}/"},
            subject_id=moved.made.id,
            scope_ids=sorted({here, there}),
        )
