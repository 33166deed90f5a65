"""API keys: made and rotated by who is signed in, renamed and revoked. The secret is told once, and never kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.directory_parts import (
    BY_SESSION,
    IN_PERSON,
    JSON,
    KEY,
    NOT_BY_PERSONAL_KEYS,
    SESSION,
    said,
    scopes_named,
    scopes_told,
)
from apps.tenants.api.examples import sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.key_serializers import (
    KeyFilter,
    KeySerializer,
    KeyStandingSerializer,
    MadeKeySerializer,
    MakeKeySerializer,
    RenameKeySerializer,
    RotateKeySerializer,
)
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.errors import ApiKeyError, ScopeNotGrantedError
from apps.tenants.models import ApiKey
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.keys import KeyState, key, key_state, keys
from apps.tenants.services.api_keys import api_key_create, api_key_rename, api_key_revoke, api_key_rotate

_BASE: Final = "{base}/api/v1/keys/"
_TAG: Final = ["Keys"]
_MANAGE: Mapping[str, Permission | None] = {"POST": Permission.KEY_MANAGE}
_ONCE: Final = (
    "The answer contains the key itself in `secret`, only this once: only its digest is kept. If you "
    "repeat the request with the same Idempotency-Key, no second key is made and `secret` is null. If "
    "you lost the first answer, revoke the key and make another."
)


class KeyListView(ApiListView[ApiKey]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.KEY_MANAGE,
        "POST": Permission.KEY_MANAGE,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scopes"}
    serializer_class = KeySerializer
    filterset_class = KeyFilter
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "-created_at": ("-created_at", "-id"),
        "created_at": ("created_at", "id"),
        "name": ("name", "id"),
        "-name": ("-name", "-id"),
    }

    def get_queryset(self) -> QuerySet[ApiKey]:
        return keys()

    @extend_schema(
        operation_id="list_keys",
        tags=_TAG,
        summary="List API keys",
        description=(
            "Returns the tenant's keys and those that act for its members, newest first unless `sort` "
            f"says otherwise. Ended keys are included. {NOT_BY_PERSONAL_KEYS}"
        ),
        extensions=sample(f'curl "{_BASE}?ended=false&sort=name" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="make_key",
        tags=_TAG,
        auth=BY_SESSION,
        summary="Make an API key",
        description=(
            "Makes a tenant's key, which acts for itself, within one of your roles and scopes. Such "
            "a key can never decide as the second person, whatever its role. Make a key that acts "
            f"for you under My keys. {_ONCE} {IN_PERSON}"
        ),
        request=MakeKeySerializer,
        responses={201: MadeKeySerializer},
        extensions=sample(
            f'curl "{_BASE}" {SESSION} {JSON} \\\n'
            '  -d \'{"name": "Reporting portal", "role": "analyst", "scopes": ["fund:alpha"], "expires_at": null}\''
        ),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        asked = said(MakeKeySerializer, request)
        made, secret = api_key_create(
            name=asked["name"],
            role=Role(asked["role"]),
            scopes=scopes_named(asked["scopes"]),
            expires_at=asked["expires_at"],
        )
        return _told_once(made.id, secret)


class KeyView(TaggedView):
    tagged = ApiKey
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.KEY_MANAGE,
        "PATCH": Permission.KEY_MANAGE,
    }

    @extend_schema(
        operation_id="get_key",
        tags=_TAG,
        summary="Show an API key",
        description=f"The answer never contains the key itself: only its digest is kept. {NOT_BY_PERSONAL_KEYS}",
        responses=KeySerializer,
        extensions=sample(f'curl "{_BASE}$KEY_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(KeySerializer(key(id)).data)

    @extend_schema(
        operation_id="rename_key",
        tags=_TAG,
        summary="Rename an API key",
        description=(
            "You can also rename a revoked key, because its name may contain a person's name. Its "
            f"kind, scopes and rights do not change. {NOT_BY_PERSONAL_KEYS}"
        ),
        request=RenameKeySerializer,
        responses=KeyStandingSerializer,
        extensions=sample(
            f'curl -X PATCH "{_BASE}$KEY_ID/" {KEY} {JSON} \\\n'
            '  -d \'{"name": "Reporting portal 2", "reason": "The portal was replaced."}\''
        ),
    )
    @idempotent
    def patch(self, request: Request, id: UUID) -> ActResponse:
        key(id)
        api_key_rename(id, **said(RenameKeySerializer, request))
        return _answer(id)


class KeyRevokeView(ApiView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="revoke_key",
        tags=_TAG,
        summary="Revoke an API key",
        description=(
            "From the next request on, anybody who sends it gets the answer 401. It can't be restored, "
            "and revoking it again changes nothing. You can revoke keys that act for a person in "
            f"the same way. {NOT_BY_PERSONAL_KEYS}"
        ),
        request=None,
        responses=KeyStandingSerializer,
        extensions=sample(f'curl -X POST "{_BASE}$KEY_ID/revoke/" {KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        found = key(id)
        require_no_fields(request)
        api_key_revoke(found)
        return _answer(id)


class KeyRotateView(ApiView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="rotate_key",
        tags=_TAG,
        auth=BY_SESSION,
        summary="Rotate an API key",
        description=(
            "Makes a successor of a tenant's key, with its name, its role and those of its scopes "
            f"that you see. The old key still works during the overlap. {_ONCE} {IN_PERSON}"
        ),
        request=RotateKeySerializer,
        responses={201: MadeKeySerializer},
        extensions=sample(
            f'curl "{_BASE}$KEY_ID/rotate/" {SESSION} {JSON} \\\n  -d \'{{"overlap_hours": 24, "expires_at": null}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        found = key(id)
        asked = said(RotateKeySerializer, request)
        if key_state(found) in (KeyState.REVOKED, KeyState.EXPIRED):
            raise ApiKeyError("tenants.key_ended", name=found.name)
        successor, secret = api_key_rotate(
            found, overlap=timedelta(hours=asked["overlap_hours"]), expires_at=asked["expires_at"]
        )
        return _told_once(successor.id, secret)


def _answer(id: UUID) -> ActResponse:
    data = dict(KeyStandingSerializer(key(id)).data)
    return ActResponse(data, status=200, subject_id=id, scope_ids=scopes_told(data))


def _told_once(id: UUID, secret: str) -> ActResponse:
    """What is kept for a repeated request does not hold the secret."""
    made = key(id)
    kept = dict(MadeKeySerializer(made).data)
    return ActResponse(
        {**kept, "secret": secret},
        kept=kept,
        status=201,
        subject_id=id,
        scope_ids=scopes_told(kept),
        headers={"Location": f"/api/v1/keys/{id}/"},
    )
