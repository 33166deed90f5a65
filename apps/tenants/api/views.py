"""The base of every view of the API: what all of them owe to a client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.tenants.api.deprecation import Deprecated, headers_of
from apps.tenants.api.errors import RequestRefusedError
from apps.tenants.api.filtering import SeveralFilter
from apps.tenants.api.forms import NO_UTF_8, form_problems, undecodable
from apps.tenants.api.media_types import bytes_as
from apps.tenants.api.pagination import CursorPages
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import opens_own_scopes

if TYPE_CHECKING:
    from rest_framework.views import AsView, GenericView

ModelT = TypeVar("ModelT", bound=Model)
JSON_BODY_LIMIT_BYTES = 1024 * 1024


class ApiView(APIView):
    """One address of the API.

    required_permissions: by HTTP method; see HasTenantPermission.
    parameters: what the address takes in its query, by HTTP method; `asked` reads it. Any other is refused: a misspelt
        filter would otherwise show everything and look as if it had worked. What forms.py says holds for all.
    flags: parameters that stand without a value.
    media_types: what it answers with beside problems, where that is not JSON.
    field_of_error: which field of the request an ApplicationError complains about.
    field_of_code: the same by its code, for an error that shares its class with others.
    opens_own_scopes: for a view that waits for something else; see short_scopes.py.
    deprecated, deprecated_parameters: by HTTP method, and by name: see deprecation.py.
    """

    required_permissions: ClassVar[Mapping[str, Permission | None]] = {}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {}
    flags: ClassVar[frozenset[str]] = frozenset()
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {}
    field_of_code: ClassVar[Mapping[str, str]] = {}
    media_types: ClassVar[tuple[str, ...]] = ()
    deprecated: ClassVar[Mapping[str, Deprecated]] = {}
    deprecated_parameters: ClassVar[Mapping[str, Deprecated]] = {}
    opens_own_scopes: ClassVar[bool] = False
    body_limit_bytes: int = JSON_BODY_LIMIT_BYTES
    # The event of the question that this request sends again with its Idempotency-Key.
    repeats: UUID | None = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> AsView[GenericView]:
        view = super().as_view(**initkwargs)
        return opens_own_scopes(view) if cls.opens_own_scopes else view

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
        headers = {**super().default_response_headers, "Cache-Control": "no-store"}
        return {**headers, "Vary": "Accept"} if len(self.media_types) > 1 else headers

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
            raise RequestRefusedError("api.body_too_large", limit_bytes=self.body_limit_bytes)
        self._check_parameters(request)

    def _check_parameters(self, request: Request) -> None:
        known = self.known_parameters()
        hint = f"Known: {', '.join(sorted(known))}." if known else "This address takes none."
        problems = {
            **form_problems(request.query_params, lists=self.repeatable_parameters(), flags=self.flags),
            **{name: [NO_UTF_8] for name in undecodable(request.META.get("QUERY_STRING", ""))},
            **{name: [f"Unknown parameter. {hint}"] for name in sorted(set(request.query_params) - known)},
        }
        if problems:
            raise ValidationError(problems)
        if self.parameters:
            read = self._parameters()(data=request.query_params)
            read.is_valid(raise_exception=True)
            self._asked = dict(read.validated_data)

    def require_unchanged(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Called before a write is carried out, and not before one is only answered again: see TaggedView."""

    def asked(self) -> dict[str, Any]:
        """The query parameters, as the method's serializer has read them."""
        return self._asked

    def known_parameters(self) -> frozenset[str]:
        return frozenset(self._parameters()().fields) | self.flags

    def repeatable_parameters(self) -> frozenset[str]:
        return self._parameters()().lists()

    def _parameters(self) -> type[StrictSerializer]:
        method = "GET" if self.request.method == "HEAD" else str(self.request.method)
        return self.parameters.get(method, StrictSerializer)

    def get_renderers(self) -> list[BaseRenderer]:
        if self.media_types:
            return [bytes_as(media_type)() for media_type in self.media_types]
        return super().get_renderers()

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        finished = super().finalize_response(request, response, *args, **kwargs)
        if getattr(finished, "exception", False):
            # A problem is JSON, also on a page that is otherwise HTML.
            finished.accepted_renderer = JSONRenderer()
        for name, value in headers_of(self._told_of(request)).items():
            finished[name] = value
        return finished

    def _told_of(self, request: Request) -> list[Deprecated]:
        method = "GET" if request.method == "HEAD" else str(request.method)
        of_parameters = (each for name, each in self.deprecated_parameters.items() if name in request.query_params)
        return [*of_parameters, *([self.deprecated[method]] if method in self.deprecated else [])]


class ApiListView(ApiView, ListModelMixin, GenericAPIView[ModelT]):
    """A list in pages; `ordering` begins with a field that is (nearly) unique and never changes.

    sorts: other orders to be had with `sort`, by name; none unless declared.
    """

    pagination_class = CursorPages
    ordering: ClassVar[tuple[str, ...]] = ("-created_at", "-id")
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        queryset: QuerySet[ModelT] = self.filter_queryset(self.get_queryset())
        page = self.paginate_queryset(queryset) or []
        context = {**self.get_serializer_context(), **self.page_context(page)}
        return self.get_paginated_response(self.get_serializer(page, many=True, context=context).data)

    def page_context(self, page: Sequence[ModelT]) -> dict[str, Any]:
        """What the serializer needs beside the rows, read for the whole page at once."""
        return {}

    def known_parameters(self) -> frozenset[str]:
        if self.request.method not in ("GET", "HEAD"):
            return super().known_parameters()
        paging = {"cursor", "page_size"} | ({"sort"} if self.sorts else set())
        return super().known_parameters() | frozenset(self._filters()) | paging

    def repeatable_parameters(self) -> frozenset[str]:
        several = {name for name, each in self._filters().items() if isinstance(each, SeveralFilter)}
        return super().repeatable_parameters() | several

    def _filters(self) -> Mapping[str, Any]:
        filterset: Any = getattr(self, "filterset_class", None)
        return filterset.base_filters if filterset else {}
