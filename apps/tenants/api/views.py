"""The base of every view of the API: what all of them owe to a client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.tenants.api.errors import BodyTooLargeError
from apps.tenants.api.pagination import CursorPages
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission

ModelT = TypeVar("ModelT", bound=Model)
JSON_BODY_LIMIT_BYTES = 1024 * 1024


class ApiView(APIView):
    """One address of the API.

    required_permissions: by HTTP method; see HasTenantPermission.
    query_parameters: those that the address knows. Any other is refused: a misspelt filter would otherwise show
        everything and look as if it had worked.
    field_of_error: which field of the request an ApplicationError complains about.
    """

    required_permissions: ClassVar[Mapping[str, Permission | None]] = {}
    query_parameters: ClassVar[frozenset[str]] = frozenset()
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {}
    body_limit_bytes: int = JSON_BODY_LIMIT_BYTES

    @property
    def principal(self) -> Principal:
        """Who asks. Only for views that require a principal."""
        principal = self.request.user
        if not isinstance(principal, Principal):
            raise TypeError("this view answers nobody; its permissions are declared wrongly")
        return principal

    @property
    def default_response_headers(self) -> dict[str, str]:
        # Answers are of one principal at one time: no cache between may keep them.
        return {**super().default_response_headers, "Cache-Control": "no-store"}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # Half of the messages are DRF's, which speaks the client's language, and half are ours: keep to one.
        with translation.override("en"):
            return super().dispatch(request, *args, **kwargs)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        # Whatever the Content-Type says: Python takes charset=bz2_codec for an encoding, and would unpack the body.
        request.encoding = "utf-8"
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # Before anything reads the body. A body without a length is not read at all.
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isascii() and length.isdigit() and int(length) > self.body_limit_bytes:
            raise BodyTooLargeError(limit_bytes=self.body_limit_bytes)
        known = self.known_parameters()
        unknown = sorted(set(request.query_params) - known)
        if unknown:
            hint = f"Known: {', '.join(sorted(known))}." if known else "This address takes none."
            raise ValidationError({name: [f"Unknown parameter. {hint}"] for name in unknown})

    def known_parameters(self) -> frozenset[str]:
        return self.query_parameters

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        finished = super().finalize_response(request, response, *args, **kwargs)
        if getattr(finished, "exception", False):
            # A problem is JSON, also on a page that is otherwise HTML.
            finished.accepted_renderer = JSONRenderer()
        return finished


class ApiListView(ApiView, ListModelMixin, GenericAPIView[ModelT]):
    """A list in pages; `ordering` begins with a field that is (nearly) unique and never changes."""

    pagination_class = CursorPages
    ordering: ClassVar[tuple[str, ...]] = ("-created_at", "-id")

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        queryset: QuerySet[ModelT] = self.filter_queryset(self.get_queryset())
        page = self.paginate_queryset(queryset) or []
        context = {**self.get_serializer_context(), **self.page_context(page)}
        return self.get_paginated_response(self.get_serializer(page, many=True, context=context).data)

    def page_context(self, page: Sequence[ModelT]) -> dict[str, Any]:
        """What the serializer needs beside the rows, read for the whole page at once."""
        return {}

    def known_parameters(self) -> frozenset[str]:
        filterset: Any = getattr(self, "filterset_class", None)
        filters = frozenset(filterset.base_filters) if filterset else frozenset()
        return filters | {"cursor", "page_size"} | self.query_parameters
