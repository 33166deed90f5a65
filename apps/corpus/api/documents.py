"""Documents: list, upload, show, correct, propose to remove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.api.correction import CorrectionSerializer, correct
from apps.corpus.api.filters import DocumentFilter
from apps.corpus.api.removals import RemovalSerializer, removal_json
from apps.corpus.api.serializers import DocumentSerializer
from apps.corpus.api.upload import FORM_OVERHEAD_BYTES, UploadSerializer, ingest_upload
from apps.corpus.errors import DocumentNotFoundError, RemovalReasonError
from apps.corpus.extraction import ExtractionError
from apps.corpus.models import Document
from apps.corpus.progress import progress_of_documents
from apps.corpus.services.ingest.errors import (
    EmptyUploadError,
    ExternalIdTakenError,
    KindNotYoursError,
    RetiredKindError,
    UnknownDocumentError,
    UnknownKindError,
    UploadTooLargeError,
)
from apps.corpus.services.removals import REASONS, document_remove
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.pagination import CHANGES, ChangePages
from apps.tenants.api.parsers import StrictMultiPartParser
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import StrictSerializer, require_no_fields
from apps.tenants.api.views import ApiListView
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
        RetiredKindError: "kind",
        KindNotYoursError: "kind",
        UnknownDocumentError: "replaces",
        EmptyUploadError: "file",
        UploadTooLargeError: "file",
        ExtractionError: "file",
    }
    parser_classes = (StrictMultiPartParser,)
    serializer_class = DocumentSerializer
    filterset_class = DocumentFilter
    pagination_class = ChangePages
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "-created_at": ("-created_at", "-id"),
        "created_at": ("created_at", "id"),
        "title": ("title", "id"),
        "-title": ("-title", "-id"),
    }
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
        description=(
            "Returns every version of every document in your scopes, newest first unless `sort` says otherwise, "
            f"with the progress of each.\n\n{CHANGES} Removed documents are in no list of documents. If you may "
            "read the log, you find them there: an upload that was taken back under "
            "`/api/v1/audit/events/?action=corpus.document.deleted&since=...`, a document that was removed after "
            "a proposal under `/api/v1/removals/?state=completed`, by `document_id`. A document that was removed "
            "for an erasure request is named nowhere. A document that is restricted, or in a scope that you lost, "
            "leaves the lists without being reported as a change, and may return with an old `updated_at`. So "
            "compare the ids of the whole list from time to time, and drop what is not in it."
        ),
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
            "Stores the file and starts reading it; follow its `job` until it is `succeeded`. Errors in the form are "
            "reported at once, and so is a file that needs a password, is cut off or damaged, or has no pages; errors "
            "that only reading can find are shown on the document later. The same bytes in the same scope and of the "
            "same kind are stored once: the answer is 200 with the stored document, or 409 if you send details that "
            "differ from its own."
        ),
        request={"multipart/form-data": UploadSerializer},
        responses={
            202: OpenApiResponse(DocumentSerializer, description="Stored; being read."),
            200: OpenApiResponse(DocumentSerializer, description="These bytes were already stored."),
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


class RemovalReasonSerializer(StrictSerializer):
    reason = serializers.ChoiceField(
        choices=[(each.value, each.name) for each in REASONS],
        required=False,
        help_text="Why it is to be removed. Not needed for a document that is removed at once.",
    )


class DocumentView(TaggedView):
    tagged = Document
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.DOCUMENT_VIEW,
        "PATCH": Permission.DOCUMENT_ADD,
        "DELETE": Permission.DOCUMENT_DELETE,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        RemovalReasonError: "reason",
        ExternalIdTakenError: "external_id",
        UnknownKindError: "kind",
        RetiredKindError: "kind",
    }

    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"DELETE": RemovalReasonSerializer}

    @extend_schema(
        operation_id="get_document",
        tags=["Documents"],
        summary="Show a document",
        description="Returns one version, with the progress of its job.",
        responses=DocumentSerializer,
        extensions=sample('curl "{base}/api/v1/documents/$DOCUMENT_ID/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(document_json(id))

    @extend_schema(
        operation_id="correct_document",
        tags=["Documents"],
        summary="Correct what is known about a document",
        description=(
            "Send the fields that are wrong, with the right values; omitted fields do not change. Null, the empty "
            "text or the empty list clears a field, and reading the file does not fill it in again. A searchable "
            "version is kept as it is: the answer is 202 with the next version, of the same bytes, which is read "
            "with your values and replaces the current one when it is ready. Until then, and for questions as of "
            "an earlier date, the current version answers. A document that was never searchable is corrected in "
            "place, and one that already has these values is not touched: the answer is 200. `move_document` "
            "changes the scope, which decides who can read the document. The answer is 409 if a newer version is in "
            "force or on its way, if the document is to be removed, or if another document of the scope has the "
            "`external_id`; it is 403 with `corpus.kind_not_yours` if the policy lets other roles correct this kind or "
            "the new one. A document under a legal hold is hidden: 404."
        ),
        request=CorrectionSerializer,
        responses={
            200: OpenApiResponse(DocumentSerializer, description="Corrected in place, or already correct."),
            202: OpenApiResponse(DocumentSerializer, description="The next version, which is being read."),
        },
        extensions=sample(
            'curl -X PATCH "{base}/api/v1/documents/$DOCUMENT_ID/" -H "Authorization: Bearer $GLASSBOX_KEY" '
            '-H "Content-Type: application/json" \\\n  -d \'{"company": "Acme", "fiscal_year": 2024}\''
        ),
    )
    @idempotent
    def patch(self, request: Request, id: UUID) -> ActResponse:
        visible_document(id)
        body = CorrectionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        made = correct(id, body.validated_data)
        return ActResponse(
            document_json(made.id),
            status=200 if made.id == id else 202,
            headers={"Location": f"/api/v1/documents/{made.id}/"},
            subject_id=made.id,
            scope_ids=[ScopeId(made.scope_id)],
        )

    @extend_schema(
        operation_id="delete_document",
        tags=["Documents"],
        summary="Propose that a document is removed",
        description=(
            "Nobody can remove a document alone: the answer is 202 with the proposal, and somebody else approves "
            "it at its address. Then this version is removed for good with its pages, passages, vectors and jobs; "
            "other versions do not change. This needs a person (a session, or a key that acts for you) and a "
            "reason. The answer is 409 if something keeps the document: a legal hold, an open request, an "
            "existing proposal, or, if the reason is that it is no longer needed, a retention rule; it is 403 with "
            "`corpus.kind_not_yours` if the policy lets other roles propose the removal of this kind. Your own upload "
            "that was never searchable is removed at once: 204."
        ),
        parameters=[RemovalReasonSerializer],
        responses={
            202: OpenApiResponse(RemovalSerializer, description="Proposed; nothing is removed yet."),
            204: OpenApiResponse(description="Removed."),
        },
        extensions=sample(
            'curl -X DELETE "{base}/api/v1/documents/$DOCUMENT_ID/?reason=duplicate" '
            '-H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    @idempotent
    def delete(self, request: Request, id: UUID) -> ActResponse:
        scopes = [ScopeId(visible_document(id).scope_id)]
        require_no_fields(request)
        run = document_remove(document_id=id, reason=self.asked().get("reason", ""))
        if run is None:
            return ActResponse(status=204, subject_id=id, scope_ids=scopes)
        headers = {"Location": f"/api/v1/removals/{run.id}/"}
        return ActResponse(removal_json(run.id), status=202, subject_id=run.id, scope_ids=scopes, headers=headers)


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
