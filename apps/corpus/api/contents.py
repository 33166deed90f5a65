"""What a document holds: passages, pages, versions, and the original file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.api.documents import visible_document
from apps.corpus.api.filters import ChunkFilter, VersionFilter
from apps.corpus.api.serializers import ChunkSerializer, DocumentSerializer, PageSerializer
from apps.corpus.errors import PageNotFoundError
from apps.corpus.models import Chunk, Document, Page
from apps.corpus.progress import progress_of_documents
from apps.corpus.services.documents import document_export
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.media_types import ANY_BYTES, bytes_responses, preferred
from apps.tenants.api.pagination import CHANGES, ChangePages
from apps.tenants.api.ranges import wanted_bytes
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_VIEW: Mapping[str, Permission | None] = {"GET": Permission.DOCUMENT_VIEW}
# Formats that a browser can't be made to run as a page of this site. Any other comes as bytes that nobody interprets.
_INERT_MEDIA_TYPES = (
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/json",
    "text/csv",
    "text/markdown",
    "text/plain",
    "text/vnd.glassbox.rendition",
    "application/vnd.glassbox.record+json",
)


class ChunkListView(ApiListView[Chunk]):
    required_permissions = _VIEW
    queryset = Chunk._base_manager.none()
    serializer_class = ChunkSerializer
    filterset_class = ChunkFilter
    ordering = ("number", "id")

    def get_queryset(self) -> QuerySet[Chunk]:
        chunks: QuerySet[Chunk] = Chunk.objects.filter(document=visible_document(self.kwargs["id"]))
        # Unless parents are asked for, what is searched and cited.
        return chunks if "parents" in self.request.query_params else chunks.filter(is_parent=False)

    @extend_schema(
        operation_id="list_document_chunks",
        tags=["Documents"],
        summary="List a document's passages",
        description=(
            "Returns the passages that are searched and cited, in the document's order, with page and character span."
        ),
        extensions=sample(
            'curl "{base}/api/v1/documents/$DOCUMENT_ID/chunks/" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class PageView(ApiView):
    required_permissions = _VIEW

    @extend_schema(
        operation_id="get_document_page",
        tags=["Documents"],
        summary="Show a page's text",
        description="`text[char_start:char_end]` of a citation is its quote, counted in Unicode code points.",
        responses=PageSerializer,
        extensions=sample(
            'curl "{base}/api/v1/documents/$DOCUMENT_ID/pages/1/" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, id: UUID, number: int) -> Response:
        document = visible_document(id)
        page = Page.objects.filter(document=document, number=number).first()
        if page is None:
            raise PageNotFoundError(document=id, page=number, pages=document.page_count)
        return Response(PageSerializer(page).data)


class VersionListView(ApiListView[Document]):
    required_permissions = _VIEW
    queryset = Document._base_manager.none()
    serializer_class = DocumentSerializer
    filterset_class = VersionFilter
    pagination_class = ChangePages
    ordering = ("-version", "-id")

    def get_queryset(self) -> QuerySet[Document]:
        series_id = visible_document(self.kwargs["id"]).series_id
        versions: QuerySet[Document] = Document.objects.filter(series_id=series_id).select_related("scope")
        return versions

    def page_context(self, page: Sequence[Document]) -> dict[str, Any]:
        return {"progress": progress_of_documents(document.id for document in page)}

    @extend_schema(
        operation_id="list_document_versions",
        tags=["Documents"],
        summary="List a document's versions",
        description=f"Returns all versions of the series that this one belongs to, newest first.\n\n{CHANGES}",
        extensions=sample(
            'curl "{base}/api/v1/documents/$DOCUMENT_ID/versions/" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class ContentView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    # Generated clients read an answer as the first that they understand.
    media_types = (ANY_BYTES, *_INERT_MEDIA_TYPES)

    @extend_schema(
        operation_id="download_document",
        tags=["Documents"],
        summary="Download the original",
        description=(
            "Returns the bytes as they were uploaded, always as an attachment. Each download is recorded, "
            "with who made it. The type is the document's `media_type`, or application/octet-stream if you ask for "
            "that or if a browser might run it. To continue an interrupted download, send one `Range: bytes=...`, and "
            "`If-Range` with the `ETag` of the part that you have."
        ),
        parameters=[
            OpenApiParameter(
                "Range",
                {"type": "string", "minLength": 1, "maxLength": 200},
                location=OpenApiParameter.HEADER,
                description=(
                    "One range of bytes, such as `bytes=1000-` or `bytes=-500`. If you send several, the answer "
                    "is the whole file."
                ),
            ),
            OpenApiParameter(
                "If-Range",
                {"type": "string", "minLength": 1, "maxLength": 200},
                location=OpenApiParameter.HEADER,
                description=(
                    "The ETag of the part that you have. If it no longer matches, the answer is the whole file."
                ),
            ),
        ],
        responses={
            **bytes_responses(*media_types, description="The file."),
            **bytes_responses(*media_types, description="The bytes that Range names.", status=206),
        },
        extensions={
            **sample(
                'curl -OJ "{base}/api/v1/documents/$DOCUMENT_ID/content/" -H "Authorization: Bearer $GLASSBOX_KEY"'
            ),
            PROBLEMS_EXTENSION: ["RangeNotSatisfiable"],
        },
    )
    def get(self, request: Request, id: UUID) -> HttpResponseBase:
        document = visible_document(id)
        # Before anything is handed out and recorded.
        media_type = preferred(request, _offered(document.media_type))
        etag = f'"{document.content_sha256}"'
        span = wanted_bytes(request, size_bytes=document.byte_size, etag=etag)
        # HEAD hands nothing out, so it reads and records nothing.
        parts = iter(()) if request.method == "HEAD" else document_export(document, span)
        response = StreamingHttpResponse(parts, content_type=media_type, status=200 if span is None else 206)
        response["Content-Length"] = str(document.byte_size if span is None else len(span))
        if span is not None:
            response["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{document.byte_size}"
        response["Accept-Ranges"] = "bytes"
        response["ETag"] = etag
        response["Content-Disposition"] = content_disposition_header(True, document.filename) or "attachment"
        response["Content-Security-Policy"] = "sandbox; default-src 'none'"
        response["X-Content-Type-Options"] = "nosniff"
        response["Repr-Digest"] = f"sha-256=:{b64encode(bytes.fromhex(document.content_sha256)).decode()}:"
        return response


def _offered(media_type: str) -> tuple[str, ...]:
    return (media_type, ANY_BYTES) if media_type in _INERT_MEDIA_TYPES else (ANY_BYTES,)
