"""What a principal needs for a view: declared on the view by HTTP method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apps.tenants.principals import Principal
from apps.tenants.roles import Permission

if TYPE_CHECKING:
    # DRF imports its default classes while it defines APIView.
    from rest_framework.views import APIView


class HasTenantPermission(BasePermission):
    """Requires `view.required_permissions[request.method]` of the principal.

    None there means any principal. A handler whose method declares nothing is refused to everybody: forgetting to
    declare must not open a view. A method without a handler goes on to its 405, and OPTIONS tells nothing but methods.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        principal = request.user
        if not isinstance(principal, Principal):
            return False
        required: Mapping[str, Permission | None] = getattr(view, "required_permissions", {})
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method not in required:
            return method == "OPTIONS" or not hasattr(view, method.lower())
        permission = required[method]
        if permission is not None:
            principal.require(permission)
        return True
