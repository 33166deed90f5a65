"""Scopes: the parts of the tenant, made and renamed. A scope's place stays, and none is closed: grants hang on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.directory_parts import JSON, KEY, reason_field, said
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet, text_filter
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import ScopeSerializer, StrictSerializer
from apps.tenants.api.views import ApiListView
from apps.tenants.errors import ScopeKeyError, ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key
from apps.tenants.services.tenants import scope_create, scope_rename

_BASE: Final = "{base}/api/v1/scopes/"
_TAG: Final = ["Scopes"]
_OF_KEY: Final[Mapping[type[Exception], str]] = {ScopeKeyError: "key"}


class ScopeFilter(FilterSet):
    parent = text_filter(
        max_length=127, method="right_below", help_text="A scope's key: only the scopes directly below it."
    )
    q = text_filter(max_length=200, field_name="name", lookup_expr="icontains", help_text="A part of the name.")

    class Meta:
        model = Scope
        fields: list[str] = []

    def right_below(self, queryset: QuerySet[Scope], name: str, value: str) -> QuerySet[Scope]:
        return queryset.filter(parent_id=scope_by_key(value).id)


class MakeScopeSerializer(StrictSerializer):
    key = serializers.CharField(
        max_length=127,
        help_text="type:name in lower case, such as fund:global-equity. Clients use it to name the scope.",
    )
    name = serializers.CharField(max_length=200, help_text="The name in documents, such as Global Equity.")

    def get_fields(self) -> dict[str, Any]:
        # `parent` is an attribute of every field, and can't be declared.
        above = serializers.CharField(
            max_length=127, help_text="The key of the scope above. Anybody who reaches it also reaches the new one."
        )
        return {**super().get_fields(), "parent": above}


class RenameScopeSerializer(StrictSerializer):
    key = serializers.CharField(max_length=127, required=False, help_text="Change clients that use the key too.")
    name = serializers.CharField(max_length=200, required=False)
    reason = reason_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs.keys() & {"key", "name"}:
            raise ValidationError({"name": ["Send a new name or a new key."]})
        return attrs


class ScopeListView(ApiListView[Scope]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": None, "POST": Permission.SCOPE_MANAGE}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {**_OF_KEY, ScopeNotGrantedError: "parent"}
    serializer_class = ScopeSerializer
    filterset_class = ScopeFilter
    ordering = ("key",)
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "key": ("key",),
        "-key": ("-key",),
        "name": ("name", "id"),
        "-created_at": ("-created_at", "-id"),
    }

    def get_queryset(self) -> QuerySet[Scope]:
        return _scopes()

    @extend_schema(
        operation_id="list_scopes",
        tags=_TAG,
        summary="List the scopes that you reach",
        description=(
            "Sorted by key unless `sort` says otherwise. A scope that is not listed does not exist for you, whether "
            "or not somebody else has it."
        ),
        extensions=sample(f'curl "{_BASE}" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="make_scope",
        tags=_TAG,
        summary="Make a scope",
        description=(
            "Adds a part of the tenant, such as a fund, below a scope that you reach. Everybody who reaches that "
            "scope, including you, reaches the new one from their next request on. A scope can't be moved or closed, "
            "because grants depend on it."
        ),
        request=MakeScopeSerializer,
        responses={201: ScopeSerializer},
        extensions=sample(
            f'curl "{_BASE}" {KEY} {JSON} \\\n'
            '  -d \'{"key": "fund:global-equity", "name": "Global Equity", "parent": "fund:alpha"}\''
        ),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        asked = said(MakeScopeSerializer, request)
        above = scope_by_key(asked["parent"])
        made = scope_create(key=asked["key"], name=asked["name"], parent=above)
        return ActResponse(
            dict(ScopeSerializer(made).data),
            status=201,
            subject_id=made.id,
            # Its own is not among the request's scopes yet.
            scope_ids=[ScopeId(above.id)],
            headers={"Location": f"/api/v1/scopes/{made.id}/"},
        )


class ScopeView(TaggedView):
    tagged = Scope
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": None, "PATCH": Permission.SCOPE_MANAGE}
    field_of_error = _OF_KEY

    @extend_schema(
        operation_id="get_scope",
        tags=_TAG,
        summary="Show a scope",
        description="Returns its key, its name and the key of the scope above.",
        responses=ScopeSerializer,
        extensions=sample(f'curl "{_BASE}$SCOPE_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(ScopeSerializer(_scope(id)).data)

    @extend_schema(
        operation_id="rename_scope",
        tags=_TAG,
        summary="Rename a scope",
        description=(
            "Documents, grants and the log refer to its id, and stay. The event of this change does not contain its "
            "names. The key of the tenant as a whole can't change (409)."
        ),
        request=RenameScopeSerializer,
        responses=ScopeSerializer,
        extensions=sample(
            f'curl -X PATCH "{_BASE}$SCOPE_ID/" {KEY} {JSON} \\\n'
            '  -d \'{"name": "Alpha Fund", "reason": "The fund was renamed."}\''
        ),
    )
    @idempotent
    def patch(self, request: Request, id: UUID) -> ActResponse:
        found = _scope(id)
        asked = {"key": found.key, "name": found.name, **said(RenameScopeSerializer, request)}
        scope_rename(ScopeId(id), **asked)
        return ActResponse(dict(ScopeSerializer(_scope(id)).data), status=200, subject_id=id, scope_ids=[ScopeId(id)])


def _scopes() -> QuerySet[Scope]:
    scopes: QuerySet[Scope] = Scope.objects.select_related("parent")
    return scopes


def _scope(id: UUID) -> Scope:
    """Raises: ScopeNotGrantedError, alike for one that is not there and one that is not yours."""
    found = _scopes().filter(id=id).first()
    if found is None:
        raise ScopeNotGrantedError(scope=id)
    return found
