"""Documents: list, upload, show, delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.api.filters import DocumentFilter
from apps.corpus.api.serializers import DocumentSerializer
from apps.corpus.api.upload import FORM_OVERHEAD_BYTES, UploadSerializer, ingest_upload
from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.extraction import ExtractionError
from apps.corpus.models import Document
from apps.corpus.progress import progress_of_documents
from apps.corpus.services.documents import document_delete
from apps.corpus.services.ingest_errors import (
    EmptyUploadError,
    UnknownDocumentError,
    UnknownKindError,
    UploadTooLargeError,
)
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

_UPLOAD = """\
printf '# Liquidity policy\\n\\nRedemptions are paid within five business days.\\n' | curl "{base}/api/v1/documents/" \\
  -H "Authorization: Bearer $GLASSBOX_KEY" \\
  -H "Idempotency-Key: liquidity-policy-1" \\
  -F "file=@-;filename=liquidity-policy.md;type=text/markdown" \\
  -F "scope=$SCOPE" \\
  -F "kind=compliance_profile\""""


class DocumentListView(ApiListView[Document]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.DOCUMENT_VIEW,
        "POST": Permission.DOCUMENT_ADD,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        ScopeNotGrantedError: "scope",
        UnknownKindError: "kind",
        UnknownDocumentError: "replaces",
        EmptyUploadError: "file",
        UploadTooLargeError: "file",
        ExtractionError: "file",
    }
    parser_classes = (MultiPartParser,)
    serializer_class = DocumentSerializer
    filterset_class = DocumentFilter
    body_limit_bytes = settings.GLASSBOX_MAX_UPLOAD_BYTES + FORM_OVERHEAD_BYTES

    def get_queryset(self) -> QuerySet[Document]:
        documents: QuerySet[Document] = Document.objects.select_related("scope")
        return documents

    def page_context(self, page: Sequence[Document]) -> dict[str, Any]:
        return {"progress": progress_of_documents(document.id for document in page)}

    @extend_schema(
        operation_id="list_documents",
        tags=["Documents"],
        summary="List documents",
        description="Every version of every document in your scopes, newest first, with how far each has come.",
        extensions=sample(
            'curl "{base}/api/v1/documents/?kind=run&status=ready" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="upload_document",
        tags=["Documents"],
        summary="Upload a document",
        description=(
            "Stores the file and starts reading it; follow its `job` until it is `succeeded`. What is wrong with the "
            "form, or plainly with the file, is answered at once; what only reading can tell stands on the document "
            "later. The same bytes in the same scope and of the same kind are stored once: 200 with what is there."
        ),
        request={"multipart/form-data": UploadSerializer},
        responses={
            202: OpenApiResponse(DocumentSerializer, description="Stored; being read."),
            200: OpenApiResponse(DocumentSerializer, description="These bytes were there already."),
        },
        extensions=sample(_UPLOAD),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        form = UploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        result = ingest_upload(form.validated_data)
        return ActResponse(
            document_json(result.document.id),
            status=202 if result.created else 200,
            headers={"Location": f"/api/v1/documents/{result.document.id}/"},
            subject_id=result.document.id,
            scope_ids=[ScopeId(result.document.scope_id)],
        )


class DocumentView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.DOCUMENT_VIEW,
        "DELETE": Permission.DOCUMENT_DELETE,
    }

    @extend_schema(
        operation_id="get_document",
        tags=["Documents"],
        summary="Show a document",
        description="One version, with the progress of its job.",
        responses=DocumentSerializer,
        extensions=sample('curl "{base}/api/v1/documents/$DOCUMENT_ID/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(document_json(id))

    @extend_schema(
        operation_id="delete_document",
        tags=["Documents"],
        summary="Delete a document",
        description=(
            "Removes this version with its pages, passages, vectors and jobs, at once and for good. Other versions "
            "stay what they are: a superseded one does not become current again. The log keeps what it was by its "
            "digest, and who removed it. One that is under a legal hold is not removed: 409, with the hold's id."
        ),
        responses={204: OpenApiResponse(description="Gone.")},
        extensions=sample(
            'curl -X DELETE "{base}/api/v1/documents/$DOCUMENT_ID/" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    @idempotent
    def delete(self, request: Request, id: UUID) -> ActResponse:
        scope_id = visible_document(id).scope_id
        document_delete(document_id=id)
        return ActResponse(status=204, subject_id=id, scope_ids=[ScopeId(scope_id)])


def visible_document(document_id: UUID) -> Document:
    """Raises DocumentNotFoundError, alike for one that is not there and one that is not yours."""
    document: Document | None = Document.objects.select_related("scope").filter(id=document_id).first()
    if document is None:
        raise DocumentNotFoundError(document=document_id)
    return document


def document_json(document_id: UUID) -> dict[str, Any]:
    document = visible_document(document_id)
    context = {"progress": progress_of_documents([document_id])}
    return dict(DocumentSerializer(document, context=context).data)
