"""What the addresses of members, invitations, keys and scopes share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from rest_framework import serializers
from rest_framework.request import Request

from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.selectors.tenants import scope_by_key

KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
JSON: Final = '-H "Content-Type: application/json"'
# Of who is signed in: what no key may do. A form of the admin has both.
SESSION: Final = '-H "Cookie: sessionid=$SESSION; csrftoken=$CSRF" -H "X-CSRFToken: $CSRF"'
IN_PERSON: Final = (
    "Only a signed-in person can do this (the security scheme `session`). Every key, whatever its role, is refused "
    "with 403 and `tenants.not_in_person` or `tenants.withheld_from_key`."
)
# The security requirement of such an operation. Any: the library's type is that of a name.
BY_SESSION: Final[Any] = [{"session": []}]
NOT_BY_PERSONAL_KEYS: Final = (
    "Use a session, or a tenant's key with the role. A key that acts for a person is refused with 403 and "
    "`tenants.withheld_from_key`."
)
# More at once than any firm has parts that a person is given one by one.
_MOST_SCOPES: Final = 500
SerializerT = TypeVar("SerializerT", bound=StrictSerializer)


class ReachSerializer(serializers.Serializer[Any]):
    """What a member, a key or an invitation reaches."""

    scopes = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of the granted scopes; each includes everything below it."
    )
    hidden_scopes = serializers.IntegerField(help_text="How many more scopes were granted that you do not see.")


def reach_shown(scope_keys: Iterable[str | None]) -> dict[str, Any]:
    """Args: scope_keys: None for each that the reader may not see."""
    keys = list(scope_keys)
    seen = sorted(key for key in keys if key is not None)
    return {"scopes": seen, "hidden_scopes": len(keys) - len(seen)}


def scopes_told(answer: Mapping[str, Any]) -> list[ScopeId]:
    """Of the scopes that an answer names: whoever gets it again must hold them, and an erasure of one reaches it."""
    return [ScopeId(each) for each in Scope.objects.filter(key__in=answer["scopes"]).values_list("id", flat=True)]


def scopes_field() -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=127),
        allow_empty=False,
        max_length=_MOST_SCOPES,
        help_text="Keys of scopes that you hold, such as fund:global-equity; each includes everything below it.",
    )


def scopes_named(keys: Iterable[str]) -> list[Scope]:
    """Raises: ScopeNotGrantedError, alike for one that is not there and one that is not yours."""
    return [scope_by_key(key) for key in sorted(set(keys))]


def reason_field() -> serializers.CharField:
    return serializers.CharField(max_length=500, help_text="For the audit log. Do not name anybody.")


def said(serializer: type[SerializerT], request: Request) -> dict[str, Any]:
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)
