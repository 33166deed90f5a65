"""Who am I."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.examples import sample
from apps.tenants.api.serializers import MeSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.models import ApiKey, Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant


class MeView(ApiView):
    required_permissions: ClassVar[dict[str, Permission | None]] = {"GET": None}

    @extend_schema(
        operation_id="who_am_i",
        tags=["Account"],
        summary="Who am I",
        description=(
            "Returns the principal behind the key: its tenant, roles, permissions and scopes. Use it to try a new "
            "key. For a key that acts for a person, the answer is that person (kind `user`), and `personal_key` "
            "names the key."
        ),
        responses=MeSerializer,
        extensions=sample('curl "{base}/api/v1/me/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request) -> Response:
        principal = self.principal
        tenant = current_tenant()
        return Response(
            {
                "kind": principal.kind.value,
                "id": str(principal.id),
                "label": principal.label,
                "personal_key": _personal_key(principal),
                "tenant": {
                    "id": str(tenant.id),
                    "slug": tenant.slug,
                    "name": tenant.name,
                    "residency_region": tenant.residency_region,
                },
                "roles": sorted(role.value for role in principal.roles),
                "permissions": [each.value for each in Permission if principal.may(each)],
                "scopes": list(Scope.objects.order_by("key").values_list("key", flat=True)),
            }
        )


def _personal_key(principal: Principal) -> dict[str, Any] | None:
    if principal.key_id is None:
        return None
    key: ApiKey = ApiKey.objects.get(id=principal.key_id)
    return {"id": str(key.id), "name": key.name, "prefix": key.prefix, "expires_at": key.expires_at}
