"""What a principal needs for a view: declared on the view by HTTP method."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.tenants.principals import Principal
from apps.tenants.roles import Permission


class HasTenantPermission(BasePermission):
    """Requires `view.permissions[request.method]` of the principal; a method that declares none is refused."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        principal = request.user
        if not isinstance(principal, Principal):
            return False
        required: dict[str, Permission] = getattr(view, "required_permissions", {})
        method = "GET" if request.method in ("HEAD", "OPTIONS") else str(request.method)
        if method not in required:
            # An undeclared method falls through to DRF's 405; a declared view without a permission is a mistake.
            return not hasattr(view, method.lower())
        principal.require(required[method])
        return True

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        return True
